// How soon a page is there, and how fluently it moves: `make bench-page`. Nothing here is a test: the figures depend on the machine.
// Usage: node web/bench/page.mjs PACKETS...   (needs target/release/tcpwhy and generate, and Debian's chromium)
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = join(root, "target/bench");
const built = (name) => join(root, process.env.BUILT ?? "target/release", name);
const ROUNDS = 5;
/** Moves a round: wheel to zoom in and out, then sideways. */
const MOVES = [...Array(25).fill([0, -40]), ...Array(15).fill([60, 0]), ...Array(25).fill([0, 40])];

/** Frames in which something moved, ms each: from the frame's beginning to the next one's. */
async function frames([moves]) {
  const over = document.querySelector("#chart-sequence .u-over");
  const box = over.getBoundingClientRect();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const took = [];
  for (const [deltaX, deltaY] of moves) {
    over.dispatchEvent(new WheelEvent("wheel", { deltaX, deltaY, clientX: box.left + box.width / 3, clientY: box.top + 50, cancelable: true, bubbles: true }));
    // It is drawn in the next frame, and that one has ended when the one after it begins.
    const begun = await frame();
    took.push((await frame()) - begun);
  }
  return took;
}

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const at = (numbers, part) => sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))];

async function measure(html) {
  const [first, moves] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`file://${html}`, { waitUntil: "commit" });
    const drawn = () => performance.getEntriesByName("tcpwhy-drawn")[0]?.startTime;
    await page.waitForFunction(drawn, null, { timeout: 120_000 });
    first.push(await page.evaluate(drawn));
    await page.locator("#chart-sequence .u-over").scrollIntoViewIfNeeded();
    moves.push(...(await page.evaluate(frames, [MOVES])));
    await browser.close();
  }
  return { first, moves };
}

mkdirSync(folder, { recursive: true });
for (const packets of process.argv.slice(2)) {
  const [capture, html] = [join(folder, `page-${packets}.pcap`), join(folder, `page-${packets}.html`)];
  if (!existsSync(capture)) execFileSync(built("generate"), ["jitter", capture, packets], { stdio: "ignore" });
  execFileSync(built("tcpwhy"), ["report", capture, "--force", "-o", html], { stdio: "ignore" });
  const { first, moves } = await measure(html);
  const ms = (n) => `${n.toFixed(0)} ms`;
  console.log(`${Number(packets).toLocaleString("en")} packets: ${(statSync(html).size / 1e6).toFixed(1)} MB, `
    + `first picture ${ms(at(first, 0.5))} (least ${ms(Math.min(...first))}), `
    + `a frame of zoom and pan ${ms(at(moves, 0.5))} (95 %: ${ms(at(moves, 0.95))}, worst ${ms(Math.max(...moves))})`);
}

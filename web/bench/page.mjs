// How soon a page is there, and how fluently it moves: `make bench-page`. Nothing here is a test: the figures depend on the machine.
// Usage: node web/bench/page.mjs PACKETS...   (needs target/release/tcpwhy and generate, and Debian's chromium)
// BUILT names another folder of binaries. Ends within MINUTES a size, with the rounds that were done by then.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = join(root, "target/bench");
const built = (name) => join(resolve(root, process.env.BUILT ?? "target/release"), name);
const ROUNDS = 5;
/** For the rounds of one size, and for a step that may hang. */
const MINUTES = 4;
const STEP_MS = 60_000;
/** Moves a round: wheel to zoom in, sideways, and out again. */
const MOVES = [...Array(25).fill([0, -40]), ...Array(15).fill([60, 0]), ...Array(25).fill([0, 40])];

/** What is asked for: file, first picture, a frame. */
const ASKED = { 1000000: { mb: 12, first: 1000, frame: 100 }, 10000000: { mb: Infinity, first: 2000, frame: 150 } };

/** One move, drawn: ms from its frame's beginning to the next one's. In the page. */
async function move([deltaX, deltaY]) {
  const over = document.querySelector("#chart-sequence .u-over");
  const box = over.getBoundingClientRect();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  over.dispatchEvent(new WheelEvent("wheel", { deltaX, deltaY, clientX: box.left + box.width / 3, clientY: box.top + 50, cancelable: true, bubbles: true }));
  // It is drawn in the next frame, and that one has ended when the one after it begins.
  const begun = await frame();
  return (await frame()) - begun;
}

/** ms that the page's main thread has computed: what the machine's other work does not change. */
async function computed(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((m) => m.name === "TaskDuration").value * 1000;
}

async function round(html, results) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"], timeout: STEP_MS });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(STEP_MS);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(`file://${html}`, { waitUntil: "commit" });
    const drawn = () => performance.getEntriesByName("tcpwhy-drawn")[0]?.startTime;
    await page.waitForFunction(drawn);
    results.first.push(await page.evaluate(drawn));
    results.firstCpu.push(await computed(session));
    // A large picture is drawn at a glance first, and its charts are made anew when all of it is read.
    await page.waitForFunction(() => performance.getEntriesByName("tcpwhy-whole").length > 0);
    await page.locator("#chart-sequence .u-over").scrollIntoViewIfNeeded();
    for (const by of MOVES) {
      const before = await computed(session);
      results.frame.push(await page.evaluate(move, by));
      results.frameCpu.push((await computed(session)) - before);
    }
  } finally {
    await browser.close();
  }
}

const at = (numbers, part) => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))];
const ms = (n) => `${n.toFixed(0)} ms`;

async function measure(packets) {
  const [capture, html] = [join(folder, `page-${packets}.pcap`), join(folder, `page-${packets}.html`)];
  if (!existsSync(capture)) {
    // Whole or not at all: an earlier run may have been stopped.
    execFileSync(built("generate"), ["jitter", `${capture}.part`, packets], { stdio: "ignore", timeout: 5 * STEP_MS });
    renameSync(`${capture}.part`, capture);
  }
  execFileSync(built("tcpwhy"), ["report", capture, "--force", "-o", html], { stdio: "ignore", timeout: 5 * STEP_MS });
  const results = { first: [], firstCpu: [], frame: [], frameCpu: [] };
  const end = Date.now() + MINUTES * 60_000;
  for (let n = 0; n < ROUNDS && Date.now() < end; n++) await round(html, results);
  return { mb: statSync(html).size / 1e6, rounds: results.first.length, ...results };
}

mkdirSync(folder, { recursive: true });
const sizes = process.argv.slice(2).length ? process.argv.slice(2) : Object.keys(ASKED);
console.log("| packets | file | first picture: wall (asked) | CPU | a frame: wall (asked) | 95 % | worst | CPU | 95 % | rounds |");
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const packets of sizes) {
  const r = await measure(packets);
  const asked = ASKED[packets];
  const due = (n) => (asked && Number.isFinite(n) ? ` (${n})` : "");
  const cells = [
    Number(packets).toLocaleString("en"), `${r.mb.toFixed(1)} MB${due(asked?.mb)}`, ms(at(r.first, 0.5)) + due(asked?.first), ms(at(r.firstCpu, 0.5)),
    ms(at(r.frame, 0.5)) + due(asked?.frame), ms(at(r.frame, 0.95)), ms(Math.max(...r.frame)), ms(at(r.frameCpu, 0.5)), ms(at(r.frameCpu, 0.95)), r.rounds,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

// Reports of captures of the corpus, open in a real browser that notes whatever they must not do.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const tcpwhy = process.env.TCPWHY ?? join(root, "target/release/tcpwhy");
export const scratch = mkdtempSync(join(tmpdir(), "tcpwhy-page-"));
export const corpus = (name) => join(root, "corpus", name);
let reports = 0;

/** Makes a report; the address under which it is opened. */
export function report(...args) {
  const html = join(scratch, `report-${reports++}.html`);
  execFileSync(tcpwhy, ["report", ...args, "-o", html], { stdio: "ignore" });
  return `file://${html}`;
}

/** A case folder, as the lab leaves it: a capture of the corpus, and samples of its sender's socket every 2 ms. */
export function caseFolder() {
  const folder = mkdtempSync(join(scratch, "case-"));
  const capture = corpus("send-buffer-16k-20ms.sender.pcap.gz");
  copyFileSync(capture, join(folder, "client.pcapng"));
  const c = JSON.parse(execFileSync(tcpwhy, [capture, "--json"], { maxBuffer: 1 << 28 })).connections[0];
  const info = Buffer.alloc(104);
  [[16, 1448], [76, 0x7fffffff], [80, 10]].forEach(([at, value]) => info.writeUInt32LE(value, at));
  const end = (e) => `${e.addr}:${e.port}`;
  const start = BigInt(Math.round(c.start_ns / 1000)) * 1000n;
  const line = (_, i) => JSON.stringify({
    host: "server", local: end(c.server), remote: end(c.client), rqueue: 0, wqueue: (i % 12) * 1448, tcp_info: info.toString("hex"),
    skmem: [0, 131072, 0, 16384, 0, (i % 12) * 2304, 0, 0, 0], cookie: 1, t_ns: 0,
  }).replace('"t_ns":0', `"t_ns":${start + BigInt(i + 1) * 2_000_000n}`);
  writeFileSync(join(folder, "samples.ndjson"), `${Array.from({ length: 1000 }, line).join("\n")}\n`);
  return folder;
}

/** What happened that must not. */
export const wrong = [];
export const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

export async function open(url, within = browser) {
  const page = await within.newPage(within === browser ? { viewport: { width: 1280, height: 900 }, locale: "en-US" } : undefined);
  // A machine that has other things to do takes its time.
  page.setDefaultTimeout(120_000);
  page.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(e.message));
  page.on("dialog", (d) => { wrong.push(`dialog: ${d.message()}`); void d.dismiss(); });
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || wrong.push(`request: ${r.url()}`));
  await page.goto(url);
  return page;
}

export const charts = (page) => page.locator("section.chart[id]").count();
/** The ends of the axes are not read off a canvas: what screen readers are told is. */
export const described = (page) => page.locator("#chart-sequence .plot").getAttribute("aria-label");
export const changes = async (page, act) => {
  const before = await described(page);
  await act();
  await page.waitForFunction((text) => document.querySelector("#chart-sequence .plot").getAttribute("aria-label") !== text, before);
};

/** After the last of them. */
export async function close() {
  await browser.close();
  rmSync(scratch, { recursive: true });
}

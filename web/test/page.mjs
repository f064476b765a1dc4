// The report of a corpus case in a real browser, opened from disk: what a reader does with it, and nothing that it must not do.
// Usage: node web/test/page.mjs   (after cargo build --release; needs Debian's chromium)
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const scratch = mkdtempSync(join(tmpdir(), "tcpwhy-page-"));
// A file's name is the one text in a page that somebody else may have chosen freely.
const hostile = join(scratch, "<img src=x onerror=alert(1)>.pcap.gz");
copyFileSync(join(root, "corpus/send-buffer-16k-20ms.sender.pcap.gz"), hostile);
const html = join(scratch, "report.html");
const captures = [hostile, join(root, "corpus/receive-buffer-8k-40ms.receiver.pcap.gz")];
const tcpwhy = process.env.TCPWHY ?? join(root, "target/release/tcpwhy");
execFileSync(tcpwhy, ["report", ...captures, "-o", html], { stdio: "ignore" });

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: "en-US" });
const wrong = [];
page.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
page.on("pageerror", (e) => wrong.push(e.message));
page.on("dialog", (d) => { wrong.push(`dialog: ${d.message()}`); void d.dismiss(); });
page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || wrong.push(`request: ${r.url()}`));

try {
  await page.goto(`file://${html}`);
  const send = page.locator(".row", { hasText: "send buffer" });
  await send.first().click();
  assert.match(await page.locator(".verdict").first().innerText(), /send buffer held it back/);
  assert.equal(await page.locator("section.chart[id]").count(), 5, "five charts");

  // Two clicks: a moment, then one round trip around it. Packets can then be told apart.
  const over = page.locator("#chart-sequence .u-over");
  await over.scrollIntoViewIfNeeded();
  await over.hover({ position: { x: 400, y: 60 } });
  assert.match(await page.locator("#chart-sequence .readout").innerText(), /frame \d+/);
  await page.getByRole("button", { name: "One round trip" }).click();
  await page.locator(".rungs line.arrow").first().waitFor();
  assert.ok(await page.locator(".rungs line.arrow").count() > 3, "packets as arrows");

  await page.getByRole("button", { name: "Whole transfer" }).click();
  await page.locator(".part", { hasText: "send buffer" }).first().hover();
  assert.match(await page.locator("output.evidence").first().innerText(), /in flight.*frames \d+-\d+/);

  await page.selectOption("#compare", { index: 1 });
  await page.locator(".pair h2").first().waitFor();
  assert.equal(await page.locator("section.chart[id]").count(), 10, "charts of both");

  await page.selectOption("#language", "zh");
  await page.getByText("时间花在哪里").first().waitFor();

  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForTimeout(200);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `nothing sticks out of a phone's screen: ${wide}`);
  assert.deepEqual(wrong, []);
  console.log("the page works in a browser");
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true });
}

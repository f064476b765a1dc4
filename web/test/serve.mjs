// `tcpwhy serve` in a real browser: list, upload, open, refuse, and nothing that it must not do.
// Usage: node web/test/serve.mjs   (after cargo build --release; needs Debian's chromium)
// TCPWHY names another binary, SCREENSHOTS a directory for pictures of it all.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { accessible } from "./accessible.mjs";
import { fillCase } from "./case.mjs";
import { merged } from "./merged.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const scratch = mkdtempSync(join(tmpdir(), "tcpwhy-serve-"));
const dir = join(scratch, "captures");
mkdirSync(join(dir, "monday"), { recursive: true });
const corpus = (name) => join(root, "corpus", name);
// A file's name is the one text in the list that somebody else may have chosen freely.
const hostile = "<img src=x onerror=alert(1)>.pcap.gz";
copyFileSync(corpus("send-buffer-16k-20ms.sender.pcap.gz"), join(dir, "monday", hostile));
copyFileSync(corpus("receive-buffer-8k-40ms.receiver.pcap.gz"), join(dir, "nightly-backup.pcap.gz"));
writeFileSync(join(dir, "broken.pcap"), "this is no capture");
const tcpwhy = process.env.TCPWHY ?? join(root, "target/release/tcpwhy");
mkdirSync(join(dir, "case"));
fillCase(join(dir, "case"), tcpwhy, corpus("send-buffer-16k-20ms.sender.pcap.gz"));

const server = spawn(tcpwhy, ["serve", dir, "--listen", "127.0.0.1:0", "--max-upload", "1MB"], { stdio: ["ignore", "pipe", "ignore"] });
const address = String((await once(server.stdout, "data"))[0]).trim();

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: "en-US" });
// A machine that has other things to do takes its time.
page.setDefaultTimeout(120_000);
const wrong = [];
let refused = 0;
page.on("console", (m) => {
  if (m.type() !== "error") return;
  // The browser itself logs each answer of 400 and more; of those, only the refused upload is due.
  if (/status of 415/.test(m.text())) refused++;
  else wrong.push(m.text());
});
page.on("pageerror", (e) => wrong.push(e.message));
page.on("dialog", (d) => { wrong.push(`dialog: ${d.message()}`); void d.dismiss(); });
page.on("request", (r) => r.url().startsWith(address) || wrong.push(`request: ${r.url()}`));
const shot = async (name) => process.env.SCREENSHOTS && page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
const fits = async () => {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `nothing sticks out of a phone's screen: ${wide}`);
};

try {
  await page.goto(address);
  const rows = page.locator(".captures li");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 4);
  await page.getByRole("searchbox").fill("IMG src");
  // A row that was just found may not be laid out yet, and has no text then.
  await rows.filter({ hasText: "monday/<img src=x onerror=alert(1)>" }).waitFor();
  assert.equal(await rows.count(), 1);
  assert.match(await rows.innerText(), /monday\/<img src=x onerror=alert\(1\)>/);
  await page.getByRole("searchbox").fill("");

  // Uploads, chosen and dropped.
  await page.locator("#files").setInputFiles({ name: "junk.pcap", mimeType: "", buffer: Buffer.from("<script>alert(2)</script>") });
  await page.locator(".upload.failed", { hasText: "junk.pcap: is text, not a capture file" }).waitFor();
  await page.locator("#files").setInputFiles({ name: "huge.pcap", mimeType: "", buffer: Buffer.alloc(1_000_001) });
  await page.locator(".upload.failed", { hasText: "Larger than an upload may be (1.0 MB)" }).waitFor();
  await page.locator("#files").setInputFiles(corpus("slow-reader-stops-20ms.sender.pcap.gz"));
  const arrived = page.locator(".upload", { hasText: "uploaded" });
  await arrived.waitFor();
  await page.locator(".captures .fresh", { hasText: "slow-reader" }).waitFor();
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["nothing"], "dropped.txt"));
    return transfer;
  });
  await page.dispatchEvent("body", "dragenter", { dataTransfer: data });
  await page.locator(".drop.over").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await page.locator(".upload.failed", { hasText: "dropped.txt.pcap" }).waitFor();
  // The browser logs an answer in its own time.
  for (let tries = 0; refused < 2 && tries < 100; tries++) await page.waitForTimeout(50);
  assert.equal(refused, 2);
  assert.deepEqual(readdirSync(dir).sort(), ["broken.pcap", "case", "monday", "nightly-backup.pcap.gz", "slow-reader-stops-20ms.sender.pcap.gz"]);
  await shot("list");
  await accessible(page, "the list");

  // Open: first the wait, then, at the same address, the report.
  await rows.filter({ hasText: "monday" }).locator("a").focus();
  await page.keyboard.press("Enter");
  await page.locator("#chart-sequence").waitFor({ timeout: 60_000 });
  assert.match(await page.locator(".verdict").first().innerText(), /send buffer held it back/);
  assert.equal(await page.locator("section.chart[id]").count(), 5, "five charts");
  const width = await page.locator(".shares span").first().evaluate((e) => e.getBoundingClientRect().width);
  assert.ok(width > 100, "styles of elements are not refused");
  await shot("report");
  await page.goBack();
  await page.locator(".answer", { hasText: "send buffer" }).waitFor();

  // What was recorded of the sockets beside a capture is on its page.
  await rows.filter({ hasText: "client.pcapng" }).locator("a").click();
  await page.locator("#chart-sockets canvas").waitFor();
  assert.match(await page.locator(".verdict").first().innerText(), /send buffer/);
  await page.goBack();

  // A long capture: each packet of a stretch comes from the server when it is asked for.
  await page.route("**/c/*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: merged(await response.text()) });
  });
  await rows.filter({ hasText: "monday" }).locator("a").click();
  await page.locator(".notice", { hasText: "stands for up to 4 packets" }).waitFor();
  const over = page.locator("#chart-sequence .u-over");
  await over.scrollIntoViewIfNeeded();
  await over.click({ position: { x: 400, y: 60 } });
  await page.getByText("Zoom to a stretch and ask").waitFor();
  await page.locator("#each-packet").click();
  await page.locator(".notice", { hasText: "Each packet from" }).waitFor();
  assert.ok((await page.locator(".rungs line.arrow").count()) > 3, "packets as arrows");
  await shot("stretch");
  await page.locator("#chart-flight .plot").press("0");
  await page.locator("#each-packet").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.closest(".chart").id), "chart-flight", "the keyboard stays where it was");
  await page.unroute("**/c/*");
  await page.goBack();

  await rows.filter({ hasText: "broken.pcap" }).locator("a").click();
  await page.locator(".notice", { hasText: "not a capture file" }).waitFor();
  await page.selectOption("#language", "zh");
  await page.locator(".notice", { hasText: "是文本，不是抓包文件" }).waitFor();
  await page.selectOption("#language", "en");
  await shot("failed");
  await page.getByRole("link", { name: "All captures" }).click();
  await rows.first().waitFor();

  await page.selectOption("#language", "zh");
  await page.getByText("把抓包文件拖到这里").waitFor();
  await page.reload();
  await page.getByText("把抓包文件拖到这里").waitFor();
  await page.locator(".answer", { hasText: "发送缓冲区" }).first().waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 800 });
  await fits();
  await accessible(page, "the list on a phone, in Chinese, in the dark");
  await shot("phone-zh-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.selectOption("#language", "en");
  await fits();
  await shot("phone");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "dark" });
  await shot("list-dark");

  // A browser that blocks what sites keep throws where they ask for it.
  const blocking = await browser.newPage({ locale: "en-US" });
  blocking.on("pageerror", (e) => wrong.push(e.message));
  await blocking.addInitScript(() => Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "SecurityError"); } }));
  await blocking.goto(address);
  await blocking.locator(".captures li").first().waitFor({ timeout: 30_000 });
  await blocking.selectOption("#language", "zh");
  await blocking.getByText("把抓包文件拖到这里").waitFor();

  server.kill("SIGTERM");
  const [code] = await once(server, "exit");
  assert.equal(code, 0, "it stops cleanly");
  assert.deepEqual(wrong, []);
  console.log("the list and uploads work in a browser");
} catch (e) {
  console.error(wrong);
  await shot("wrong");
  throw e;
} finally {
  await browser.close();
  server.kill("SIGKILL");
  rmSync(scratch, { recursive: true });
}

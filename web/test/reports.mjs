// Reports of captures of the corpus, open in a real browser that notes whatever they must not do.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { fillCase } from "./case.mjs";

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

/** A case folder, as the lab leaves it. */
export function caseFolder() {
  const folder = mkdtempSync(join(scratch, "case-"));
  fillCase(folder, tcpwhy, corpus("send-buffer-16k-20ms.sender.pcap.gz"));
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

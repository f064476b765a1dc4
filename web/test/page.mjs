// Reports in a real browser, opened from disk: what a reader does with them, and nothing that they must not do.
// Usage: node web/test/page.mjs   (needs target/release/tcpwhy, or the binary that TCPWHY names, and Debian's chromium)
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { accessible } from "./accessible.mjs";
import { frames } from "./frames.mjs";
import { EVIL, hostile } from "./hostile.mjs";
import { glanced } from "./merged.mjs";
import { redrawn } from "./redrawn.mjs";
import { browser, caseFolder, changes, charts, close, corpus, described, open, report, scratch, tcpwhy, wrong } from "./reports.mjs";

const tests = {
  async "a verdict, its evidence, and single packets after two clicks"() {
    // A file's name is the one text in a page that somebody else may have chosen freely.
    const hostile = join(scratch, "<img src=x onerror=alert(1)>.pcap.gz");
    copyFileSync(corpus("send-buffer-16k-20ms.sender.pcap.gz"), hostile);
    const page = await open(report(hostile, corpus("receive-buffer-8k-40ms.receiver.pcap.gz")));
    await page.locator(".row", { hasText: "send buffer" }).first().click();
    assert.match(await page.locator(".verdict").first().innerText(), /send buffer held it back/);
    // The charts come when their data is unpacked.
    await page.locator("#chart-rate canvas").waitFor();
    assert.equal(await charts(page), 5, "five charts");

    assert.match(await page.locator(".card li code").first().innerText(), /^sysctl -w/, "commands are set apart");

    assert.match(await page.locator("output.evidence").first().innerText(), /^send buffer: /, "what held longest, before anybody points");
    await page.locator(".part", { hasText: "send buffer" }).first().hover();
    assert.match(await page.locator("output.evidence").first().innerText(), /in flight.*frames \d+-\d+/);

    const over = page.locator("#chart-sequence .u-over");
    await over.scrollIntoViewIfNeeded();
    await over.hover({ position: { x: 400, y: 60 } });
    assert.match(await page.locator("#chart-sequence .readout").innerText(), /frame \d+/);
    assert.match(await page.locator("#chart-window .readout").innerText(), /KiB · right edge at /, "every chart tells of the cursor's moment");
    await changes(page, () => over.click({ position: { x: 400, y: 60 } }));
    const [from, to] = (await described(page)).match(/from ([\d.]+) ms to ([\d.]+) ms/).slice(1).map(Number);
    assert.ok(to - from > 20 && to - from < 40, `one round trip of 20 ms: ${from} to ${to}`);
    await page.locator(".rungs line.arrow").first().waitFor();
    const many = await page.locator(".rungs line.arrow").count();
    assert.ok(many > 3, "packets as arrows");
    await changes(page, () => over.click({ position: { x: 400, y: 60 } }));
    const few = await page.locator(".rungs line.arrow").count();
    assert.ok(few > 1 && few <= many, `the nearest packets: ${few} of ${many}`);
    // Frames as Wireshark shows them: the numbers of the packets in the file, each of them with the byte where its data begins.
    const packets = frames(hostile);
    const texts = await page.locator(".rungs text").allTextContents();
    const data = texts.map((t) => /^(\d+): (\d+) \+ (\d+) B$/.exec(t)).filter(Boolean);
    assert.ok(data.length > 1, texts.join());
    for (const [text, frame, first, length] of data) assert.deepEqual(packets[frame], { port: 3306, first: Number(first), length: Number(length) }, text);
    await page.close();
  },

  async "keys are the page's, but not those of a field that is written in"() {
    const page = await open(report(corpus("random-loss-3pct-40ms.sender.pcap.gz"), corpus("chatty-50x-20ms.sender.pcap.gz")));
    await page.locator("#chart-sequence canvas").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true, "nothing has the focus");
    for (const key of ["+", "ArrowRight", "r", "0"]) await changes(page, () => page.keyboard.press(key));
    const whole = await described(page);
    await page.locator(".tools input").pressSequentially("r-+");
    assert.equal(await page.locator(".tools input").inputValue(), "r-+");
    assert.equal(await described(page), whole);
    await page.close();
  },

  async "keys, wheel, drag and buttons move every chart"() {
    const page = await open(report(corpus("random-loss-3pct-40ms.sender.pcap.gz")));
    const plot = page.locator("#chart-sequence .plot");
    await plot.focus();
    const whole = await described(page);
    for (const key of ["+", "ArrowRight", "ArrowLeft", "-", "+", "0"]) await changes(page, () => page.keyboard.press(key));
    assert.equal(await described(page), whole, "0 shows everything");
    const over = page.locator("#chart-flight .u-over");
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await changes(page, async () => { await over.hover(); await page.mouse.wheel(0, -300); });
    await changes(page, async () => {
      await page.mouse.move(box.x + 200, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + 400, box.y + 50, { steps: 4 });
      await page.mouse.up();
    });
    await changes(page, async () => {
      await page.keyboard.down("Shift");
      await page.mouse.move(box.x + 400, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + 300, box.y + 50, { steps: 4 });
      await page.mouse.up();
      await page.keyboard.up("Shift");
    });
    await changes(page, () => page.getByRole("button", { name: "Whole transfer" }).click());
    assert.equal(await described(page), whole);
    // Colours alone would not do.
    const boxes = await page.locator(".timeline .legend .box").evaluateAll((all) => all.map((e) => getComputedStyle(e).backgroundImage));
    assert.ok(boxes.length > 3 && new Set(boxes).size === boxes.length, boxes.join("\n"));
    // From a thicket to arrows.
    await changes(page, () => page.getByRole("button", { name: "Show those at the cursor" }).click());
    await page.locator(".rungs line.arrow").first().waitFor();
    await changes(page, () => page.getByRole("button", { name: "Whole transfer" }).click());
    await changes(page, () => page.locator(".part").nth(1).press("Enter"));
    // What a loss looks like: symbols with their meaning.
    const legend = await page.locator("#chart-sequence .legend").innerText();
    assert.match(legend, /duplicate ACK/);
    await page.close();
  },

  async "fingers move and zoom, and the warehouses fill while time is played"() {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: "en-US" });
    const page = await open(report(corpus("slow-reader-stops-20ms.sender.pcap.gz")), context);
    const over = page.locator("#chart-sequence .u-over");
    await over.waitFor();
    await page.getByText("Tap a chart").waitFor();
    const buttons = await page.locator(".toolbar button").evaluateAll((all) => Math.max(...all.map((e) => e.getBoundingClientRect().right)));
    assert.ok(buttons <= 360, `every button is in sight: ${buttons}`);
    await over.scrollIntoViewIfNeeded();
    const { x, y } = await over.boundingBox();
    const session = await context.newCDPSession(page);
    const touch = (type, ...xs) => session.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((at) => ({ x: x + at, y: y + 60 })) });
    const whole = await described(page);
    await changes(page, async () => {
      await touch("touchStart", 100, 140);
      for (const by of [10, 25, 40]) await touch("touchMove", 100 - by, 140 + by);
      await touch("touchEnd");
    });
    const [from, to] = (await described(page)).match(/from (-?[\d.]+) s to ([\d.]+) s/).slice(1).map(Number);
    assert.ok(to - from < 2.2, `two fingers zoom: ${from} to ${to}`);
    await changes(page, async () => {
      await touch("touchStart", 200);
      for (const at of [170, 140, 110]) await touch("touchMove", at);
      await touch("touchEnd");
    });
    await changes(page, () => page.getByRole("button", { name: "Whole transfer" }).tap());
    assert.equal(await described(page), whole);

    const filled = page.locator(".warehouses .filled").last();
    const height = () => filled.getAttribute("height");
    await page.getByRole("button", { name: "Play" }).tap();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    const empty = await height();
    await page.waitForFunction((before) => [...document.querySelectorAll(".warehouses .filled")].at(-1).getAttribute("height") !== before, empty);
    await page.getByRole("button", { name: "Stop" }).tap();
    await page.getByRole("button", { name: "Play" }).waitFor();
    await context.close();
  },

  async "two connections, two captures, another language, a phone"() {
    const [sender, receiver] = ["sender", "receiver"].map((end) => corpus(`send-buffer-16k-20ms.${end}.pcap.gz`));
    const page = await open(report(sender, "--compare", receiver));
    await page.locator("#chart-rate-2 canvas").waitFor();
    assert.equal(await charts(page), 10, "charts of both");
    const [one, other] = await Promise.all([1, 2].map((n) => page.locator(`#chart-flight${n > 1 ? "-2" : ""} .plot`).getAttribute("aria-label")));
    assert.equal(one, other, "on the same axes");
    // Half a round trip before the sender saw it the client sent its SYN: clocks are not asked.
    await page.locator(".notice", { hasText: /the same connection.* moved by -10\.\d ms/ }).waitFor();
    const tops = await Promise.all(["#chart-flight", "#chart-flight-2"].map(async (id) => (await page.locator(`${id} canvas`).boundingBox()).y));
    assert.equal(tops[0], tops[1], "and level, however long the legends are");
    await page.selectOption("#compare", "");
    await page.locator("#chart-rate-2").waitFor({ state: "detached" });
    await page.selectOption("#compare", { index: 1 });
    await page.locator("#chart-rate-2 canvas").waitFor();

    await page.selectOption("#language", "zh");
    await page.getByText("时间花在哪里").first().waitFor();
    // The answer, too, not only what stands around it; and back.
    const verdict = page.locator(".verdict").first();
    assert.match(await verdict.innerText(), /^瓶颈是服务器的发送缓冲区：/);
    assert.equal(await verdict.getAttribute("lang"), "zh");
    await page.selectOption("#language", "en");
    assert.match(await page.locator(".verdict").first().innerText(), /send buffer held it back/);
    await page.selectOption("#language", "zh");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.locator("#chart-rate-2 canvas").waitFor();
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    await page.close();
  },

  async "what --lang asked for comes before what the browser speaks"() {
    const page = await open(report(corpus("receive-buffer-8k-40ms.receiver.pcap.gz"), "--lang", "zh"));
    assert.match(await page.locator(".verdict").first().innerText(), /接收缓冲区/);
    await page.close();
  },

  async "a case folder shows the sockets"() {
    const page = await open(report(caseFolder()));
    await page.locator("#chart-sockets canvas").waitFor();
    assert.equal(await charts(page), 6, "six charts");
    const over = page.locator("#chart-sockets .u-over");
    await over.scrollIntoViewIfNeeded();
    await over.hover({ position: { x: 400, y: 60 } });
    assert.match(await page.locator("#chart-sockets .readout").innerText(), /send queue .* send buffer 16.0 KiB/);
    // The buffer bounds the memory of the queue, 2,304 bytes for each of its segments of 1,448.
    const [filled, capacity] = (await page.locator(".warehouses .soft").first().innerText()).split(" / ");
    const memory = Array.from({ length: 11 }, (_, i) => `${(2.25 * (i + 1)).toFixed(1)} KiB`);
    assert.ok(memory.includes(filled) && capacity === "16.0 KiB", `${filled} / ${capacity}`);
    await page.close();
  },

  async "an analysis has a verdict and says why it has no charts"() {
    const json = join(scratch, "slow.json");
    writeFileSync(json, execFileSync(tcpwhy, [corpus("send-buffer-16k-20ms.sender.pcap.gz"), "--json"], { maxBuffer: 1 << 28 }));
    const page = await open(report(json));
    await page.getByText("without its packets").waitFor();
    assert.match(await page.locator(".verdict").innerText(), /send buffer held it back/);
    assert.equal(await charts(page), 0);
    await page.close();
  },

  async "everybody can use it: in the light, in the dark, beside another, on a phone, on paper"() {
    const [sender, receiver] = ["sender", "receiver"].map((end) => corpus(`random-loss-3pct-40ms.${end}.pcap.gz`));
    const page = await open(report(sender, corpus("chatty-50x-20ms.sender.pcap.gz"), "--compare", receiver));
    await page.locator("#chart-rate-2 canvas").waitFor();
    await accessible(page, "two captures in the light");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.selectOption("#compare", "");
    await page.locator("#chart-rate-2").waitFor({ state: "detached" });
    await page.locator("#chart-rate canvas").waitFor();
    await page.locator("#chart-sequence .plot").focus();
    for (const key of ["r", "+", "+"]) await changes(page, () => page.keyboard.press(key));
    await page.getByText("What the words mean").click();
    await accessible(page, "packets in the dark");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
    await page.locator(".rungs").waitFor();
    // Text in a drawing is as large on a phone.
    const scale = await page.locator(".rungs").evaluate((e) => e.getBoundingClientRect().width / e.viewBox.baseVal.width);
    assert.ok(scale > 0.95, `packets are drawn at ${scale} of their size`);
    await accessible(page, "a phone");
    // On paper every chart is as wide as the sheet and dark on light, whatever the screen was.
    const paper = () => page.evaluate(() => ({
      ink: getComputedStyle(document.body).color, widest: Math.max(...[...document.querySelectorAll("canvas")].map((c) => c.clientWidth)),
    }));
    assert.notEqual((await paper()).ink, "rgb(22, 25, 29)");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.deepEqual(await paper(), { ink: "rgb(22, 25, 29)", widest: 690 });
    // Nothing to press, and no packets that nobody asked for.
    await page.emulateMedia({ media: "print" });
    for (const part of [".toolbar", ".list", ".tabs", ".ladders button", ".hint"]) assert.equal(await page.locator(part).first().isVisible(), false, part);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.close();
  },

  async "nothing in a capture is read as HTML"() {
    // Names of folders and files are the capture's, too: with one "/" they hold a whole tag.
    const folder = join(scratch, "<");
    mkdirSync(folder);
    const capture = join(folder, "script><img src=x onerror=alert(4)>\u2028'.pcapng");
    writeFileSync(capture, hostile(gunzipSync(readFileSync(corpus("send-buffer-16k-20ms.sender.pcap.gz")))));
    let page = await open(report(capture));
    await page.locator("#chart-rate canvas").waitFor();
    assert.match(await page.locator(".verdict").innerText(), /send buffer held it back/);
    assert.match(await page.locator("header").innerText(), /<\/script><img src=x/);
    assert.equal(await page.locator("img").count(), 0);
    await page.close();

    // And an analysis may say anything.
    const json = JSON.parse(execFileSync(tcpwhy, [capture, "--json"], { maxBuffer: 1 << 28 }));
    json.source.warnings = [EVIL];
    const c = json.connections[0];
    c.findings = [{ kind: "x", side: "client", frame: 1, text: EVIL }];
    c.client.addr = EVIL;
    for (const d of c.directions) {
      Object.assign(d.verdict, { text: EVIL, advice: [EVIL], limit: EVIL, cause: EVIL });
      d.timeline.forEach((i) => Object.assign(i, { limit: EVIL, cause: EVIL }));
      d.limits.forEach((s) => Object.assign(s, { limit: EVIL, cause: EVIL }));
    }
    const file = join(scratch, "evil.json");
    writeFileSync(file, JSON.stringify(json));
    page = await open(report(file));
    assert.equal(await page.locator(".verdict").textContent(), EVIL);
    assert.equal(await page.locator("img, main script").count(), 0);
    await page.close();
  },

  async "a long capture says how much a point stands for, and how to see its packets"() {
    const url = report(corpus("send-buffer-16k-20ms.sender.pcap.gz"));
    const html = url.replace("file://", "");
    const page = await open(url);
    await page.locator("#chart-rate canvas").waitFor();
    assert.equal(await page.locator(".command").count(), 0, "a short one is whole");
    await page.close();
    writeFileSync(html, glanced(readFileSync(html, "utf8")));
    const long = await open(url);
    // The glance is what is seen first, and not for long.
    await long.getByText("stands for up to 4 packets").waitFor();
    const command = long.locator(".command");
    await command.waitFor();
    assert.match(await long.locator(".notice").innerText(), /stands for up to 4 packets/);
    const whole = await command.innerText();
    await changes(long, () => long.keyboard.press("+").then(() => long.locator("#chart-sequence .plot").press("+")));
    assert.notEqual(await command.innerText(), whole, "of what is in sight");
    // What it says can be run as it is, and shows packets of that stretch.
    const args = (await command.innerText()).replace("packets.html", "-");
    const stretch = execFileSync("bash", ["-c", args.replace(/^tcpwhy/, '"$0"'), tcpwhy], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
    assert.match(String(stretch), /id="picture-1-0"/);
    await long.close();
  },

  async "many files do not push the answer off the screen"() {
    const names = ["send-buffer-16k-20ms", "receive-buffer-8k-40ms", "chatty-50x-20ms", "syn-retry-20ms", "keep-alive-20ms"];
    const page = await open(report(...names.map((name) => corpus(`${name}.sender.pcap.gz`))));
    assert.match(await page.locator("header").innerText(), /send-buffer-16k-20ms.sender.pcap.gz and 4 more/);
    await page.getByText("All files").click();
    assert.equal(await page.locator("footer details li", { hasText: ".pcap.gz" }).count(), 5);
    await page.close();
  },

  async "ten thousand connections scroll, sort and are found"() {
    const one = JSON.parse(execFileSync(tcpwhy, [corpus("send-buffer-16k-20ms.sender.pcap.gz"), "--json"], { maxBuffer: 1 << 28 }));
    const connections = Array.from({ length: 10_000 }, (_, id) => {
      const c = structuredClone({ ...one.connections[0], id });
      c.client.port = 10_000 + id;
      c.directions.forEach((d) => { d.timeline = d.timeline.slice(0, 1); });
      return c;
    });
    const json = join(scratch, "many.json");
    writeFileSync(json, JSON.stringify({ ...one, connections }));
    const page = await open(report(json));
    const pane = page.locator(".pane");
    await page.locator(".row").first().waitFor();
    assert.ok((await page.locator(".row").count()) < 60, "only rows in sight exist");
    await pane.evaluate((e) => { e.scrollTop = e.scrollHeight; });
    await page.locator(".row", { hasText: "#9999 " }).click();
    assert.match(await page.locator("h2", { hasText: "#9999" }).innerText(), /:19999/);
    assert.ok(await pane.evaluate((e) => e.scrollTop > 500_000), "the list stays where it was");
    await page.keyboard.press("ArrowUp");
    await page.locator("h2", { hasText: "#9998 " }).waitFor();
    await page.getByRole("searchbox").fill("12345");
    assert.equal(await page.locator(".row").count(), 1);
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByText("No connection matches").waitFor();
    await page.close();
  },

  async "data that is cut short is said so"() {
    const url = report(corpus("send-buffer-16k-20ms.sender.pcap.gz"));
    const file = url.replace("file://", "");
    writeFileSync(file, readFileSync(file, "utf8").replace(/(id="analysis-1">[^<]{40})[^<]*/, "$1"));
    const page = await open(url);
    await page.getByText("cannot be read: it is cut short or damaged").waitFor();
    await page.close();
    // Without the packets there is the answer, at least.
    const other = report(corpus("send-buffer-16k-20ms.sender.pcap.gz"), "--lang", "zh").replace("file://", "");
    writeFileSync(other, readFileSync(other, "utf8").replace(/(id="picture-1-0">[^<]{40})[^<]*/, "$1"));
    const rest = await open(`file://${other}`);
    await rest.getByText("无法读取本页数据：数据被截断或已损坏").waitFor();
    assert.match(await rest.locator(".verdict").innerText(), /发送缓冲区/);
    await rest.close();
  },

  ...redrawn,
};

try {
  for (const [name, test] of Object.entries(tests)) {
    await test();
    assert.deepEqual(wrong, [], name);
    console.log(`ok: ${name}`);
  }
  console.log("the page works in a browser");
} finally {
  await close();
}

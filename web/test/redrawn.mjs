// What a page that is drawn anew leaves behind of what it showed before: nothing.
import assert from "node:assert/strict";
import { browser, changes, charts, corpus, open, report } from "./reports.mjs";

const reader = { viewport: { width: 1280, height: 900 }, locale: "en-US" };

export const redrawn = {
  async "charts that were drawn anew are let go"() {
    const context = await browser.newContext(reader);
    // uPlot keeps each of its charts, and one listener on the window for each: those can be counted.
    await context.addInitScript(() => {
      window.listeners = 0;
      const counted = (name, by) => {
        const real = window[name].bind(window);
        window[name] = (kind, ...rest) => {
          if (kind === "dppxchange") window.listeners += by;
          real(kind, ...rest);
        };
      };
      counted("addEventListener", 1);
      counted("removeEventListener", -1);
    });
    const page = await open(report(corpus("random-loss-3pct-40ms.sender.pcap.gz")), context);
    const first = await page.locator("#chart-rate canvas").waitFor().then(() => page.evaluate(() => window.listeners));
    assert.ok(first >= await charts(page), `each chart listens: ${first}`);
    for (const language of ["zh", "en", "zh", "en"]) {
      const before = await page.locator("#chart-rate").elementHandle();
      await page.selectOption("#language", language);
      await before.waitForElementState("hidden");
      await page.locator("#chart-rate canvas").waitFor();
    }
    assert.equal(await page.evaluate(() => window.listeners), first);
    await context.close();
  },

  async "keys are those of what is shown, though something else was on its way"() {
    const context = await browser.newContext(reader);
    // The test holds up what the page unpacks, for as long as it wants.
    await context.addInitScript(() => {
      const read = Response.prototype.arrayBuffer;
      Object.assign(window, { held: undefined, pending: 0 });
      Response.prototype.arrayBuffer = async function () {
        const { held } = window;
        window.pending++;
        const bytes = await read.call(this);
        await held;
        window.pending--;
        return bytes;
      };
    });
    const [sender, receiver] = ["sender", "receiver"].map((end) => corpus(`send-buffer-16k-20ms.${end}.pcap.gz`));
    const page = await open(report(sender, "--compare", receiver), context);
    await page.locator("#chart-rate-2 canvas").waitFor();
    await page.evaluate(() => {
      const compare = (index) => {
        const select = document.getElementById("compare");
        select.selectedIndex = index;
        select.dispatchEvent(new Event("change"));
      };
      window.held = new Promise((free) => { window.free = free; });
      compare(1);
      window.held = undefined;
      compare(0);
    });
    await page.locator("#chart-rate-2").waitFor({ state: "detached" });
    await page.locator("#chart-rate canvas").waitFor();
    await page.evaluate(() => window.free());
    await page.waitForFunction(() => window.pending === 0);
    await changes(page, () => page.keyboard.press("+"));
    await context.close();
  },
};

// What axe-core finds wrong for those who do not see, or do not use a mouse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** No violation of WCAG A and AA, nor of good practice; `what` is looked at, for people. */
export async function accessible(page, what) {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => window.axe.run());
  const told = violations.map((v) => `${v.impact}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(" | ")}`);
  assert.deepEqual(told, [], what);
  assert.ok(passes.length > 15, `${what}: axe looked at ${passes.length} things only`);
}

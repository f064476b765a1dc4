// The timeline band: one colour a limit. Hover tells the evidence, a click zooms every chart.
import type { Connection, Direction, Interval } from "./analysis";
import type { Axis } from "./axis";
import { el } from "./dom";
import * as format from "./format";
import { background, look } from "./limits";
import { causeName, limitName, say } from "./words";

export function band(axis: Axis, c: Connection, d: Direction): HTMLElement {
  const strip = el("div", { class: "band", role: "list", "aria-label": say("timeline") });
  const told = el("output", { class: "evidence" });
  const draw = () => {
    const parts = d.timeline.map((i) => part(axis, c, i, told)).filter((p) => p !== undefined);
    strip.replaceChildren(...parts);
  };
  axis.ranged(() => strip.isConnected && draw());
  draw();
  return el("section", { class: "timeline" }, el("h3", {}, say("timeline")), strip, told, el("p", { class: "help" }, say("shares_help")));
}

/** One interval, as far as it is in sight. */
function part(axis: Axis, c: Connection, i: Interval, told: HTMLElement): HTMLElement | undefined {
  const [from, to] = [i.from_ns - c.start_ns, i.to_ns - c.start_ns];
  const left = (Math.max(from, axis.from) - axis.from) / axis.span;
  const right = (Math.min(to, axis.to) - axis.from) / axis.span;
  // Less than half a pixel of the widest page.
  if (right - left < 0.0002) return undefined;
  const name = limitName(i.limit);
  const text = `${name}${i.cause ? ` (${causeName(i.cause)})` : ""}: ${format.span(to - from)}, ${evidence(i)}`;
  const tell = () => { told.textContent = text; };
  return el("button", {
    class: "part", role: "listitem", type: "button", title: text, "aria-label": text,
    style: `left:${left * 100}%;width:${(right - left) * 100}%;background:${background(i.limit)};color:${look(i.limit).ink}`,
    mouseenter: tell, focus: tell, click: () => axis.show(from - (to - from) * 0.05, to + (to - from) * 0.05),
  }, right - left > 0.09 && name);
}

export function evidence(i: Interval): string {
  const e = i.evidence;
  const text = say("evidence", {
    flight: format.buffer(e.flight_bytes), window: format.buffer(e.window_bytes), rtt: format.span(e.rtt_min_ns),
    rate: format.rate(e.rate_bps), stalls: e.stalls, longest: format.span(e.longest_stall_ns),
    first: i.first_frame, last: i.last_frame,
  });
  return `${say("confidence", { percent: format.percent(i.confidence) })}; ${text}`;
}

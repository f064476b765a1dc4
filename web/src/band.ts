// The timeline band: one colour a limit. Hover tells the evidence, a click zooms every chart.
import { intervalAt, type Connection, type Direction, type Interval } from "./analysis";
import type { Axis } from "./axis";
import { el } from "./dom";
import * as format from "./format";
import { background, look } from "./limits";
import { causeName, limitName, say } from "./words";

/** Part of the width from which an interval is a button of its own; what is narrower is painted only, and told by the pointer. */
const NARROW = 0.004;
/** Part of the width from which the tabulator stops at it: a timeline of many intervals must not hold the keyboard up. */
const STOP = 0.02;

export function band(axis: Axis, c: Connection, d: Direction): HTMLElement {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const parts = el("div", { role: "list", "aria-label": say("timeline") });
  const strip = el("div", { class: "band" }, canvas, parts);
  const told = el("output", { class: "evidence" });
  const zoom = ([from, to]: [number, number]) => axis.show(from - (to - from) * 0.05, to + (to - from) * 0.05);
  const under = (e: MouseEvent) => {
    const box = strip.getBoundingClientRect();
    return intervalAt(c, d, axis.from + ((e.clientX - box.left) / box.width) * axis.span);
  };
  const tell = (i: Interval | undefined) => { if (i) told.textContent = text(c, i); };
  strip.addEventListener("mousemove", (e) => tell(under(e)));
  strip.addEventListener("click", (e) => {
    const i = under(e);
    // A click of the keyboard is the button's own.
    if (i && e.detail > 0) zoom(ends(c, i));
  });
  // Before anybody points at anything, and on paper: what held longest.
  tell(d.timeline.reduce<Interval | undefined>((most, i) => (most && lasting(most) >= lasting(i) ? most : i), undefined));
  const draw = () => {
    const shown = d.timeline.filter((i) => ends(c, i)[1] > axis.from && ends(c, i)[0] < axis.to);
    paint(canvas, axis, c, shown);
    parts.replaceChildren(...shown.flatMap((i) => part(axis, c, i, tell, zoom)));
  };
  axis.ranged(strip, draw);
  axis.pointed(strip, () => { if (axis.cursor !== null) tell(intervalAt(c, d, axis.cursor)); });
  new ResizeObserver(draw).observe(strip);
  strip.addEventListener("fit", draw);
  return el("section", { class: "timeline" }, el("h3", {}, say("timeline")), strip, legend(d), told, el("p", { class: "help" }, say("shares_help"), el("span", { class: "hint" }, say("shares_hint"))));
}

/** The colours of what is in it, most of the time first. */
function legend(d: Direction): HTMLElement {
  const limits = [...new Set(d.limits.map((s) => s.limit))];
  return el("p", { class: "legend" }, ...limits.map((limit) =>
    el("span", {}, el("i", { class: "box", style: `background:${background(limit)}` }), limitName(limit))));
}

const lasting = (i: Interval): number => i.to_ns - i.from_ns;
const ends = (c: Connection, i: Interval): [number, number] => [i.from_ns - c.start_ns, i.to_ns - c.start_ns];

/** All of them, the longest last: a long one is never hidden by a short one in its column of pixels. */
function paint(canvas: HTMLCanvasElement, axis: Axis, c: Connection, shown: Interval[]): void {
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  const ctx = canvas.getContext("2d")!;
  for (const i of [...shown].sort((a, b) => lasting(a) - lasting(b))) {
    const [left, right] = ends(c, i).map((t) => ((t - axis.from) / axis.span) * canvas.width) as [number, number];
    ctx.fillStyle = look(i.limit).colour;
    ctx.fillRect(left, 0, Math.max(right - left, ratio), canvas.height);
  }
}

/** One interval as a button, if it is wide enough for a finger or an eye. */
function part(axis: Axis, c: Connection, i: Interval, tell: (i: Interval) => void, zoom: (to: [number, number]) => void): HTMLElement[] {
  const [from, to] = ends(c, i);
  const left = (Math.max(from, axis.from) - axis.from) / axis.span;
  const right = (Math.min(to, axis.to) - axis.from) / axis.span;
  if (right - left < NARROW) return [];
  const button = el("button", {
    class: "part", type: "button", "aria-label": text(c, i), tabindex: right - left < STOP ? -1 : 0,
    style: `left:${left * 100}%;width:${(right - left) * 100}%;background:${background(i.limit)};color:${look(i.limit).ink}`,
    focus: () => tell(i), click: (e) => { if ((e as MouseEvent).detail === 0) zoom([from, to]); },
  }, right - left > 0.09 && el("span", { style: `background:${look(i.limit).colour}` }, limitName(i.limit)));
  return [el("span", { role: "listitem" }, button)];
}

function text(c: Connection, i: Interval): string {
  const [from, to] = ends(c, i);
  const limit = i.cause ? say("with_cause", { limit: limitName(i.limit), cause: causeName(i.cause) }) : limitName(i.limit);
  return say("interval", { limit, time: format.span(to - from), confidence: format.percent(i.confidence), evidence: evidence(i) });
}

function evidence(i: Interval): string {
  const e = i.evidence;
  return say("evidence", {
    flight: format.buffer(e.flight_bytes), window: format.buffer(e.window_bytes), rtt: e.rtt_min_ns > 0 ? format.span(e.rtt_min_ns) : "-",
    rate: format.rate(e.rate_bps), stalls: e.stalls, longest: format.span(e.longest_stall_ns),
    first: i.first_frame, last: i.last_frame,
  });
}

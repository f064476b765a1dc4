// One chart: uPlot draws axes, cursor and selection; what is in it is painted by us, on the shared time axis.
import uPlot from "uplot";
import type { Axis } from "./axis";
import { el } from "./dom";
import { ticks, timeTicks, type Show } from "./format";
import type { Plane } from "./paint";
import { say } from "./words";
import type { Key } from "./words/en";

/** What a chart shows. */
export interface Picture {
  name: "sequence" | "flight" | "window" | "rtt" | "rate" | "sockets";
  /** Lowest and highest value between two times. */
  extent: (from: number, to: number) => [number, number];
  paint: (plane: Plane, colours: Colours) => void;
  /** Values with their unit. */
  show: Show;
  /** Ticks at powers of two, as sizes of buffers are. */
  binary?: boolean;
  /** The legend: of what there is. */
  keys: { key: Key; colour: keyof Colours; dashed?: boolean; faint?: boolean; of?: { length: number } }[];
  /** What symbols mean, of those that are there. */
  symbols?: [symbol: string, key: Key][];
  /** What to say of a moment. */
  at: (time: number) => string;
}

/** Inks for the page's light or dark ground. */
export interface Colours {
  ink: string;
  grid: string;
  data: string;
  resent: string;
  acks: string;
  edge: string;
  sacks: string;
  buffer: string;
  cwnd: string;
  fill: string;
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink-soft"), grid: of("grid"), data: of("data"), resent: of("resent"), acks: of("acks"), edge: of("edge"),
    sacks: of("sacks"), buffer: of("buffer"), cwnd: of("cwnd"), fill: of("fill"),
  };
}

/** Inks whose name in the style is another one. */
const VARIABLE: Partial<Record<keyof Colours, string>> = { ink: "ink-soft" };
const BINARY = Array.from({ length: 45 }, (_, i) => 2 ** i);
const HEIGHT: Record<Picture["name"], number> = { sequence: 320, flight: 240, window: 150, rtt: 150, rate: 170, sockets: 220 };

/** How a chart is placed and used. */
export interface Setting {
  /** Tells two charts of one kind apart. */
  suffix: string;
  /** Which capture, where there are two. */
  title: string;
  /** A click on a moment. */
  click: (time: number) => void;
}

/** How to end each chart. uPlot holds every one, with all that it shows, until it is told that it is over. */
const mounted = new Map<HTMLElement, () => void>();

/** Ends the charts that are not on the page any more. */
export function sweep(): void {
  for (const [plot, end] of mounted) {
    if (plot.isConnected) continue;
    end();
    mounted.delete(plot);
  }
}

/** The chart with its title, legend and the line that says how to read it. */
export function chart(axis: Axis, picture: Picture, setting: Setting): HTMLElement {
  const plot = el("div", { class: "plot", tabindex: 0, role: "img" });
  const readout = el("output", { class: "readout" });
  const section = el("section", { class: "chart", id: `chart-${picture.name}${setting.suffix}` },
    el("h3", {}, say(`chart_${picture.name}` as Key), setting.title && el("span", { class: "soft" }, ` ${setting.title}`)),
    legend(picture), readout, plot, el("p", { class: "help" }, say(`chart_${picture.name}_help` as Key)));
  // uPlot measures its place: it must be on the page first.
  queueMicrotask(() => mount(axis, picture, plot, readout, setting.click));
  return section;
}

function legend(picture: Picture): HTMLElement {
  const entry = ({ key, colour, dashed, faint }: Picture["keys"][number]) =>
    el("span", {}, el("i", { class: `swatch ${dashed ? "dashed" : ""} ${faint ? "faint" : ""}`, style: `--swatch:var(--${VARIABLE[colour] ?? colour})` }), say(key));
  const symbol = ([sign, key]: [string, Key]) => el("span", {}, el("b", { class: "symbol" }, sign), say(key));
  return el("p", { class: "legend" }, ...picture.keys.filter((k) => k.of?.length !== 0).map(entry), ...(picture.symbols ?? []).map(symbol));
}

function mount(axis: Axis, picture: Picture, plot: HTMLElement, readout: HTMLElement, click: (time: number) => void): void {
  const u = new uPlot(options(axis, picture, plot), [[axis.from, axis.to], [null, null]], plot);
  const redraw = () => {
    u.setScale("x", { min: axis.from, max: axis.to });
    describe(axis, picture, plot);
  };
  axis.ranged(plot, () => {
    redraw();
    // The pointer stands still, and means another moment now.
    if (u.over.matches(":hover") && (u.cursor.left ?? -1) >= 0) axis.point(u.posToVal(u.cursor.left!, "x"));
  });
  axis.pointed(plot, () => {
    const left = axis.cursor === null ? -10 : u.valToPos(axis.cursor, "x");
    if (Math.abs((u.cursor.left ?? -10) - left) > 0.5) u.setCursor({ left, top: 10 }, false);
    readout.textContent = axis.cursor === null ? "" : picture.at(axis.cursor);
  });
  const fit = () => u.setSize(size(plot, picture));
  const resized = new ResizeObserver(fit);
  resized.observe(plot);
  mounted.set(plot, () => { resized.disconnect(); u.destroy(); });
  plot.addEventListener("fit", () => { fit(); u.redraw(); });
  gestures(axis, u, click);
  redraw();
}

function options(axis: Axis, picture: Picture, plot: HTMLElement): uPlot.Options {
  // Asked at each drawing: paper is light where the screen is dark.
  const [ink, grid] = [() => colours().ink, () => colours().grid];
  const line = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  return {
    ...size(plot, picture),
    legend: { show: false },
    scales: {
      x: { time: false, min: axis.from, max: axis.to },
      y: { range: () => room(picture.extent(axis.from, axis.to)) },
    },
    series: [{}, { show: true, paths: () => null, points: { show: false } }],
    axes: [
      { ...line, values: (_, values) => timeTicks(values), space: 80, size: 34 },
      { ...line, values: (_, values) => ticks(values, picture.show), size: 76, ...(picture.binary ? { incrs: BINARY } : {}) },
    ],
    cursor: { y: false, points: { show: false }, bind: { dblclick: () => null }, drag: { x: true, y: false, setScale: false } },
    hooks: {
      drawSeries: [(u, index) => index === 1 && painted(u, axis, picture)],
      setSelect: [(u) => {
        if (u.select.width < 4) return;
        axis.show(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
      setCursor: [(u) => {
        const left = u.cursor.left ?? -1;
        // Only the chart under the pointer speaks; the others follow.
        if (u.over.matches(":hover")) axis.point(left < 0 ? null : u.posToVal(left, "x"));
      }],
    },
  };
}

function size(plot: HTMLElement, picture: Picture): { width: number; height: number } {
  return { width: Math.max(260, plot.clientWidth), height: HEIGHT[picture.name] };
}

/** A little air above, and below where the lowest value is not zero. */
function room([low, high]: [number, number]): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const air = Math.max((high - low) * 0.05, high * 1e-6, 1);
  return [low === 0 ? 0 : low - air, high + air];
}

function painted(u: uPlot, axis: Axis, picture: Picture): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  // A straight line in both scales: two points give it, and no call a point is needed.
  const x0 = u.valToPos(axis.from, "x", true);
  const xs = (u.valToPos(axis.to, "x", true) - x0) / axis.span;
  const y0 = u.valToPos(0, "y", true);
  const ys = u.valToPos(1, "y", true) - y0;
  const scale = u.scales["y"]!;
  const exact = scale.max! - scale.min! > 1e6;
  const slope = exact ? (u.valToPos(scale.max!, "y", true) - u.valToPos(scale.min!, "y", true)) / (scale.max! - scale.min!) : ys;
  const base = exact ? u.valToPos(scale.min!, "y", true) - slope * scale.min! : y0;
  const plane: Plane = {
    ctx, left: bbox.left, top: bbox.top, width: bbox.width, height: bbox.height,
    x: (t) => x0 + (t - axis.from) * xs, time: (x) => axis.from + (x - x0) / xs, y: (v) => base + v * slope,
    from: axis.from, to: axis.to, end: axis.end, ratio: uPlot.pxRatio,
  };
  picture.paint(plane, colours());
  ctx.restore();
}

function describe(axis: Axis, picture: Picture, plot: HTMLElement): void {
  const [, high] = picture.extent(axis.from, axis.to);
  const [from, to] = timeTicks([axis.from, axis.to]);
  plot.setAttribute("aria-label", say("chart_described", {
    chart: say(`chart_${picture.name}` as Key), from: from!, to: to!,
    high: Number.isFinite(high) ? picture.show(high) : "-", help: say(`chart_${picture.name}_help` as Key),
  }));
}

/** Wheel and pinch zoom at the pointer, a click on it; shift and drag, or a sideways wheel, move. */
function gestures(axis: Axis, u: uPlot, click: (time: number) => void): void {
  const { over } = u;
  let pressed = 0;
  const time = (e: { clientX: number }) => u.posToVal(e.clientX - over.getBoundingClientRect().left, "x");
  over.addEventListener("wheel", (e) => {
    e.preventDefault();
    if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) axis.pan(Math.sign(e.deltaX || e.deltaY) * 0.1);
    else axis.zoom(Math.exp(Math.max(-50, Math.min(50, e.deltaY)) * 0.006), time(e));
  }, { passive: false });
  // A drag ends with a click, too.
  over.addEventListener("click", (e) => { if (!e.shiftKey && Math.abs(e.clientX - pressed) < 4) click(time(e)); });
  over.addEventListener("mousedown", (e) => {
    pressed = e.clientX;
    if (!e.shiftKey) return;
    e.stopImmediatePropagation();
    const held = time(e);
    const move = (m: MouseEvent) => {
      const by = held - time(m);
      axis.show(axis.from + by, axis.to + by);
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", () => removeEventListener("mousemove", move), { once: true });
  }, { capture: true });
  pinch(axis, over, time);
}

function pinch(axis: Axis, over: HTMLElement, time: (e: { clientX: number }) => number): void {
  let before: [number, number] | null = null;
  let held: number | null = null;
  over.addEventListener("touchstart", (e) => {
    before = e.touches.length === 2 ? pair(e, time) : null;
    held = e.touches.length === 1 ? time(e.touches[0]!) : null;
  }, { passive: true });
  over.addEventListener("touchmove", (e) => {
    // One finger sideways moves; up and down it scrolls the page, which is the browser's (touch-action).
    if (e.touches.length === 1 && held !== null) {
      const by = held - time(e.touches[0]!);
      axis.show(axis.from + by, axis.to + by);
    }
    if (e.touches.length !== 2 || !before) return;
    e.preventDefault();
    const now = pair(e, time);
    const factor = (before[1] - before[0]) / Math.max(1, now[1] - now[0]);
    axis.zoom(factor, (now[0] + now[1]) / 2);
  }, { passive: false });
}

function pair(e: TouchEvent, time: (e: { clientX: number }) => number): [number, number] {
  const [a, b] = [time(e.touches[0]!), time(e.touches[1]!)];
  return a < b ? [a, b] : [b, a];
}

// Painting series that are longer than the chart is wide: one vertical stroke from the lowest to the highest value a pixel column.
import type { Series } from "./columns";
import { range } from "./ranges";

/** Where times and values land on the canvas. */
export interface Plane {
  ctx: CanvasRenderingContext2D;
  left: number;
  top: number;
  width: number;
  height: number;
  x: (time: number) => number;
  /** The other way round. */
  time: (x: number) => number;
  y: (value: number) => number;
  from: number;
  to: number;
  /** Where the connection ends: values hold until then. */
  end: number;
  /** Device pixels a CSS pixel. */
  ratio: number;
}

/** The points that touch a span of time: [first, last). One more on each side, so that lines enter and leave. */
export function visible(s: Series, from: number, to: number): [number, number] {
  const first = Math.max(0, search(s.from, s.length, from) - 1);
  return [first, Math.min(s.length, search(s.from, s.length, to) + 1)];
}

/** The first index whose value is not below `value`. */
export function search(sorted: Float64Array, length: number, value: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The lowest and the highest value in a span of time. */
export function extent(s: Series, from: number, to: number): [number, number] {
  return range(s, ...visible(s, from, to));
}

/** The same of what begins in that span, and of what holds at its beginning where `held`: no neighbour counts that is out of sight. */
export function inside(s: Series, from: number, to: number, held: boolean): [number, number] {
  const first = search(s.from, s.length, from);
  return range(s, held ? Math.max(0, first - 1) : first, search(s.from, s.length, to));
}

/** What is in one column of pixels: points [first, last). */
type Column = (x: number, first: number, last: number, low: number, high: number) => void;

/** Points a pixel above which it is quicker to look for the next column's first point than to pass by all of this one's. */
const CROWDED = 4;

/** Every column of pixels that points begin in, from left to right. */
function columns(p: Plane, s: Series, column: Column): void {
  const [first, last] = visible(s, p.from, p.to);
  const crowded = last - first > CROWDED * p.width;
  for (let i = first; i < last; ) {
    const x = Math.round(p.x(s.from[i]!));
    let end = i + 1;
    if (crowded) end = Math.min(last, Math.max(end, search(s.from, s.length, p.time(x + 0.5))));
    else while (end < last && Math.round(p.x(s.from[end]!)) === x) end++;
    const [low, high] = end === i + 1 ? [s.low[i]!, s.high[i]!] : range(s, i, end);
    column(x, i, end, low, high);
    i = end;
  }
}

/** Segments: each point is a bar from its low to its high value. */
export function bars(p: Plane, s: Series, colour: string, thickness = 2): void {
  const { ctx } = p;
  ctx.fillStyle = colour;
  const wide = thickness * p.ratio;
  columns(p, s, (x, _, last, low, high) => {
    const top = p.y(high);
    ctx.fillRect(x - wide / 2, top, Math.max(wide, p.x(s.to[last - 1]!) - x), Math.max(wide, p.y(low) - top));
  });
}

/** A value that holds until the next one, the last one to the end: a staircase. */
export function stairs(p: Plane, s: Series, colour: string, options: { width?: number; dash?: number[]; fill?: string } = {}): void {
  const { ctx } = p;
  const [first, last] = visible(s, p.from, p.to);
  if (first >= last) return;
  ctx.beginPath();
  let previous = p.y(s.high[first]!);
  ctx.moveTo(p.x(s.from[first]!), previous);
  columns(p, s, (x, _, end, low, high) => {
    ctx.lineTo(x, previous);
    if (high > low) {
      ctx.lineTo(x, p.y(low));
      ctx.lineTo(x, p.y(high));
    }
    ctx.lineTo(x, (previous = p.y(s.high[end - 1]!)));
  });
  const right = Math.max(p.x(s.from[first]!), Math.min(p.left + p.width, p.x(Math.max(s.to[last - 1]!, last === s.length ? p.end : p.to))));
  ctx.lineTo(right, previous);
  ctx.setLineDash((options.dash ?? []).map((d) => d * p.ratio));
  ctx.lineWidth = (options.width ?? 1.5) * p.ratio;
  ctx.strokeStyle = colour;
  ctx.stroke();
  ctx.setLineDash([]);
  if (options.fill) {
    ctx.lineTo(right, p.y(0));
    ctx.lineTo(p.x(s.from[first]!), p.y(0));
    ctx.fillStyle = options.fill;
    ctx.fill();
  }
}

/** Single measurements. */
export function dots(p: Plane, s: Series, colour: string, size = 3): void {
  const { ctx } = p;
  ctx.fillStyle = colour;
  const side = size * p.ratio;
  columns(p, s, (x, _, __, low, high) => {
    const top = p.y(high);
    ctx.fillRect(x - side / 2, top - side / 2, side, p.y(low) - top + side);
  });
}

/** What single measurements are above a level, faintly. */
export function stems(p: Plane, s: Series, base: number, colour: string): void {
  const { ctx } = p;
  const [bottom, wide] = [p.y(base), 3 * p.ratio];
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.3;
  // One shape: neighbours that overlap are no darker.
  ctx.beginPath();
  columns(p, s, (x, _, __, ___, high) => { if (high > base) ctx.rect(x - wide / 2, p.y(high), wide, bottom - p.y(high)); });
  ctx.fill();
  ctx.globalAlpha = 1;
}

/** Whether there are few enough points in sight for their frame numbers to be read. */
export function numbered(p: Plane, s: Series): boolean {
  return s.samplesPerPoint === 1 && search(s.from, s.length, p.to) - search(s.from, s.length, p.from) <= MOST_NUMBERS;
}

/** Frame numbers beside their points. */
export function frames(p: Plane, s: Series, colour: string): void {
  const { ctx } = p;
  const first = search(s.from, s.length, p.from);
  const last = search(s.from, s.length, p.to);
  ctx.fillStyle = colour;
  ctx.font = `${10.5 * p.ratio}px system-ui, sans-serif`;
  ctx.textAlign = "right";
  let [left, above] = [-Infinity, Infinity];
  for (let i = first; i < last; i++) {
    const [x, y] = [p.x(s.from[i]!) - 5 * p.ratio, p.y((s.low[i]! + s.high[i]!) / 2)];
    const text = String(s.frame[i]!);
    // A number is read where it has a line, or a piece of one, for itself, and is not cut.
    if (x - text.length * 6.5 * p.ratio < p.left) continue;
    if (Math.abs(above - y) < 11 * p.ratio && x - left < (text.length + 1) * 6.5 * p.ratio) continue;
    ctx.fillText(text, x, y + 4 * p.ratio);
    [left, above] = [x, y];
  }
}

/** More numbers than this cover what they belong to. */
const MOST_NUMBERS = 60;

/** Names of values of which some are above what is in sight, with the lowest and the highest of these, so that nobody looks for their lines. */
export function higher(p: Plane, told: [text: string, s: Series, colour: string][], show: (value: number) => string): void {
  const { ctx } = p;
  ctx.font = `${11 * p.ratio}px system-ui, sans-serif`;
  ctx.textAlign = "right";
  let y = p.top + 12 * p.ratio;
  for (const [text, s, colour] of told) {
    const [lowest, highest] = range(s, ...visible(s, p.from, p.to));
    const above = [lowest, highest].filter((value) => Number.isFinite(value) && p.y(value) < p.top);
    if (above.length === 0) continue;
    const values = [...new Set(above.map(show))].join(" – ");
    const [label, right] = [`↑ ${text} ${values}`, p.left + p.width - 6 * p.ratio];
    const wide = ctx.measureText(label).width + 6 * p.ratio;
    ctx.clearRect(right - wide, y - 11 * p.ratio, wide + 3 * p.ratio, 14 * p.ratio);
    ctx.fillStyle = colour;
    ctx.fillText(label, right, y);
    y += 14 * p.ratio;
  }
}

/** A level that holds for a while. */
export function level(p: Plane, from: number, to: number, value: number, colour: string): void {
  const { ctx } = p;
  const y = p.y(value);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2.5 * p.ratio;
  ctx.beginPath();
  ctx.moveTo(Math.max(p.left, p.x(from)), y);
  ctx.lineTo(Math.min(p.left + p.width, p.x(to)), y);
  ctx.stroke();
}

// Painting series that are longer than the chart is wide: one vertical stroke from the lowest to the highest value a pixel column.
import type { Series } from "./columns";

/** Where times and values land on the canvas. */
export interface Plane {
  ctx: CanvasRenderingContext2D;
  left: number;
  top: number;
  width: number;
  height: number;
  x: (time: number) => number;
  y: (value: number) => number;
  from: number;
  to: number;
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
  let [low, high] = [Infinity, -Infinity];
  const [first, last] = visible(s, from, to);
  for (let i = first; i < last; i++) {
    if (s.low[i]! < low) low = s.low[i]!;
    if (s.high[i]! > high) high = s.high[i]!;
  }
  return [low, high];
}

/** Segments: each point is a bar from its low to its high value. */
export function bars(p: Plane, s: Series, colour: string, thickness = 2): void {
  const { ctx } = p;
  ctx.fillStyle = colour;
  const wide = thickness * p.ratio;
  const [first, last] = visible(s, p.from, p.to);
  for (let i = first; i < last; ) {
    const x = Math.round(p.x(s.from[i]!));
    let [low, high, end] = [s.low[i]!, s.high[i]!, s.to[i]!];
    for (i++; i < last && Math.round(p.x(s.from[i]!)) === x; i++) {
      low = Math.min(low, s.low[i]!);
      high = Math.max(high, s.high[i]!);
      end = Math.max(end, s.to[i]!);
    }
    const top = p.y(high);
    ctx.fillRect(x - wide / 2, top, Math.max(wide, p.x(end) - x), Math.max(wide, p.y(low) - top));
  }
}

/** A value that holds until the next one: a staircase. */
export function stairs(p: Plane, s: Series, colour: string, options: { width?: number; dash?: number[]; fill?: string } = {}): void {
  const { ctx } = p;
  const [first, last] = visible(s, p.from, p.to);
  if (first >= last) return;
  ctx.beginPath();
  let previous = p.y(s.high[first]!);
  ctx.moveTo(p.x(s.from[first]!), previous);
  for (let i = first; i < last; ) {
    const x = Math.round(p.x(s.from[i]!));
    let [low, high] = [s.low[i]!, s.high[i]!];
    let value = s.high[i]!;
    for (i++; i < last && Math.round(p.x(s.from[i]!)) === x; i++) {
      low = Math.min(low, s.low[i]!);
      high = Math.max(high, s.high[i]!);
      value = s.high[i]!;
    }
    ctx.lineTo(x, previous);
    ctx.lineTo(x, p.y(low));
    ctx.lineTo(x, p.y(high));
    ctx.lineTo(x, (previous = p.y(value)));
  }
  const end = Math.min(p.left + p.width, p.x(Math.max(s.to[last - 1]!, p.to)));
  if (last === s.length) ctx.lineTo(Math.min(end, p.x(s.to[last - 1]!)), previous);
  ctx.setLineDash((options.dash ?? []).map((d) => d * p.ratio));
  ctx.lineWidth = (options.width ?? 1.5) * p.ratio;
  ctx.strokeStyle = colour;
  ctx.stroke();
  ctx.setLineDash([]);
  if (options.fill) {
    ctx.lineTo(p.x(s.to[last - 1]!), p.y(0));
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
  const [first, last] = visible(s, p.from, p.to);
  for (let i = first; i < last; ) {
    const x = Math.round(p.x(s.from[i]!));
    let [low, high] = [s.low[i]!, s.high[i]!];
    for (i++; i < last && Math.round(p.x(s.from[i]!)) === x; i++) {
      low = Math.min(low, s.low[i]!);
      high = Math.max(high, s.high[i]!);
    }
    const top = p.y(high);
    ctx.fillRect(x - side / 2, top - side / 2, side, p.y(low) - top + side);
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

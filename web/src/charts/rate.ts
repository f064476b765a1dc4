// Throughput: bytes over time, in steps that fit the zoom but are never shorter than a round trip needs to mean something.
import type { Direction } from "../analysis";
import type { Picture } from "../chart";
import type { Series, Track } from "../columns";
import * as format from "../format";
import { search, stairs } from "../paint";

/** Steps across the chart. */
const STEPS = 160;

export function rate(track: Track, d: Direction): Picture {
  const least = Math.max(d.facts.rtt_floor_ns, 1e5);
  let known: { from: number; to: number; sent: Series; good: Series } | null = null;
  const steps = (from: number, to: number) => {
    if (known?.from !== from || known.to !== to) {
      const width = Math.max((to - from) / STEPS, least);
      const sent = binned(from, to, width, (a, b) => amount(track.data, a, b) + amount(track.resent, a, b));
      known = { from, to, sent, good: binned(from, to, width, (a, b) => acked(track.acks, b) - acked(track.acks, a)) };
    }
    return known;
  };
  return {
    name: "rate",
    extent: (from, to) => [0, Math.max(...steps(from, to).sent.high, ...steps(from, to).good.high, 1)],
    show: format.rate,
    keys: [{ key: "key_sent", colour: "data", dashed: true }, { key: "key_goodput", colour: "acks" }],
    paint: (plane, c) => {
      const { sent, good } = steps(plane.from, plane.to);
      stairs(plane, sent, c.data, { dash: [4, 3] });
      stairs(plane, good, c.acks, { fill: c.fill });
    },
    at: (time) => {
      if (!known) return "";
      const i = search(known.good.from, known.good.length, time) - 1;
      return i < 0 ? "" : format.rate(known.good.high[i]!);
    },
  };
}

function binned(from: number, to: number, width: number, bytes: (a: number, b: number) => number): Series {
  const start = Math.floor(from / width) * width;
  const length = Math.ceil((to - start) / width);
  const begin = Float64Array.from({ length }, (_, i) => start + i * width);
  const end = begin.map((b) => b + width);
  const high = begin.map((b) => (Math.max(0, bytes(b, b + width)) * 8e9) / width);
  return { length, samplesPerPoint: 1, from: begin, to: end, low: high, high, frame: begin };
}

/** Bytes of the segments that left between two times. */
function amount(s: Series, from: number, to: number): number {
  const before = sums(s);
  return before[search(s.from, s.length, to)]! - before[search(s.from, s.length, from)]!;
}

const SUMS = new WeakMap<Series, Float64Array>();

/** Bytes of all segments before each, made when first asked: a frame must not pass by every packet. */
function sums(s: Series): Float64Array {
  let known = SUMS.get(s);
  if (!known) {
    SUMS.set(s, (known = new Float64Array(s.length + 1)));
    for (let i = 0; i < s.length; i++) known[i + 1] = known[i]! + s.high[i]! - s.low[i]!;
  }
  return known;
}

/** Bytes acknowledged by a time. */
function acked(s: Series, time: number): number {
  const i = search(s.from, s.length, time) - 1;
  return i < 0 ? 0 : s.high[i]!;
}

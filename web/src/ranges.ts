// Lowest and highest value of any stretch of a series, however long: blocks of points, and blocks of blocks, made when first asked.
import type { Series } from "./columns";

/** Points a block, and blocks a larger one. */
const BLOCK = 64;

interface Level {
  low: Float64Array;
  high: Float64Array;
}

const LEVELS = new WeakMap<Series, Level[]>();

function levels(s: Series): Level[] {
  let known = LEVELS.get(s);
  if (!known) {
    known = [];
    let below: Level = s;
    while (below.low.length > BLOCK) known.push(below = coarser(below));
    LEVELS.set(s, known);
  }
  return known;
}

function coarser({ low, high }: Level): Level {
  const count = Math.ceil(low.length / BLOCK);
  const next = { low: new Float64Array(count).fill(Infinity), high: new Float64Array(count).fill(-Infinity) };
  for (let i = 0; i < low.length; i++) {
    const block = (i / BLOCK) | 0;
    if (low[i]! < next.low[block]!) next.low[block] = low[i]!;
    if (high[i]! > next.high[block]!) next.high[block] = high[i]!;
  }
  return next;
}

/** Over the points [first, last). */
export function range(s: Series, first: number, last: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  const over = (level: Level, from: number, to: number) => {
    for (let i = from; i < to; i++) {
      if (level.low[i]! < low) low = level.low[i]!;
      if (level.high[i]! > high) high = level.high[i]!;
    }
  };
  let level: Level = s;
  // The ends that fill no block are looked at as they are, what is between them a level up.
  for (const up of last - first > 2 * BLOCK ? levels(s) : []) {
    if (last - first <= 2 * BLOCK) break;
    const [begin, end] = [Math.ceil(first / BLOCK), Math.floor(last / BLOCK)];
    over(level, first, begin * BLOCK);
    over(level, end * BLOCK, last);
    [level, first, last] = [up, begin, end];
  }
  over(level, first, last);
  return [low, high];
}

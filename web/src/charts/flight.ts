// Bytes in flight under their three ceilings: the picture that tells the limit.
import type { Connection, Direction, LimitName } from "../analysis";
import type { Picture } from "../chart";
import type { Series, Track } from "../columns";
import * as format from "../format";
import { bars, extent, higher, search, stairs, visible } from "../paint";
import { range } from "../ranges";
import { say } from "../words";

/** `whole`: of all of the connection, of which `track` may be a stretch; ceilings are measured over intervals that are longer. */
export function flight(track: Track, whole: Track, c: Connection, d: Direction): Picture {
  const { buffer, cwnd } = ceilings(whole, c, d);
  return {
    name: "flight",
    extent: (from, to) => {
      const [, high] = extent(track.flight, from, to);
      const levels = [buffer, cwnd].map((s) => extent(s, from, to)[1]);
      // A window far above would press the flight flat: it is drawn as far as it is near enough to matter.
      const window = range(track.window, ...visible(track.window, from, to));
      const top = Math.max(high, ...levels);
      return [0, Math.max(top, ...window.filter((edge) => edge < top * 4))];
    },
    show: format.buffer,
    binary: true,
    keys: [
      { key: "key_flight", colour: "data" }, { key: "key_window", colour: "edge", dashed: true },
      { key: "key_buffer", colour: "buffer", of: buffer }, { key: "key_cwnd", colour: "cwnd", of: cwnd },
    ],
    paint: (plane, colours) => {
      stairs(plane, track.flight, colours.data, { fill: colours.fill });
      stairs(plane, track.window, colours.edge, { dash: [5, 3] });
      bars(plane, buffer, colours.buffer, 2.5);
      bars(plane, cwnd, colours.cwnd, 2.5);
      higher(plane, [[say("key_window"), track.window, colours.edge]], format.buffer);
    },
    at: (time) => {
      const i = search(track.flight.from, track.flight.length, time) - 1;
      return i < 0 ? "" : `${say("key_flight")} ${format.buffer(track.flight.high[i]!)}`;
    },
  };
}

interface Level {
  from: number;
  to: number;
  value: number;
}

/** Intervals with more rounds than this are measured in as many steps. */
const MOST_ROUNDS = 400;

/** The ceilings that no packet tells, where the flight leant against them: round by round, the most that was in flight. */
function ceilings(track: Track, c: Connection, d: Direction): { buffer: Series; cwnd: Series } {
  const rounds = (limit: LimitName) => d.timeline.filter((i) => i.limit === limit).map((i) => {
    const [from, to] = [i.from_ns - c.start_ns, i.to_ns - c.start_ns];
    const step = Math.max(d.facts.rtt_floor_ns, (to - from) / MOST_ROUNDS, 1000);
    const count = Math.max(1, Math.round((to - from) / step));
    return Array.from({ length: count }, (_, k): Level => {
      const [a, b] = [from + (k * (to - from)) / count, from + ((k + 1) * (to - from)) / count];
      return { from: a, to: b, value: Math.max(0, extent(track.flight, a, b)[1]) };
    });
  });
  // A buffer has one size, a congestion window changes every round.
  const buffer = rounds("send_buffer").map((levels) => {
    const sorted = levels.map((l) => l.value).sort((a, b) => a - b);
    return { from: levels[0]!.from, to: levels.at(-1)!.to, value: sorted[sorted.length >> 1]! };
  });
  return { buffer: series(buffer), cwnd: series(rounds("congestion_window").flat()) };
}

/** Levels in the order of time as a series: there may be more of them than pixels. */
function series(levels: Level[]): Series {
  const column = (of: (l: Level) => number) => Float64Array.from(levels, of);
  const value = column((l) => l.value);
  return { length: levels.length, samplesPerPoint: 1, from: column((l) => l.from), to: column((l) => l.to), low: value, high: value, frame: column(() => 0) };
}

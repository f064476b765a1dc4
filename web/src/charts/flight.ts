// Bytes in flight under their three ceilings: the picture that tells the limit.
import type { Connection, Direction, LimitName } from "../analysis";
import type { Picture } from "../chart";
import type { Track } from "../columns";
import * as format from "../format";
import { extent, level, search, stairs, visible } from "../paint";
import { say } from "../words";

export function flight(track: Track, c: Connection, d: Direction): Picture {
  const plateaus = (limit: LimitName) =>
    d.timeline.filter((i) => i.limit === limit && i.evidence.flight_bytes > 0)
      .map((i) => ({ from: i.from_ns - c.start_ns, to: i.to_ns - c.start_ns, value: i.evidence.flight_bytes }));
  const buffer = plateaus("send_buffer");
  const cwnd = plateaus("congestion_window");
  return {
    name: "flight",
    extent: (from, to) => {
      const [, high] = extent(track.flight, from, to);
      const levels = [...buffer, ...cwnd].filter((p) => p.from < to && p.to > from).map((p) => p.value);
      // A window far above would press the flight flat: it is drawn when it is near enough to matter.
      const window = lowest(track, from, to);
      const top = Math.max(high, ...levels);
      return [0, window < top * 4 ? Math.max(top, window) : top];
    },
    show: format.buffer,
    keys: [
      { key: "key_flight", colour: "data" }, { key: "key_window", colour: "edge", dashed: true },
      { key: "key_buffer", colour: "buffer" }, { key: "key_cwnd", colour: "cwnd" },
    ],
    paint: (plane, colours) => {
      stairs(plane, track.flight, colours.data, { fill: colours.fill });
      stairs(plane, track.window, colours.edge, { dash: [5, 3] });
      buffer.forEach((p) => level(plane, p.from, p.to, p.value, colours.buffer));
      cwnd.forEach((p) => level(plane, p.from, p.to, p.value, colours.cwnd));
    },
    at: (time) => {
      const i = search(track.flight.from, track.flight.length, time) - 1;
      return i < 0 ? "" : `${say("key_flight")} ${format.buffer(track.flight.high[i]!)}`;
    },
  };
}

/** The smallest window in a span of time. */
function lowest(track: Track, from: number, to: number): number {
  let low = Infinity;
  const [first, last] = visible(track.window, from, to);
  for (let i = first; i < last; i++) low = Math.min(low, track.window.high[i]!);
  return low;
}

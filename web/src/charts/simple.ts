// Charts of one series: window and round-trip time.
import type { Direction } from "../analysis";
import type { Picture } from "../chart";
import type { Series, Track } from "../columns";
import * as format from "../format";
import { dots, extent, inside, level, search, stairs, stems, type Plane } from "../paint";
import { say } from "../words";

export function window(track: Track): Picture {
  return {
    name: "window",
    extent: (from, to) => [0, extent(track.window, from, to)[1]],
    show: format.buffer,
    binary: true,
    keys: [{ key: "key_window", colour: "edge" }, { key: "key_right_edge", colour: "ink", dashed: true }],
    paint: (plane, c) => {
      stairs(plane, track.window, c.edge, { fill: c.fill });
      rightEdge(plane, track.edge, c.ink);
    },
    at: (time) => {
      const [size, edge] = [last(track.window, time), last(track.edge, time)];
      const texts = [size !== undefined && format.buffer(size), edge !== undefined && say("right_edge", { at: format.data(edge) })];
      return texts.filter(Boolean).join(" · ");
    },
  };
}

/** On a scale of its own, for it grows with all that is sent: from the lowest to the highest byte in sight, which is written below it. */
function rightEdge(p: Plane, edge: Series, ink: string): void {
  const [low, high] = inside(edge, p.from, p.to, true);
  if (!Number.isFinite(low)) return;
  const [bottom, height] = [p.top + p.height - 6 * p.ratio, p.height - 22 * p.ratio];
  stairs({ ...p, y: (value) => bottom - ((value - low) / Math.max(high - low, 1)) * height }, edge, ink, { dash: [5, 3] });
  p.ctx.fillStyle = ink;
  p.ctx.font = `${10.5 * p.ratio}px system-ui, sans-serif`;
  p.ctx.textAlign = "right";
  p.ctx.fillText(format.data(high), p.left + p.width - 4 * p.ratio, bottom - height + 14 * p.ratio);
}

export function rtt(track: Track, d: Direction): Picture {
  const floor = d.facts.rtt_floor_ns;
  return {
    name: "rtt",
    extent: (from, to) => [0, Math.max(extent(track.rtt, from, to)[1], floor)],
    show: format.span,
    keys: [{ key: "key_rtt", colour: "data" }, { key: "key_rtt_floor", colour: "acks", of: { length: floor > 0 ? 1 : 0 } },
      { key: "key_queue", colour: "data", faint: true, of: { length: floor > 0 ? 1 : 0 } }],
    paint: (plane, c) => {
      if (floor > 0) {
        stems(plane, track.rtt, floor, c.data);
        level(plane, plane.from, plane.to, floor, c.acks);
      }
      dots(plane, track.rtt, c.data);
    },
    at: (time) => {
      const rtt = last(track.rtt, time);
      if (rtt === undefined) return "";
      return floor > 0 && rtt > floor ? `${format.span(rtt)} = ${format.span(floor)} + ${say("queue", { time: format.span(rtt - floor) })}` : format.span(rtt);
    },
  };
}

/** The value at a moment; undefined before the first. */
function last(s: Series, time: number): number | undefined {
  return s.high[search(s.from, s.length, time) - 1];
}

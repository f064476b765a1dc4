// Time and sequence, in the form that tcptrace made known: data, ACKs, window edge, SACK blocks, repeats, marks.
import type { Picture } from "../chart";
import type { Mark, Track } from "../columns";
import * as format from "../format";
import { bars, frames, inside, numbered, search, stairs, visible, type Plane } from "../paint";
import { say } from "../words";
import type { Key } from "../words/en";

const SYMBOLS: Record<Mark["kind"], string> = {
  zero_window: "0", window_full: "F", duplicate_ack: "d", ecn: "E", syn: "S", fin: "X", rst: "!", timeout: "R",
};
/** Symbols, and bold bars, that fit side by side; where there are more they would only hide the data. */
const MOST_SYMBOLS = 150;

export function sequence(track: Track): Picture {
  return {
    name: "sequence",
    extent: (from, to) => {
      const all = [track.data, track.resent, track.acks].map((s) => inside(s, from, to, s === track.acks));
      return [Math.min(...all.map((e) => e[0])), Math.max(...all.map((e) => e[1]))];
    },
    show: format.data,
    keys: [
      { key: "key_data", colour: "data" }, { key: "key_resent", colour: "resent", of: track.resent }, { key: "key_acks", colour: "acks" },
      { key: "key_edge", colour: "edge", dashed: true }, { key: "key_sacks", colour: "sacks", of: track.sacks },
    ],
    symbols: [...new Set(track.marks.map((m) => m.kind))].map((kind) => [SYMBOLS[kind], `mark_${kind}` as Key]),
    paint: (plane, c) => {
      stairs(plane, track.edge, c.edge, { dash: [5, 3] });
      stairs(plane, track.acks, c.acks);
      bars(plane, track.sacks, c.sacks, 1.5);
      bars(plane, track.data, c.data, 2.5);
      const [first, last] = visible(track.resent, plane.from, plane.to);
      bars(plane, track.resent, c.resent, last - first > MOST_SYMBOLS ? 1 : 4);
      if (numbered(plane, track.data) && numbered(plane, track.resent)) {
        frames(plane, track.data, c.ink);
        frames(plane, track.resent, c.resent);
      }
      symbols(plane, track.marks, c.ink);
    },
    at: (time) => nearest(track, time),
  };
}

function symbols(p: Plane, marks: Mark[], ink: string): void {
  const shown = marks.filter((m) => p.from <= m.time && m.time <= p.to);
  if (shown.length > MOST_SYMBOLS) return;
  p.ctx.fillStyle = ink;
  p.ctx.font = `${11 * p.ratio}px system-ui, sans-serif`;
  p.ctx.textAlign = "center";
  for (const m of shown) p.ctx.fillText(SYMBOLS[m.kind], p.x(m.time), p.y(m.place) - 5 * p.ratio);
}

/** The data sent last before a moment, and what happened there. */
function nearest(track: Track, time: number): string {
  const { data } = track;
  const i = search(data.from, data.length, time) - 1;
  if (i < 0) return "";
  const texts = [say("frame", { n: data.frame[i]! }), format.data(data.high[i]!)];
  const near = track.marks.filter((m) => m.frame === data.frame[i]).map((m) => say(`mark_${m.kind}` as Key));
  return [...texts, ...near].join(" · ");
}

// Time and sequence, in the form that tcptrace made known: data, ACKs, window edge, SACK blocks, repeats, marks.
import type { Picture } from "../chart";
import type { Mark, Track } from "../columns";
import * as format from "../format";
import { bars, frames, inside, numbered, search, stairs, visible, type Plane } from "../paint";
import { say } from "../words";
import type { Key } from "../words/en";

/** By what they tell: of two that would cover each other the first is drawn. */
const SYMBOLS: Record<Mark["kind"], string> = {
  timeout: "R", rst: "!", zero_window: "0", syn: "S", fin: "X", cwr: "W", ce: "C", ece: "E", window_full: "F", duplicate_ack: "d",
};
const KINDS = Object.keys(SYMBOLS) as Mark["kind"][];
/** What ACKs tell stands below their line, what data tells above its own. */
const BELOW: Mark["kind"][] = ["zero_window", "ece", "duplicate_ack"];
/** Symbols of one kind, and bold bars, that are told apart; where there are more they would only hide the data. */
const MOST_SYMBOLS = 150;
/** Room of a symbol, in CSS pixels. */
const [WIDE, HIGH] = [9, 12];
/** A place and its neighbours. */
const AROUND = [-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => [x, y]));

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
    symbols: KINDS.filter((kind) => track.marks.some((m) => m.kind === kind)).map((kind) => [SYMBOLS[kind], `mark_${kind}`]),
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
  const inSight = marks.filter((m) => p.from <= m.time && m.time <= p.to);
  p.ctx.fillStyle = ink;
  p.ctx.font = `${11 * p.ratio}px system-ui, sans-serif`;
  p.ctx.textAlign = "center";
  const taken = new Set<number>();
  for (const kind of KINDS) {
    const same = inSight.filter((m) => m.kind === kind);
    if (same.length > MOST_SYMBOLS) continue;
    for (const m of same) {
      const [x, y] = [p.x(m.time), p.y(m.place) + (BELOW.includes(kind) ? 13 : -5) * p.ratio];
      const [column, line] = [Math.floor(x / WIDE / p.ratio), Math.floor(y / HIGH / p.ratio)];
      if (AROUND.some(([dx, dy]) => taken.has((column + dx!) * 4096 + line + dy!))) continue;
      taken.add(column * 4096 + line);
      p.ctx.fillText(SYMBOLS[kind], x, y);
    }
  }
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

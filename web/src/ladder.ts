// Both hosts side by side, time downwards, an arrow a packet. Legs of the path are split where the capture was taken.
import type { Connection } from "./analysis";
import type { Axis } from "./axis";
import type { Mark, Series, Track } from "./columns";
import { el, svg } from "./dom";
import { timeTicks } from "./format";
import { search } from "./paint";
import { served } from "./stretch";
import { few } from "./toolbar";
import { say } from "./words";

/** More arrows than this are a thicket. */
const MOST = 80;
/** Packets with data that are shown of a thicket, each way of the cursor. */
const NEAR = 12;
/** Pixels of the drawing, where there is room for them, and of a letter in it. */
const WIDTH = 800;
const LETTER = 6.2;

interface Arrow {
  time: number;
  fromClient: boolean;
  text: string;
  kind: "data" | "resent" | "ack";
}

export function ladder(axis: Axis, tracks: [Track, Track], c: Connection): HTMLElement {
  const place = el("div", { class: "ladder" });
  const draw = () => {
    // A point that stands for many packets is no arrow.
    const merged = tracks.some((t) => Math.max(t.data.samplesPerPoint, t.acks.samplesPerPoint) > 1);
    const arrows = merged ? undefined : inSight(axis, tracks);
    place.replaceChildren(merged ? el("p", { class: "help nothing" }, say(served ? "ladder_served" : "ladder_coarse"))
      : arrows ? drawing(arrows, axis, c, Math.min(WIDTH, place.clientWidth)) : thicket(axis, tracks));
  };
  axis.ranged(place, draw);
  let wide = 0;
  new ResizeObserver(() => {
    if (place.clientWidth !== wide) draw();
    wide = place.clientWidth;
  }).observe(place);
  return el("section", { class: "chart ladders" }, el("h3", {}, say("ladder")), place, el("p", { class: "help" }, say("ladder_help")));
}

/** There are too many: a button leads to some of them. */
function thicket(axis: Axis, tracks: [Track, Track]): HTMLElement {
  const closer = () => {
    const near = few(tracks, axis.cursor ?? (axis.from + axis.to) / 2, NEAR);
    if (near) axis.show(...near);
  };
  return el("p", { class: "help nothing" }, say("ladder_more", { n: MOST }), " ", el("button", { type: "button", click: closer }, say("ladder_closer")));
}

/** The packets in sight in the order of time; undefined where there are too many. */
function inSight(axis: Axis, [up, down]: [Track, Track]): Arrow[] | undefined {
  const sources: [Series, boolean, Arrow["kind"]][] = [
    [up.data, true, "data"], [up.resent, true, "resent"], [down.acks, true, "ack"],
    [down.data, false, "data"], [down.resent, false, "resent"], [up.acks, false, "ack"],
  ];
  const arrows = new Map<number, Arrow>();
  for (const [s, fromClient, kind] of sources) {
    const last = search(s.from, s.length, axis.to);
    const first = search(s.from, s.length, axis.from);
    if (last - first > 2 * MOST) return undefined;
    for (let i = first; i < last; i++) {
      // A packet with data carries an ACK, too: it is one arrow, and the data names it.
      if (arrows.has(s.frame[i]!)) continue;
      // Counted from 1, as Wireshark's relative numbers are: the SYN has number 0.
      const what = kind === "ack" ? `ACK ${s.high[i]! + 1}` : `${s.low[i]! + 1} + ${s.high[i]! - s.low[i]!} B`;
      arrows.set(s.frame[i]!, { time: s.from[i]!, fromClient, kind, text: `${s.frame[i]!}: ${what}` });
    }
  }
  [up, down].forEach((t, i) => t.marks.filter((m) => m.time >= axis.from && m.time < axis.to).forEach((m) => flagged(arrows, m, i === 0)));
  return arrows.size > MOST ? undefined : [...arrows.values()].sort((a, b) => a.time - b.time);
}

const FLAGS: Partial<Record<Mark["kind"], string>> = { syn: "SYN", fin: "FIN", rst: "RST" };

/** A packet that begins or ends the connection says so; with no data and no ACK it is an arrow of its own. */
function flagged(arrows: Map<number, Arrow>, m: Mark, fromClient: boolean): void {
  const flag = FLAGS[m.kind];
  if (!flag) return;
  const known = arrows.get(m.frame);
  if (known) known.text = known.text.replace(": ", `: ${flag} `);
  else arrows.set(m.frame, { time: m.time, fromClient, kind: "ack", text: `${m.frame}: ${flag}` });
}

/** Lines of text need this much room. */
const LINE = 13;

function drawing(arrows: Arrow[], axis: Axis, c: Connection, width: number): SVGElement {
  // Beside each host there is room for what its packets carry.
  const longest = Math.max(...arrows.map((a) => a.text.length), 14);
  const left = Math.min(longest * LETTER + 24, width / 2 - 30);
  const right = width - left;
  const height = Math.max(240, Math.min(1400, 60 + arrows.length * (LINE + 5)));
  const y = (time: number) => 40 + ((time - axis.from) / axis.span) * (height - 60);
  const oneWay = c.rtt_ns.min / 2;
  const tap = Math.min(1, Math.max(0, c.vantage.position));
  const placed = arrows.map((a) => {
    const client = y(a.time + (a.fromClient ? -1 : 1) * oneWay * tap);
    const server = y(a.time + (a.fromClient ? 1 : -1) * oneWay * (1 - tap));
    return { ...a, start: a.fromClient ? client : server, end: a.fromClient ? server : client };
  });
  const lines = placed.map((a) => {
    const [x1, x2] = a.fromClient ? [left, right] : [right, left];
    return svg("line", { x1, y1: a.start, x2, y2: a.end, class: `arrow ${a.kind}`, "marker-end": "url(#head)" });
  });
  const head = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    svg("path", { d: "M0,0 L8,4 L0,8 z", fill: "context-stroke" }));
  const host = (x: number, name: string) => [
    svg("line", { x1: x, y1: 24, x2: x, y2: height, class: "host" }), svg("text", { x, y: 16, "text-anchor": "middle" }, name)];
  const texts = [true, false].flatMap((fromClient) => labels(placed.filter((a) => a.fromClient === fromClient), height, fromClient ? [left, -1] : [right, 1]));
  const times = rounded(axis.from, axis.to, height / 80);
  const when = timeTicks(times).flatMap((text, i) => [
    svg("line", { x1: left, x2: right, y1: y(times[i]!), y2: y(times[i]!), class: "tick" }),
    svg("text", { x: width / 2, y: y(times[i]!) - 3, "text-anchor": "middle", class: "when" }, text),
  ]);
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "rungs", role: "img", "aria-label": `${say("ladder_help")} ${arrows.map((a) => a.text).join("; ")}` },
    svg("defs", {}, head), ...when, ...host(left, say("client")), ...host(right, say("server")), ...lines, ...texts);
}

/** Round numbers between two others, about so many. */
function rounded(from: number, to: number, count: number): number[] {
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (rough / power < 2 ? 2 : rough / power < 5 ? 5 : 10);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, i) => (first + i) * step);
}

/** A packet's text where it leaves its host; below its neighbour's where there is no room, with a line to where it belongs. */
function labels(arrows: (Arrow & { start: number })[], height: number, [host, side]: [x: number, side: number]): SVGElement[] {
  const sorted = [...arrows].sort((a, b) => a.start - b.start);
  let room = height - 6 - sorted.length * LINE;
  let above = 20;
  return sorted.flatMap((a) => {
    // Never so low that the rest would not fit.
    const y = Math.min(Math.max(above + LINE, a.start), (room += LINE));
    above = y;
    return [
      svg("path", { d: `M${host},${Math.max(a.start, 26)} L${host + side * 14},${y} h${side * 4}`, class: "leader" }),
      svg("text", { x: host + side * 21, y: y + 4, "text-anchor": a.fromClient ? "end" : "start" }, a.text),
    ];
  });
}

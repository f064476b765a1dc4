// Both hosts side by side, time downwards, an arrow a packet. Legs of the path are split where the capture was taken.
import type { Connection } from "./analysis";
import type { Axis } from "./axis";
import type { Series, Track } from "./columns";
import { el, svg } from "./dom";
import * as format from "./format";
import { search } from "./paint";
import { say } from "./words";

/** More arrows than this are a thicket. */
const MOST = 80;
const [LEFT, RIGHT, WIDTH] = [170, 630, 800];

interface Arrow {
  time: number;
  fromClient: boolean;
  text: string;
  kind: "data" | "resent" | "ack";
}

export function ladder(axis: Axis, tracks: [Track, Track], c: Connection): HTMLElement {
  const place = el("div", { class: "ladder" });
  const draw = () => {
    const arrows = inSight(axis, tracks);
    place.replaceChildren(arrows ? drawing(arrows, axis, c) : el("p", { class: "help" }, say("ladder_more", { n: MOST })));
  };
  axis.ranged(() => place.isConnected && draw());
  draw();
  return el("section", { class: "chart" }, el("h3", {}, say("ladder")), place, el("p", { class: "help" }, say("ladder_help")));
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
      const what = kind === "ack" ? `ACK ${s.high[i]!}` : `${s.low[i]!} + ${format.buffer(s.high[i]! - s.low[i]!)}`;
      arrows.set(s.frame[i]!, { time: s.from[i]!, fromClient, kind, text: `${s.frame[i]!}: ${what}` });
    }
  }
  return arrows.size > MOST ? undefined : [...arrows.values()].sort((a, b) => a.time - b.time);
}

function drawing(arrows: Arrow[], axis: Axis, c: Connection): SVGElement {
  const height = Math.max(240, Math.min(1400, arrows.length * 22));
  const y = (time: number) => 40 + ((time - axis.from) / axis.span) * (height - 60);
  const oneWay = c.rtt_ns.min / 2;
  const tap = Math.min(1, Math.max(0, c.vantage.position));
  const lines = arrows.flatMap((a) => {
    const client = a.time + (a.fromClient ? -1 : 1) * oneWay * tap;
    const server = a.time + (a.fromClient ? 1 : -1) * oneWay * (1 - tap);
    const [y1, y2] = a.fromClient ? [y(client), y(server)] : [y(server), y(client)];
    const [x1, x2] = a.fromClient ? [LEFT, RIGHT] : [RIGHT, LEFT];
    const label = a.fromClient ? { x: LEFT - 8, "text-anchor": "end" } : { x: RIGHT + 8, "text-anchor": "start" };
    return [
      svg("line", { x1, y1, x2, y2, class: `arrow ${a.kind}`, "marker-end": "url(#head)" }),
      svg("text", { ...label, y: y1 + 4 }, a.text),
    ];
  });
  const head = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    svg("path", { d: "M0,0 L8,4 L0,8 z", fill: "context-stroke" }));
  const host = (x: number, name: string) => [
    svg("line", { x1: x, y1: 24, x2: x, y2: height, class: "host" }), svg("text", { x, y: 16, "text-anchor": "middle" }, name)];
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "rungs" },
    svg("defs", {}, head), ...host(LEFT, say("client")), ...host(RIGHT, say("server")), ...lines);
}

// The three warehouses: send buffer, road, receive buffer, drawn to one scale and filled as at the cursor.
import { intervalAt, type Connection, type Direction } from "./analysis";
import type { Axis } from "./axis";
import type { Series, Sockets, Track } from "./columns";
import { el, svg } from "./dom";
import * as format from "./format";
import { extent, search } from "./paint";
import { say } from "./words";

interface Store {
  name: string;
  capacity: number;
  filled: (time: number) => number;
}

export function warehouses(axis: Axis, track: Track, c: Connection, d: Direction, held?: Sockets): HTMLElement {
  const stores = [sender(track, d, held), road(track, d), receiver(track, d, held)];
  const largest = Math.max(...stores.map((s) => s.capacity), 1);
  const drawing = svg("svg", { viewBox: "0 0 900 150", class: "stores", role: "img", "aria-label": say("warehouses_help") });
  const draw = () => {
    const time = axis.cursor ?? (axis.from + axis.to) / 2;
    drawing.replaceChildren(...stores.flatMap((s, i) => store(s, i, largest, time)));
    const now = intervalAt(c, d, time);
    drawing.setAttribute("data-limit", now?.limit ?? "unknown");
  };
  axis.pointed(() => drawing.isConnected && draw());
  axis.ranged(() => drawing.isConnected && draw());
  draw();
  return el("section", { class: "chart" }, el("h3", {}, say("warehouses")), drawing, el("p", { class: "help" }, say("warehouses_help")));
}

/** What is unacknowledged stays in the send buffer; its size is only known where it held the transfer. */
function sender(track: Track, d: Direction, held?: Sockets): Store {
  if (held?.sendQueue.length) {
    return { name: say("sender_store"), capacity: most(held.sendBuffer), filled: (t) => value(held.sendQueue, t) };
  }
  const plateau = Math.max(0, ...d.timeline.filter((i) => i.limit === "send_buffer").map((i) => i.evidence.flight_bytes));
  const name = plateau > 0 ? say("sender_store") : `${say("sender_store")}: ${say("store_unknown")}`;
  return { name, capacity: plateau || d.facts.max_flight_bytes, filled: (t) => value(track.flight, t) };
}

function road(track: Track, d: Direction): Store {
  const bdp = (d.facts.peak_bps / 8) * (d.facts.rtt_floor_ns / 1e9);
  return { name: say("road", { bytes: format.buffer(bdp) }), capacity: bdp, filled: (t) => Math.min(bdp, value(track.flight, t)) };
}

/** What the window fell by is data that the application has not read. */
function receiver(track: Track, d: Direction, held?: Sockets): Store {
  if (held?.receiveQueue.length) {
    return { name: say("receiver_store"), capacity: most(held.receiveBuffer), filled: (t) => value(held.receiveQueue, t) };
  }
  const widest = d.facts.max_window_bytes;
  return { name: say("receiver_store"), capacity: widest, filled: (t) => widest - Math.min(widest, value(track.window, t, widest)) };
}

function most(s: Series): number {
  return extent(s, -Infinity, Infinity)[1];
}

function value(s: Series, time: number, before = 0): number {
  const i = search(s.from, s.length, time) - 1;
  return i < 0 ? before : s.high[i]!;
}

function store(s: Store, place: number, largest: number, time: number): SVGElement[] {
  // Areas in proportion: a hundred times the bytes is ten times the side.
  const width = Math.max(24, 240 * Math.sqrt(s.capacity / largest));
  const height = place === 1 ? 34 : Math.max(16, 84 * Math.sqrt(s.capacity / largest));
  const [x, bottom] = [40 + place * 300, 104];
  const part = s.capacity > 0 ? Math.min(1, s.filled(time) / s.capacity) : 0;
  const full = place === 1
    ? svg("rect", { x, y: bottom - height, width: width * part, height, class: "filled" })
    : svg("rect", { x, y: bottom - height * part, width, height: height * part, class: "filled" });
  return [
    svg("rect", { x, y: bottom - height, width, height, class: "store" }), full,
    svg("text", { x, y: 124 }, s.name),
    svg("text", { x, y: 142, class: "soft" }, `${format.buffer(s.filled(time))} / ${format.buffer(s.capacity)}`),
  ];
}

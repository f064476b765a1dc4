// The three warehouses: send buffer, road, receive buffer, drawn to one scale and filled as at the cursor.
import type { Direction } from "./analysis";
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

/** Largest drawing. */
const [WIDTH, HEIGHT] = [240, 84];

export function warehouses(axis: Axis, track: Track, d: Direction, held?: Sockets): HTMLElement {
  const stores = [sender(track, d, held), road(track, d), receiver(track, d, held)];
  const largest = Math.max(...stores.map((s) => s.capacity), 1);
  const drawn = stores.map((s, i) => store(s, i === 1, largest));
  const draw = () => drawn.forEach((one) => one.at(axis.cursor ?? (axis.from + axis.to) / 2));
  const place = el("div", { class: "stores" }, ...drawn.map((one) => one.place));
  axis.pointed(place, draw);
  axis.ranged(place, draw);
  draw();
  return el("section", { class: "chart warehouses" }, el("h3", {}, say("warehouses"), player(axis, place)), place, el("p", { class: "help" }, say("warehouses_help"), el("span", { class: "hint" }, say("warehouses_hint"))));
}

/** How long what is in sight takes to be played, ms. */
const PLAYED = 12_000;

/** Moves the cursor over what is in sight, from where it is. */
function player(axis: Axis, place: HTMLElement): HTMLElement {
  let frame = 0;
  const button = el("button", { type: "button", class: "play" }, say("play"));
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    button.textContent = say("play");
  };
  const start = () => {
    const begun = axis.cursor !== null && axis.cursor >= axis.from && axis.cursor < axis.to - axis.span * 0.02 ? axis.cursor : axis.from;
    let first = 0;
    const step = (now: number) => {
      first ||= now;
      const time = begun + (axis.span * (now - first)) / PLAYED;
      if (time > axis.to || !place.isConnected) return stop();
      axis.point(time);
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    button.textContent = say("stop");
  };
  button.addEventListener("click", () => (frame ? stop() : start()));
  return button;
}

/**
 * What is unacknowledged stays in the send buffer; its size is only known where it held the transfer. A socket's own buffer bounds the memory
 * that the data takes (sk_wmem_queued against sk_sndbuf), not the data.
 */
function sender(track: Track, d: Direction, held?: Sockets): Store {
  if (held?.sendMemory.length) {
    return { name: say("sender_store"), capacity: most(held.sendBuffer), filled: (t) => value(held.sendMemory, t) };
  }
  const plateau = Math.max(0, ...d.timeline.filter((i) => i.limit === "send_buffer").map((i) => i.evidence.flight_bytes));
  const name = plateau > 0 ? say("sender_store") : `${say("sender_store")}: ${say("store_unknown")}`;
  return { name, capacity: Math.max(plateau, d.facts.max_flight_bytes), filled: (t) => value(track.flight, t) };
}

function road(track: Track, d: Direction): Store {
  const bdp = (fastest(d) / 8) * (d.facts.rtt_floor_ns / 1e9);
  return { name: say("road", { bytes: format.buffer(bdp) }), capacity: bdp, filled: (t) => Math.min(bdp, value(track.flight, t)) };
}

/**
 * Bits a second of the path; where its rate does not show, what it carried, or would carry by the prediction: a sender that something else
 * holds back does not fill it.
 */
function fastest(d: Direction): number {
  if (d.facts.path_bps) return d.facts.path_bps;
  const predicted = d.what_if.filter((w) => w.next_limit === "path_bandwidth" && w.transfer_ns > 0).map((w) => (d.bytes * 8e9) / w.transfer_ns);
  return Math.max(d.facts.peak_bps, ...predicted);
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

/** A warehouse fills from below, a road from the left. */
function store(s: Store, lies: boolean, largest: number): { place: HTMLElement; at: (time: number) => void } {
  // Areas in proportion: a hundred times the bytes is ten times the side.
  const side = Math.sqrt(s.capacity / largest);
  const [width, height] = [Math.max(24, WIDTH * side), lies ? 34 : Math.max(16, HEIGHT * side)];
  const y = HEIGHT + 2 - height;
  const filled = svg("rect", { x: 1, y, width, height, class: "filled" });
  const told = el("div", { class: "soft" });
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH + 2} ${HEIGHT + 4}`, "aria-hidden": "true" }, svg("rect", { x: 1, y, width, height, class: "store" }), filled);
  const at = (time: number) => {
    const part = s.capacity > 0 ? Math.min(1, s.filled(time) / s.capacity) : 0;
    filled.setAttribute(lies ? "width" : "height", String((lies ? width : height) * part));
    if (!lies) filled.setAttribute("y", String(y + height * (1 - part)));
    told.textContent = `${format.buffer(s.filled(time))} / ${format.buffer(s.capacity)}`;
  };
  return { place: el("div", {}, drawing, el("div", {}, s.name), told), at };
}

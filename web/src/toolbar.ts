// The ways to another stretch of time: buttons, keys, and a click on a chart, which goes from everything to a round trip to single packets.
import type { Connection } from "./analysis";
import type { Axis } from "./axis";
import type { Series, Track } from "./columns";
import { el } from "./dom";
import { search } from "./paint";
import { say } from "./words";

/** Packets that a click on a round trip leaves in sight, each way of the clicked one. */
const FEW = 5;

export interface Toolbar {
  place: HTMLElement;
  /** Takes the page's keys, wherever the focus is, as its text promises; those of the toolbar before go. */
  keys: () => void;
  /** What the second click looks for. */
  packets: (tracks: [Track, Track] | undefined) => void;
  click: (time: number) => void;
}

export function toolbar(axis: Axis, c: Connection): Toolbar {
  let tracks: [Track, Track] | undefined;
  const roundTrip = Math.max(c.rtt_ns.min * 1.6, 10_000);
  const around = (middle: number, span: number) => axis.show(middle - span / 2, middle + span / 2);
  const oneRoundTrip = () => around(axis.cursor ?? (axis.from + axis.to) / 2, roundTrip);
  const click = (time: number) => {
    if (axis.span > roundTrip * 1.01) return around(time, roundTrip);
    const near = tracks && few(tracks, time);
    if (near && near[1] - near[0] < axis.span) axis.show(...near);
  };
  const button = (text: string, act: () => void, sign = "") => el("button", { type: "button", click: act, "aria-label": text },
    el("span", { class: sign && "long" }, text), sign && el("span", { class: "short" }, sign));
  const place = el("div", { class: "toolbar" },
    button(say("whole"), () => axis.reset()), button(say("zoom_rtt"), oneRoundTrip),
    button(say("zoom_in"), () => axis.zoom(0.5), "+"), button(say("zoom_out"), () => axis.zoom(2), "−"),
    el("span", { class: "help mouse" }, say("keys")), el("span", { class: "help touch" }, say("fingers")));
  const acts: Record<string, () => void> = {
    ArrowLeft: () => axis.pan(-0.2), ArrowRight: () => axis.pan(0.2), "+": () => axis.zoom(0.5), "=": () => axis.zoom(0.5),
    "-": () => axis.zoom(2), "0": () => axis.reset(), Escape: () => axis.reset(), r: oneRoundTrip,
  };
  const keys = () => {
    document.onkeydown = (e) => {
      const typed = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;
      const act = typed || e.ctrlKey || e.metaKey || e.altKey ? undefined : acts[e.key];
      if (!act) return;
      e.preventDefault();
      act();
    };
  };
  return { place, keys, click, packets: (both) => { tracks = both; } };
}

/** The span of time of the packets with data that are nearest to a moment, with some air. */
export function few(tracks: [Track, Track], time: number, count = FEW): [number, number] | undefined {
  const near = (s: Series) => {
    const i = search(s.from, s.length, time);
    return Array.from(s.from.subarray(Math.max(0, i - count), i + count));
  };
  const times = tracks.flatMap((t) => [t.data, t.resent].flatMap(near)).sort((a, b) => Math.abs(a - time) - Math.abs(b - time)).slice(0, 2 * count);
  if (times.length < 2) return undefined;
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const air = Math.max((to - from) * 0.15, 2_000);
  return [from - air, to + air];
}

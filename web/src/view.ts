// One connection: the answer, then its charts on one time axis.
import { endpoint, mainDirection, type Connection } from "./analysis";
import { Axis } from "./axis";
import { band } from "./band";
import { chart } from "./chart";
import { flight } from "./charts/flight";
import { rate } from "./charts/rate";
import { sequence } from "./charts/sequence";
import { rtt, window as windowChart } from "./charts/simple";
import { block, tracks, type Track } from "./columns";
import { el } from "./dom";
import { ladder } from "./ladder";
import { summary } from "./summary";
import { warehouses } from "./warehouses";
import { say } from "./words";

/** What is looked at. */
export interface Sight {
  connection: Connection;
  direction: 0 | 1;
  /** Drawn below on the same axis. */
  other: Connection | undefined;
}

/** Fills `place`; the charts come when their data is unpacked. */
export async function view(place: HTMLElement, sight: Sight, turn: (direction: 0 | 1) => void): Promise<void> {
  const { connection: c, other } = sight;
  const d = c.directions[sight.direction];
  const axis = new Axis(Math.max(c.duration_ns, other?.duration_ns ?? 0));
  const charts = el("div", {});
  place.replaceChildren(
    el("h2", {}, `#${c.id}  ${endpoint(c.client)} → ${endpoint(c.server)}`), directions(sight, turn),
    summary(c, d), toolbar(axis, c), band(axis, c, d), charts);
  keys(axis, place);
  charts.append(...(await pictures(axis, c, sight.direction)));
  if (other) {
    const direction = mainDirection(other);
    const od = other.directions[direction];
    charts.append(el("h2", { class: "other" }, `#${other.id}  ${endpoint(other.client)} → ${endpoint(other.server)}`),
      summary(other, od), band(axis, other, od), ...(await pictures(axis, other, direction)));
  }
}

async function pictures(axis: Axis, c: Connection, direction: 0 | 1): Promise<HTMLElement[]> {
  const bytes = await block(`picture-${c.id}`);
  if (!bytes) return [el("p", { class: "notice" }, say("no_picture", { id: c.id }))];
  const both = tracks(bytes);
  const track: Track = both[direction];
  const d = c.directions[direction];
  const coarse = Math.max(track.data.samplesPerPoint, track.acks.samplesPerPoint);
  const made = [sequence(track), flight(track, c, d), windowChart(track), rtt(track, d), rate(track, d)].map((p) => chart(axis, p));
  const note = coarse > 1 ? [el("p", { class: "notice" }, say("samples", { n: coarse }))] : [];
  return [...note, ...made, warehouses(axis, track, c, d), ladder(axis, both, c)];
}

function directions(sight: Sight, turn: (direction: 0 | 1) => void): HTMLElement {
  const button = (direction: 0 | 1, text: string) => el("button", {
    type: "button", "aria-pressed": String(sight.direction === direction), click: () => turn(direction),
  }, text);
  return el("div", { class: "tabs", role: "group", "aria-label": say("direction") },
    button(0, `${say("client")} → ${say("server")}`), button(1, `${say("server")} → ${say("client")}`));
}

function toolbar(axis: Axis, c: Connection): HTMLElement {
  const button = (text: string, act: () => void) => el("button", { type: "button", click: act }, text);
  const oneRoundTrip = () => {
    const middle = axis.cursor ?? (axis.from + axis.to) / 2;
    const span = Math.max(c.rtt_ns.min * 1.6, 10_000);
    axis.show(middle - span / 2, middle + span / 2);
  };
  return el("div", { class: "toolbar" },
    button(say("whole"), () => axis.reset()), button(say("zoom_rtt"), oneRoundTrip),
    button(say("zoom_in"), () => axis.zoom(0.5)), button(say("zoom_out"), () => axis.zoom(2)),
    el("span", { class: "help" }, say("keys")));
}

function keys(axis: Axis, place: HTMLElement): void {
  const acts: Record<string, () => void> = {
    ArrowLeft: () => axis.pan(-0.2), ArrowRight: () => axis.pan(0.2), "+": () => axis.zoom(0.5), "=": () => axis.zoom(0.5),
    "-": () => axis.zoom(2), "0": () => axis.reset(),
  };
  place.onkeydown = (e) => {
    const act = e.target instanceof HTMLInputElement || e.ctrlKey || e.metaKey ? undefined : acts[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  };
}

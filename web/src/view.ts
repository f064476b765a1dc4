// One connection, or two side by side: the answer, then the charts on one time axis.
import { late, move, same } from "./align";
import { endpoint, type Connection, type Direction } from "./analysis";
import { Axis } from "./axis";
import { band } from "./band";
import { chart, sweep, type Picture } from "./chart";
import { flight } from "./charts/flight";
import { rate } from "./charts/rate";
import { sequence } from "./charts/sequence";
import { rtt, window as windowChart } from "./charts/simple";
import { sockets } from "./charts/sockets";
import { coarse } from "./coarse";
import { block, pictures, Unreadable, type Pictures, type Track } from "./columns";
import { el } from "./dom";
import { span, timeTicks } from "./format";
import { ladder } from "./ladder";
import { packets, served, within, type Stretch } from "./stretch";
import { summary } from "./summary";
import { toolbar, type Toolbar } from "./toolbar";
import { warehouses } from "./warehouses";
import { say } from "./words";

/** One connection of one of the page's analyses. */
export interface Shown {
  connection: Connection;
  direction: 0 | 1;
  /** Where its pictures are in the page. */
  id: string;
  /** Whether it has none because the page was made of an analysis, without packets. */
  bare: boolean;
  /** Its capture, in short. */
  file: string;
  /** The files that the analysis was made from. */
  files: string[];
}

/** What is looked at. */
export interface Sight {
  shown: Shown;
  /** Drawn beside it on the same axes. */
  other: Shown | undefined;
}

/** Fills `place`; the charts come when their data is unpacked. */
export async function view(place: HTMLElement, sight: Sight, turn: (direction: 0 | 1) => void): Promise<void> {
  const drawing = [sight.shown, ...(sight.other ? [sight.other] : [])];
  const unpacking = Promise.all(drawing.map(glance));
  const by = await moved(drawing, unpacking);
  // A page that shows something else by now has its own charts and keys.
  if (!place.isConnected) return;
  const all = drawing.map((s, i) => (i ? later(s, by) : s));
  const axis = new Axis(Math.max(...all.map((s, i) => s.connection.duration_ns + (i && by))), Math.min(0, by));
  const row = (make: (s: Shown) => HTMLElement) => beside(all.map(make));
  const bar = toolbar(axis, sight.shown.connection);
  const charts = el("div", {});
  place.replaceChildren(
    row((s) => el("h2", {}, `${titled(s, all)}  ${endpoint(s.connection.client)} → ${endpoint(s.connection.server)}`)),
    ...(by ? [el("p", { class: "notice" }, say("aligned", { by: span(by) }))] : []), directions(sight, turn), row((s) => summary(s.connection, direction(s))), bar.place,
    row((s) => band(axis, s.connection, direction(s))), charts);
  bar.keys();
  sweep();
  let unpacked: (Pictures | undefined)[];
  try {
    unpacked = await unpacking;
  } catch (e) {
    if (!(e instanceof Unreadable)) throw e;
    return charts.replaceChildren(el("p", { class: "notice" }, e.told));
  }
  if (unpacked[1]) move(unpacked[1], by);
  if (!place.isConnected) return;
  const refine = fill(charts, axis, all, unpacked, bar);
  seen(() => void refined(place, all, by, refine));
}

/** When the first picture is on the screen, two frames on; noted for web/bench. */
function seen(then: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    performance.mark("tcpwhy-drawn");
    setTimeout(then);
  }));
}

/** Reads what the first picture was a glance at, and draws that instead; noted for web/bench, too. */
async function refined(place: HTMLElement, all: Shown[], by: number, refine: (i: number, pictures: Pictures) => void): Promise<void> {
  for (const [i, s] of all.entries()) {
    if (!document.getElementById(glanceOf(s))) continue;
    // What is damaged of it is not missed: the glance stays.
    const pictures = await unpack(s).catch(() => undefined);
    if (!pictures || !place.isConnected) continue;
    if (i > 0) move(pictures, by);
    refine(i, pictures);
  }
  performance.mark("tcpwhy-whole");
}

/** The same with its time counted from earlier on: everything in it is later by so many ns. */
const later = (s: Shown, by: number): Shown => ({ ...s, connection: { ...s.connection, start_ns: s.connection.start_ns - by } });

/** By how much the second is moved, ns: where it is the first one in another capture. */
async function moved([one, other]: Shown[], unpacking: Promise<(Pictures | undefined)[]>): Promise<number> {
  if (!one || !other || one.files === other.files || !same(one.connection, other.connection)) return 0;
  // What cannot be read is said where charts are due.
  const [first, second] = await unpacking.catch(() => []);
  return (first && second && late([one.connection, other.connection], [first, second])) ?? 0;
}

/**
 * The charts, of whole connections or of the stretches that were asked for since, whichever fits what is in sight. What is returned gives
 * them a finer picture of one.
 */
function fill(
  charts: HTMLElement, axis: Axis, all: Shown[], unpacked: (Pictures | undefined)[], bar: Toolbar,
): (i: number, pictures: Pictures) => void {
  const stretches: (Stretch | undefined)[] = all.map(() => undefined);
  const fitting = (i: number) => (within(stretches[i], axis) ? stretches[i].pictures : unpacked[i]);
  let shown: (Pictures | undefined)[] = [];
  const read = (i: number) => async () => {
    stretches[i] = await packets(axis, all[i]!.connection);
    change();
  };
  const draw = () => {
    shown = all.map((_, i) => fitting(i));
    bar.packets(shown[0]?.tracks);
    const told = all.flatMap((s, i) => note(axis, s, shown[i], within(stretches[i], axis) ? stretches[i] : undefined, served ? read(i) : undefined));
    charts.replaceChildren(...told, ...drawn(axis, all, shown, unpacked, bar.click));
    sweep();
  };
  const change = () => {
    if (all.every((_, i) => fitting(i) === shown[i])) return;
    // The keyboard stays with its chart.
    const held = document.activeElement?.closest(".chart[id]")?.id;
    draw();
    if (held) document.querySelector<HTMLElement>(`#${held} .plot`)?.focus({ preventScroll: true });
  };
  axis.ranged(charts, change);
  draw();
  return (i, pictures) => { unpacked[i] = pictures; change(); };
}

const direction = (s: Shown): Direction => s.connection.directions[s.direction];

/** Number, and the file where there is more than one. */
const titled = (s: Shown, all: Shown[]): string => (all.length > 1 ? `#${s.connection.id} ${s.file}` : `#${s.connection.id}`);

function beside(elements: HTMLElement[]): HTMLElement {
  return elements.length === 1 ? elements[0]! : el("div", { class: "pair" }, ...elements);
}

async function unpack(s: Shown, id = s.id): Promise<Pictures | undefined> {
  const bytes = await block(id);
  return bytes && pictures(bytes);
}

/** Where the coarser level of a long connection is in the page. */
const glanceOf = (s: Shown): string => s.id.replace("picture", "glance");

/** What is quickest to see: the coarser level, where there is one. */
const glance = (s: Shown): Promise<Pictures | undefined> => unpack(s, document.getElementById(glanceOf(s)) ? glanceOf(s) : s.id);

/** Why charts are not there, or not to the last packet, or of a stretch alone. */
function note(axis: Axis, s: Shown, both: Pictures | undefined, part: Stretch | undefined, read?: () => Promise<void>): HTMLElement[] {
  if (!both) return [el("p", { class: "notice" }, s.bare ? say("no_packets") : say("no_picture", { id: s.connection.id }))];
  const track = both.tracks[s.direction];
  const none = direction(s).bytes > 0 ? [] : [el("p", { class: "notice" }, say("no_data"))];
  const each = Math.max(track.data.samplesPerPoint, track.acks.samplesPerPoint);
  if (each > 1) return [...none, coarse(axis, s.connection, s.files, each, read)];
  const [from, to] = timeTicks(part ? [part.from, part.to] : []);
  return from && to ? [...none, el("p", { class: "notice" }, say("stretch", { from, to }))] : none;
}

/** Every chart of the first, with the same of the second beside it on the same scale. */
function drawn(
  axis: Axis, all: Shown[], unpacked: (Pictures | undefined)[], whole: (Pictures | undefined)[], click: (time: number) => void,
): HTMLElement[] {
  const sets = all.map((s, i) => unpacked[i] && of(s, unpacked[i], whole[i] ?? unpacked[i]));
  const names = [...new Set(sets.flatMap((set) => (set ?? []).map((p) => p.name)))];
  const charts = names.map((name) => {
    const same = sets.map((set) => set?.find((p) => p.name === name));
    const there = same.filter((p) => p !== undefined);
    const extent: Picture["extent"] = (from, to) => {
      const ends = there.map((p) => p.extent(from, to));
      return [Math.min(...ends.map((e) => e[0])), Math.max(...ends.map((e) => e[1]))];
    };
    return beside(same.map((p, i) => p
      ? chart(axis, { ...p, extent }, { suffix: i ? `-${i + 1}` : "", title: all.length > 1 ? titled(all[i]!, all) : "", click })
      : el("div", {})));
  });
  const rest = (all.some((s) => direction(s).bytes > 0) ? [stores, rungs] : [rungs]).map((make) => beside(all.map((s, i) => unpacked[i] ? make(axis, s, unpacked[i]) : el("div", {}))));
  return [...charts, ...rest];
}

function of(s: Shown, both: Pictures, whole: Pictures): Picture[] {
  const track: Track = both.tracks[s.direction];
  const [c, d] = [s.connection, direction(s)];
  const held = both.sockets?.[s.direction];
  const moved = d.bytes > 0 ? { before: [sequence(track), flight(track, whole.tracks[s.direction], c, d)], after: [rate(track, d)] } : { before: [], after: [] };
  return [...moved.before, windowChart(track), rtt(track, d), ...moved.after, ...(held ? [sockets(held)] : [])];
}

const stores = (axis: Axis, s: Shown, both: Pictures) =>
  warehouses(axis, both.tracks[s.direction], direction(s), both.sockets?.[s.direction]);
const rungs = (axis: Axis, s: Shown, both: Pictures) => ladder(axis, both.tracks, s.connection);

function directions(sight: Sight, turn: (direction: 0 | 1) => void): HTMLElement {
  const button = (direction: 0 | 1, text: string) => el("button", {
    type: "button", "aria-pressed": String(sight.shown.direction === direction), click: () => turn(direction),
  }, text);
  return el("div", { class: "tabs", role: "group", "aria-label": say("direction") },
    button(0, `${say("client")} → ${say("server")}`), button(1, `${say("server")} → ${say("client")}`));
}

// One connection in two captures, at the sender and at the receiver: on one time, although each host has a clock of its own.
import type { Connection } from "./analysis";
import type { Pictures, Series, Sockets, Track } from "./columns";

/** Whether both have the same ends. */
export const same = (a: Connection, b: Connection): boolean =>
  [a.client, a.server].every((end, i) => {
    const other = [b.client, b.server][i]!;
    return end.addr === other.addr && end.port === other.port;
  });

/** By how much the second has to be moved for the client to send its SYN at the same moment in both, ns; undefined where one has no SYN. */
export function late([a, b]: [Connection, Connection], [first, second]: [Pictures, Pictures]): number | undefined {
  const [one, other] = [begun(a, first), begun(b, second)];
  return one === undefined || other === undefined ? undefined : one - other;
}

/** When the client sent its SYN, the last one where it had to repeat it; the capture saw it when it had come so far. */
function begun(c: Connection, { tracks }: Pictures): number | undefined {
  const syn = tracks[0].marks.findLast((m) => m.kind === "syn");
  return syn && syn.time - (c.rtt_ns.min / 2) * Math.min(1, Math.max(0, c.vantage.position));
}

/** Moves everything, by ns. */
export function move(pictures: Pictures, by: number): void {
  if (by === 0) return;
  const held: (Track | Sockets)[] = [...pictures.tracks, ...(pictures.sockets ?? [])];
  const series = held.flatMap((h) => Object.values(h) as unknown[]).filter((s): s is Series => typeof s === "object" && s !== null && "from" in s);
  // Moments have one column for both of their ends.
  for (const times of new Set(series.flatMap((s) => [s.from, s.to]))) times.forEach((t, i) => { times[i] = t + by; });
  pictures.tracks.forEach((t) => t.marks.forEach((m) => { m.time += by; }));
}

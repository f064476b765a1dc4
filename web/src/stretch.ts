// Each packet of a stretch of a long capture, where the page has a server to ask (`tcpwhy serve`): a page of a file has none.
import type { Connection } from "./analysis";
import type { Axis } from "./axis";
import { inflated, pictures, type Pictures } from "./columns";
import { current } from "./words";

/** What there is of each packet from one moment to another. */
export interface Stretch {
  from: number;
  to: number;
  pictures: Pictures;
}

/** What the server calls the capture of this page. */
const capture = location.protocol.startsWith("http") ? /^\/c\/([0-9a-f]+)$/.exec(location.pathname)?.[1] : undefined;

export const served = capture !== undefined;

export const within = (s: Stretch | undefined, axis: Axis): s is Stretch => s !== undefined && s.from <= axis.from && axis.to <= s.to;

/** What is in sight, and as much again on each side, to move a little. Fails with the server's sentence, or with none where it is gone. */
export async function packets(axis: Axis, c: Connection): Promise<Stretch> {
  const [first, last] = axis.whole();
  const from = Math.floor(Math.max(first, axis.from - axis.span));
  const to = Math.ceil(Math.min(last, axis.to + axis.span));
  const answer = await fetch(`/api/packets/${capture}?conn=${c.id}&from=${from}&to=${to}`, { headers: { "Accept-Language": current() } }).catch(() => { throw new Error(); });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return { from, to, pictures: pictures(await inflated(await answer.blob())) };
}

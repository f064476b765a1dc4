// The other end of crates/tcpwhy-report/src/page/column.rs: base64 -> zlib -> variable-length integers -> typed arrays.
import { say } from "./words";

/** The page's data is not there, or not whole. */
export class Unreadable extends Error {
  constructor(readonly key: "broken_none" | "broken_cut") {
    super(key);
  }

  /** For the reader. */
  get told(): string {
    return say("broken", { why: say(this.key) });
  }
}

/** One series: points that cover a span of time and of values. Times in ns from the connection's start. */
export interface Series {
  length: number;
  samplesPerPoint: number;
  from: Float64Array;
  to: Float64Array;
  low: Float64Array;
  high: Float64Array;
  readonly frame: Float64Array;
}

/** By the numbers that stand for them: `Mark::ALL` of crates/tcpwhy-core/src/picture/track.rs. */
const MARKS = ["zero_window", "window_full", "duplicate_ack", "ce", "ece", "cwr", "syn", "fin", "rst", "timeout"] as const;
export type MarkKind = (typeof MARKS)[number];

export interface Mark {
  kind: MarkKind;
  time: number;
  place: number;
  frame: number;
}

/** One direction. Values are bytes, for the RTT nanoseconds. */
export interface Track {
  data: Series;
  resent: Series;
  acks: Series;
  sacks: Series;
  edge: Series;
  window: Series;
  rtt: Series;
  flight: Series;
  marks: Mark[];
}

/** What the sockets of a direction held, by their kernels' own account. Bytes. */
export interface Sockets {
  sendQueue: Series;
  sendMemory: Series;
  sendBuffer: Series;
  cwnd: Series;
  ssthresh: Series;
  receiveQueue: Series;
  receiveBuffer: Series;
}

/** One connection, unpacked. */
export interface Pictures {
  /** Client to server, server to client. */
  tracks: [Track, Track];
  sockets: [Sockets, Sockets] | undefined;
}

/** The bytes that the page carries under `id`; undefined where there are none. */
export async function block(id: string): Promise<Uint8Array | undefined> {
  const text = document.getElementById(id)?.textContent;
  if (!text) return undefined;
  try {
    return await inflated(new Blob([decoded(text)]));
  } catch {
    throw new Unreadable("broken_cut");
  }
}

/** Base64. Twenty times as fast as Uint8Array.from with a function, on megabytes. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
  return packed;
}

/** What was compressed. */
export async function inflated(packed: Blob): Promise<Uint8Array> {
  return new Uint8Array(await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
}

/** A picture, unpacked. */
export function pictures(bytes: Uint8Array): Pictures {
  const read = new Reader(bytes);
  read.unit = read.number();
  const tracks: [Track, Track] = [track(read), track(read)];
  return { tracks, sockets: read.number() === 2 ? [sockets(read), sockets(read)] : undefined };
}

function sockets(read: Reader): Sockets {
  const [sendQueue, sendMemory, sendBuffer, cwnd] = [series(read), series(read), series(read), series(read)];
  return { sendQueue, sendMemory, sendBuffer, cwnd, ssthresh: series(read), receiveQueue: series(read), receiveBuffer: series(read) };
}

function track(read: Reader): Track {
  const [data, resent, acks, sacks] = [series(read), series(read), series(read), series(read)];
  const [edge, window, rtt, flight] = [series(read), series(read), series(read, read.unit), series(read)];
  return { data, resent, acks, sacks, edge, window, rtt, flight, marks: marks(read) };
}

/** A series whose values are counted in `values`. */
function series(read: Reader, values = 1): Series {
  const length = read.number();
  const samplesPerPoint = read.number();
  const from = read.column(length, read.unit);
  const to = read.above(from, read.unit);
  const low = read.column(length, values);
  const high = read.above(low, values);
  const frames = read.later(length);
  let frame: Float64Array | undefined;
  // Most charts are looked at as a whole, where no packet has a number.
  return { length, samplesPerPoint, from, to, low, high, get frame() { return (frame ??= frames()); } };
}

function marks(read: Reader): Mark[] {
  const length = read.number();
  const [kinds, times, places, frames] = [1, read.unit, 1, 1].map((unit) => read.column(length, unit));
  return Array.from({ length }, (_, i) => ({
    kind: MARKS[kinds![i]!] ?? "syn",
    time: times![i]!,
    place: places![i]!,
    frame: frames![i]!,
  }));
}

class Reader {
  /** What times are counted in, ns. */
  unit = 1;
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  /** Beyond 2^53 precision is lost; no series comes near that. */
  number(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Unreadable("broken_cut");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
      factor *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Running sums of differences, each that many times `unit`. */
  column(length: number, unit: number): Float64Array {
    const out = new Float64Array(length);
    let sum = 0;
    for (let i = 0; i < length; i++) out[i] = (sum += this.short()) * unit;
    return out;
  }

  /** Passes a column by: its values when they are asked for. */
  later(length: number): () => Float64Array {
    const { bytes, at } = this;
    let [end, left] = [at, length];
    while (left > 0) {
      const byte = bytes[end++];
      if (byte === undefined) throw new Unreadable("broken_cut");
      if (byte < 0x80) left--;
    }
    this.at = end;
    return () => {
      const reader = new Reader(bytes);
      reader.at = at;
      return reader.column(length, 1);
    };
  }

  /** A column of what is added to `base`: `base` itself where that is nothing. */
  above(base: Float64Array, unit: number): Float64Array {
    let out = base;
    let sum = 0;
    for (let i = 0; i < base.length; i++) {
      sum += this.short();
      if (sum === 0) continue;
      if (out === base) out = base.slice();
      out[i]! += sum * unit;
    }
    return out;
  }

  /** Most numbers take up to three bytes, and there are millions of them. */
  private short(): number {
    const { bytes, at } = this;
    let zigzag = bytes[at]!;
    let used = 1;
    if (zigzag >= 0x80) {
      const second = bytes[at + 1]!;
      zigzag = (zigzag & 0x7f) | (second << 7);
      used = 2;
      if (second >= 0x80) {
        const third = bytes[at + 2]!;
        if (third >= 0x80) return this.number();
        zigzag = (zigzag & 0x3fff) | (third << 14);
        used = 3;
      }
    }
    this.at = at + used;
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }
}

// The other end of crates/tcpwhy-report/src/page/column.rs: base64 -> zlib -> variable-length integers -> typed arrays.

/** One series: points that cover a span of time and of values. Times in ns from the connection's start. */
export interface Series {
  length: number;
  samplesPerPoint: number;
  from: Float64Array;
  to: Float64Array;
  low: Float64Array;
  high: Float64Array;
  frame: Float64Array;
}

export type MarkKind = "zero_window" | "window_full" | "duplicate_ack" | "ecn" | "syn" | "fin" | "rst" | "timeout";

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

const MARKS: MarkKind[] = ["zero_window", "window_full", "duplicate_ack", "ecn", "syn", "fin", "rst", "timeout"];

/** The bytes that the page carries under `id`; undefined where there are none. */
export async function block(id: string): Promise<Uint8Array | undefined> {
  const text = document.getElementById(id)?.textContent;
  if (!text) return undefined;
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A picture, unpacked. */
export function pictures(bytes: Uint8Array): Pictures {
  const read = new Reader(bytes);
  const tracks: [Track, Track] = [track(read), track(read)];
  return { tracks, sockets: read.number() === 2 ? [sockets(read), sockets(read)] : undefined };
}

function sockets(read: Reader): Sockets {
  const [sendQueue, sendMemory, sendBuffer, cwnd] = [series(read), series(read), series(read), series(read)];
  return { sendQueue, sendMemory, sendBuffer, cwnd, ssthresh: series(read), receiveQueue: series(read), receiveBuffer: series(read) };
}

function track(read: Reader): Track {
  const [data, resent, acks, sacks] = [series(read), series(read), series(read), series(read)];
  const [edge, window, rtt, flight] = [series(read), series(read), series(read), series(read)];
  return { data, resent, acks, sacks, edge, window, rtt, flight, marks: marks(read) };
}

function series(read: Reader): Series {
  const length = read.number();
  const samplesPerPoint = read.number();
  const from = read.column(length);
  const to = read.differences(length, from);
  const low = read.column(length);
  const high = read.differences(length, low);
  return { length, samplesPerPoint, from, to, low, high, frame: read.column(length) };
}

function marks(read: Reader): Mark[] {
  const length = read.number();
  const [kinds, times, places, frames] = [0, 1, 2, 3].map(() => read.column(length));
  return Array.from({ length }, (_, i) => ({
    kind: MARKS[kinds![i]!] ?? "syn",
    time: times![i]!,
    place: places![i]!,
    frame: frames![i]!,
  }));
}

class Reader {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  /** Beyond 2^53 precision is lost; no series comes near that. */
  number(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("the page's data is cut short");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
      factor *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Running sums of differences. */
  column(length: number): Float64Array {
    const out = new Float64Array(length);
    this.sums(length, (i, sum) => { out[i] = sum; });
    return out;
  }

  /** A column whose own values come as differences, too, on top of `base`: `base` itself where there are none. */
  differences(length: number, base: Float64Array): Float64Array {
    let out = base;
    this.sums(length, (i, sum) => {
      if (sum !== 0 && out === base) out = base.slice();
      if (sum !== 0) out[i]! += sum;
    });
    return out;
  }

  private sums(length: number, take: (i: number, sum: number) => void): void {
    const { bytes } = this;
    let sum = 0;
    for (let i = 0; i < length; i++) {
      // Most numbers are short, and there are millions of them.
      const [byte, next] = [bytes[this.at]!, bytes[this.at + 1]!];
      if (byte < 0x80) {
        this.at++;
        sum += (byte >>> 1) ^ -(byte & 1);
      } else if (next < 0x80) {
        this.at += 2;
        const zigzag = (byte & 0x7f) | (next << 7);
        sum += (zigzag >>> 1) ^ -(zigzag & 1);
      } else sum += this.number();
      take(i, sum);
    }
  }
}

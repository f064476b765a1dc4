// The published JSON (schema/tcpwhy.analysis-1.schema.json), as far as the page reads it.

export type LimitName =
  | "handshake" | "application" | "send_buffer" | "receive_window" | "congestion_window" | "path_bandwidth"
  | "loss_recovery" | "delayed_ack" | "silent_path" | "unknown";

export type Side = "client" | "server";

/** Sentences, in English and, by language, in others. */
export type Said<Words> = Words & { translations?: Record<string, Words> };

export interface Evidence {
  acked_bytes: number;
  rate_bps: number;
  flight_bytes: number;
  window_bytes: number;
  rtt_min_ns: number;
  rtt_mean_ns: number;
  stalls: number;
  longest_stall_ns: number;
  retransmissions: number;
}

export interface Interval {
  from_ns: number;
  to_ns: number;
  limit: LimitName;
  cause: string | null;
  first_frame: number;
  last_frame: number;
  confidence: number;
  evidence: Evidence;
}

export interface Direction {
  from: Side;
  bytes: number;
  transfer_ns: number;
  goodput_bps: number;
  retransmitted_bytes: number;
  limits: { limit: LimitName; cause: string | null; duration_ns: number; share: number }[];
  verdict: { limit: LimitName; cause: string | null; share: number; confidence: number } & Said<{ text: string; advice: string[] }>;
  what_if: { lift: LimitName; transfer_ns: number; next_limit: LimitName; at_most?: boolean }[];
  timeline: Interval[];
  facts: { mss: number; rtt_floor_ns: number; peak_bps: number; path_bps?: number; max_flight_bytes: number; max_window_bytes: number };
}

export interface Connection {
  id: number;
  client: { addr: string; port: number };
  server: { addr: string; port: number };
  start_ns: number;
  duration_ns: number;
  packets: number;
  vantage: { position: number; confidence: number };
  rtt_ns: { min: number; median: number; p95: number };
  directions: [Direction, Direction];
  findings: ({ kind: string; side: Side; frame: number } & Said<{ text: string }>)[];
}

export interface Analysis {
  source: { files: string[]; packets: number; tcp_packets: number } & Said<{ warnings: string[] }>;
  connections: Connection[];
}

/** Which direction is worth a look: the one with more data. */
export function mainDirection(c: Connection): 0 | 1 {
  return c.directions[0].bytes > c.directions[1].bytes ? 0 : 1;
}

/** An end as people write it. */
export function endpoint(e: { addr: string; port: number }): string {
  return e.addr.includes(":") ? `[${e.addr}]:${e.port}` : `${e.addr}:${e.port}`;
}

/** The part of the timeline at a time (ns from the connection's start). */
export function intervalAt(c: Connection, d: Direction, time: number): Interval | undefined {
  const at = time + c.start_ns;
  // Epoch nanoseconds lose their last digits in a double; a timeline's parts are longer than that.
  return d.timeline.find((i) => i.from_ns <= at && at < i.to_ns);
}

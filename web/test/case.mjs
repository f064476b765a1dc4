// A case folder, as the lab leaves it.
import { execFileSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A capture, and samples of its sender's socket every 2 ms. */
export function fillCase(folder, tcpwhy, capture) {
  copyFileSync(capture, join(folder, "client.pcapng"));
  const c = JSON.parse(execFileSync(tcpwhy, [capture, "--json"], { maxBuffer: 1 << 28 })).connections[0];
  const info = Buffer.alloc(104);
  [[16, 1448], [76, 0x7fffffff], [80, 10]].forEach(([at, value]) => info.writeUInt32LE(value, at));
  const end = (e) => `${e.addr}:${e.port}`;
  const start = BigInt(Math.round(c.start_ns / 1000)) * 1000n;
  const line = (_, i) => JSON.stringify({
    host: "server", local: end(c.server), remote: end(c.client), rqueue: 0, wqueue: (i % 12) * 1448, tcp_info: info.toString("hex"),
    skmem: [0, 131072, 0, 16384, 0, (i % 12) * 2304, 0, 0, 0], cookie: 1, t_ns: 0,
  }).replace('"t_ns":0', `"t_ns":${start + BigInt(i + 1) * 2_000_000n}`);
  writeFileSync(join(folder, "samples.ndjson"), `${Array.from({ length: 1000 }, line).join("\n")}\n`);
}

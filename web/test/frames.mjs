// The packets of a pcap file by their frame numbers, as Wireshark counts them.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Frames of IPv4 and TCP without a link layer, the first one at 1: port it is from, number of its first byte where the SYN has 0, how many they are. */
export function frames(file) {
  const pcap = gunzipSync(readFileSync(file));
  const [found, starts] = [[undefined], {}];
  for (let at = 24; at < pcap.length; at += 16 + pcap.readUInt32LE(at + 8)) {
    const ip = at + 16;
    const tcp = ip + (pcap[ip] & 15) * 4;
    const [port, sequence] = [pcap.readUInt16BE(tcp), pcap.readUInt32BE(tcp + 4)];
    if (pcap[tcp + 13] & 2) starts[port] = sequence;
    found.push({ port, first: (sequence - starts[port]) >>> 0, length: pcap.readUInt16BE(ip + 2) - (tcp - ip) - (pcap[tcp + 12] >> 4) * 4 });
  }
  return found;
}

// A capture whose every text is written by somebody who wants it to be read as HTML or as a script.

export const EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028\u202e'\"`${alert(3)}`";

/** The packets of a pcap file as pcapng, with EVIL for the names of section, hardware and interface, and for the comments of packets. */
export function hostile(pcap) {
  const nano = pcap.readUInt32LE(0) === 0xa1b23c4d;
  const options = (...codes) => Buffer.concat([...codes.map((code) => option(code, Buffer.from(EVIL))), Buffer.alloc(4)]);
  const section = Buffer.alloc(16);
  section.writeUInt32LE(0x1a2b3c4d, 0);
  section.writeUInt16LE(1, 4);
  section.writeBigInt64LE(-1n, 8);
  const device = Buffer.alloc(8);
  device.writeUInt16LE(pcap.readUInt32LE(20), 0);
  // opt_comment, shb_hardware, shb_os, shb_userappl; opt_comment, if_name, if_description.
  const blocks = [block(0x0a0d0d0a, section, options(1, 2, 3, 4)), block(1, device, options(1, 2, 3))];
  for (let at = 24; at < pcap.length; ) {
    const [seconds, part, length, original] = [0, 4, 8, 12].map((n) => pcap.readUInt32LE(at + n));
    const time = BigInt(seconds) * 1_000_000n + BigInt(nano ? Math.floor(part / 1000) : part);
    const head = Buffer.alloc(20);
    [0, Number(time >> 32n), Number(time & 0xffffffffn), length, original].forEach((value, n) => head.writeUInt32LE(value, 4 * n));
    blocks.push(block(6, Buffer.concat([head, padded(pcap.subarray(at + 16, at + 16 + length))]), options(1)));
    at += 16 + length;
  }
  return Buffer.concat(blocks);
}

function block(type, body, options) {
  const length = 12 + body.length + options.length;
  const [head, tail] = [Buffer.alloc(8), Buffer.alloc(4)];
  head.writeUInt32LE(type, 0);
  head.writeUInt32LE(length, 4);
  tail.writeUInt32LE(length, 0);
  return Buffer.concat([head, body, options, tail]);
}

function option(code, value) {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(code, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, padded(value)]);
}

const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);

// The page of a short capture, changed into one of a long capture.
import { deflateSync, inflateSync } from "node:zlib";

/** The page of a capture, as if it were so long that so many packets had become a point: after the unit and the number of the points. */
export function merged(html, packets = 4) {
  return html.replace(/(id="picture-1-0">)([^<]*)/, (_, id, text) => {
    const bytes = [...inflateSync(Buffer.from(text, "base64"))];
    const number = (from) => bytes.findIndex((b, i) => i >= from && b < 0x80) + 1;
    // The second track's: that of the server, which sends. The first has eight series of its own before it.
    let at = number(0);
    const skip = (count) => { for (let i = 0; i < count; i++) at = number(at); };
    const read = () => {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const byte = bytes[at++];
        value += (byte & 0x7f) * factor;
        if (byte < 0x80) return value / 2;
      }
    };
    for (let series = 0; series < 8; series++) {
      const length = read();
      skip(1 + 5 * length);
    }
    skip(4 * read());
    read();
    // Zigzag: 4 is 8.
    bytes[at] = 2 * packets;
    return id + deflateSync(Buffer.from(bytes)).toString("base64");
  });
}

/** The same with a glance before it, in which eight packets are a point. */
export function glanced(html) {
  const [, glance] = /id="picture-1-0">([^<]*)/.exec(merged(html, 8));
  const start = '<script type="application/octet-stream" id="';
  return merged(html).replace(`${start}picture-1-0`, (picture) => `${start}glance-1-0">${glance}</script>${picture}`);
}

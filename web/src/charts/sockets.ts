// What the two sockets held, by their own kernels' account: there are samples of them where the lab made the transfer.
import type { Picture } from "../chart";
import type { Series, Sockets } from "../columns";
import * as format from "../format";
import { extent, higher, search, stairs } from "../paint";
import { say } from "../words";
import type { Key } from "../words/en";

export function sockets(s: Sockets): Picture {
  const [queues, ceilings] = [[s.sendQueue, s.sendMemory, s.receiveQueue], [s.sendBuffer, s.cwnd, s.ssthresh, s.receiveBuffer]];
  return {
    name: "sockets",
    extent: (from, to) => {
      const top = (list: Series[]) => list.map((one) => extent(one, from, to)[1]).filter(Number.isFinite);
      const queued = Math.max(1, ...top(queues));
      // A ceiling far above would press the queues flat: it is drawn where it is near enough to matter.
      return [0, Math.max(queued, ...top(ceilings).filter((high) => high < queued * 4))];
    },
    show: format.buffer,
    binary: true,
    keys: [
      { key: "key_send_queue", colour: "data", of: s.sendQueue }, { key: "key_send_memory", colour: "data", dashed: true, of: s.sendMemory },
      { key: "key_send_buffer", colour: "buffer", of: s.sendBuffer }, { key: "key_cwnd_real", colour: "cwnd", of: s.cwnd },
      { key: "key_ssthresh", colour: "cwnd", dashed: true, of: s.ssthresh }, { key: "key_receive_queue", colour: "acks", of: s.receiveQueue },
      { key: "key_receive_buffer", colour: "acks", dashed: true, of: s.receiveBuffer },
    ],
    paint: (plane, c) => {
      stairs(plane, s.sendQueue, c.data, { fill: c.fill });
      stairs(plane, s.sendMemory, c.data, { dash: [3, 3] });
      stairs(plane, s.sendBuffer, c.buffer, { width: 2.5 });
      stairs(plane, s.cwnd, c.cwnd);
      stairs(plane, s.ssthresh, c.cwnd, { dash: [5, 3] });
      stairs(plane, s.receiveQueue, c.acks);
      stairs(plane, s.receiveBuffer, c.acks, { dash: [5, 3] });
      higher(plane, [[say("key_send_buffer"), s.sendBuffer, c.buffer], [say("key_cwnd_real"), s.cwnd, c.cwnd], [say("key_ssthresh"), s.ssthresh, c.cwnd],
        [say("key_receive_buffer"), s.receiveBuffer, c.acks]], format.buffer);
    },
    at: (time) => {
      const told: [Key, Series][] = [["key_send_queue", s.sendQueue], ["key_send_buffer", s.sendBuffer], ["key_cwnd_real", s.cwnd],
        ["key_receive_queue", s.receiveQueue]];
      return told.map(([key, one]) => {
        const i = search(one.from, one.length, time) - 1;
        return i < 0 ? "" : `${say(key)} ${format.buffer(one.high[i]!)}`;
      }).filter(Boolean).join(" · ");
    },
  };
}

// What the words of the page mean, for those who see a capture for the first time.
import { el } from "./dom";
import { say } from "./words";

const TERMS = [
  "frame", "segment", "ack", "rtt", "flight", "window", "zero_window", "cwnd", "send_buffer", "receive_buffer", "resent", "timeout", "duplicate_ack",
  "sack", "ecn", "goodput",
  // What may limit a transfer and is not explained above.
  "handshake", "application", "path_bandwidth", "loss_recovery", "delayed_ack", "silent_path", "unknown",
] as const;

export function glossary(): HTMLElement {
  return el("details", { class: "glossary" }, el("summary", {}, say("glossary")),
    el("dl", {}, ...TERMS.map((term) => el("div", {}, el("dt", {}, say(`term_${term}`)), el("dd", {}, say(`term_${term}_is`))))));
}

// The answer in words and bars: verdict, shares of time, what-if, advice.
import type { Connection, Direction } from "./analysis";
import { el } from "./dom";
import * as format from "./format";
import { background, look } from "./limits";
import { causeName, limitName, said, say } from "./words";

export function summary(c: Connection, d: Direction): HTMLElement {
  const v = d.verdict;
  const answer = said(v);
  const facts = say("facts", {
    bytes: format.data(d.bytes), time: format.span(d.transfer_ns), rate: format.rate(d.goodput_bps),
    rtt: format.span(c.rtt_ns.min),
  });
  return el("section", { class: "summary" },
    el("p", { class: "verdict", lang: answer.lang }, answer.text),
    el("p", { class: "help" }, `${facts} · ${say("confidence", { percent: format.percent(v.confidence) })}`),
    el("div", { class: "cards" },
      el("div", { class: "card" }, el("h3", {}, say("shares")), shares(d)),
      d.bytes > 0 && el("div", { class: "card" }, el("h3", {}, say("what_if")), whatIf(c, d), el("p", { class: "help" }, say("what_if_help"))),
      answer.advice.length > 0 && el("div", { class: "card" }, el("h3", {}, say("advice")),
        el("ol", { lang: answer.lang }, ...answer.advice.map((a) => el("li", {}, ...commands(a)))))),
    c.findings.length > 0 && el("details", {}, el("summary", {}, say("counted", { what: say("findings"), n: c.findings.length })),
      el("ul", {}, ...c.findings.map(said).map((f) => el("li", { lang: f.lang }, f.text)))));
}

/** Text with its `commands` set apart. */
function commands(text: string): (string | HTMLElement)[] {
  const parts = text.split("`");
  // One mark without its other is no more than a letter.
  return parts.length % 2 === 1 ? parts.map((part, i) => (i % 2 === 1 ? el("code", {}, part) : part)) : [text];
}

function shares(d: Direction): HTMLElement {
  const strip = el("div", { class: "shares", "aria-hidden": "true" }, ...d.limits.map((s) =>
    el("span", { style: `flex:${Math.max(s.share, 0.001)};background:${background(s.limit)}` })));
  const rows = d.limits.map((s) => el("li", {},
    el("i", { class: "box", style: `background:${background(s.limit)};color:${look(s.limit).ink}` }),
    el("b", {}, format.percent(s.share)),
    el("span", {}, limitName(s.limit), s.cause && el("span", { class: "soft" }, ` · ${causeName(s.cause)}`)),
    el("span", { class: "soft right" }, format.span(s.duration_ns))));
  return el("div", {}, strip, el("ul", { class: "plain" }, ...rows));
}

/** Bars: now, with each limit lifted, and one round trip. */
function whatIf(c: Connection, d: Direction): HTMLElement {
  const longest = Math.max(d.transfer_ns, 1);
  const row = (name: string, ns: number, colour: string, note: string, atMost = false) => el("li", {},
    el("span", { class: "name" }, name),
    el("span", { class: "bar" }, el("i", { style: `width:${Math.max(0.5, (ns / longest) * 100)}%;background:${colour}` })),
    el("span", {}, atMost ? say("at_most", { time: format.span(ns) }) : format.span(ns)), el("span", { class: "soft" }, note));
  const lifted = [...d.what_if].sort((a, b) => a.transfer_ns - b.transfer_ns).slice(0, 4)
    .map((w) => row(limitName(w.lift), w.transfer_ns, background(w.lift), say("next", { limit: limitName(w.next_limit) }), w.at_most));
  return el("ul", { class: "bars" }, row(say("now"), d.transfer_ns, "var(--ink-soft)", ""), ...lifted,
    row("RTT", Math.min(c.rtt_ns.min, d.transfer_ns), "var(--acks)", say("floor")));
}

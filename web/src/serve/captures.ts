// The list of captures.
import { el } from "../dom";
import * as format from "../format";
import { background } from "../limits";
import { current, limitName, say } from "../words";
import type { Capture, Listing } from "./server";
import { word } from "./words";

/** Rows that a browser lays out at once; the others are found by their names. */
const MOST = 500;
type Order = "modified" | "name" | "size";
const BY: Record<Order, (a: Capture, b: Capture) => number> = {
  modified: (a, b) => b.modified_ms - a.modified_ms || BY.name(a, b),
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  size: (a, b) => b.size - a.size || BY.name(a, b),
};

export interface Captures {
  place: HTMLElement;
  /** Shows another state of the directory; a capture that came just now is marked. */
  update: (listing: Listing, fresh?: string) => void;
}

export function captures(first: Listing): Captures {
  let all = first;
  let order: Order = "modified";
  const marked = new Set<string>();
  const heading = el("h2", {});
  const search = el("input", { type: "search", placeholder: word("search"), "aria-label": word("search") });
  const sort = el("select", { "aria-label": word("sort") }, ...(["modified", "name", "size"] as const).map((o) =>
    el("option", { value: o }, word(`sort_${o}`))));
  const rows = el("ul", { class: "plain captures" });
  const note = el("p", { class: "help" });
  const tools = el("div", { class: "tools" }, search, sort);

  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.captures.filter((c) => words.every((w) => c.name.toLowerCase().includes(w))).sort(BY[order]);
    const shown = found.slice(0, MOST);
    heading.textContent = say("counted", { what: word("captures"), n: all.captures.length.toLocaleString(current()) });
    tools.hidden = all.captures.length < 2;
    rows.replaceChildren(...shown.map((c) => row(c, marked.has(c.id))));
    const notes = [
      !found.length && word(all.captures.length ? "none_found" : "none"),
      shown.length < found.length && word("shown", { shown: shown.length, all: found.length }),
      all.more && word("more"),
    ];
    note.textContent = notes.filter(Boolean).join(" ");
  };
  search.addEventListener("input", draw);
  sort.addEventListener("change", () => { order = sort.value as Order; draw(); });
  draw();
  const update = (listing: Listing, fresh?: string) => {
    all = listing;
    if (fresh) marked.add(fresh);
    draw();
  };
  return { place: el("section", { class: "found" }, el("div", { class: "top" }, heading, tools), rows, note), update };
}

function row(c: Capture, fresh: boolean): HTMLElement {
  const cut = c.name.lastIndexOf("/") + 1;
  const when = c.modified_ms ? new Date(c.modified_ms).toLocaleString(current() === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" }) : "";
  const a = c.answer;
  return el("li", { class: fresh ? "fresh" : "" }, el("a", { href: `/c/${c.id}` },
    el("span", { class: "name" }, el("span", { class: "soft" }, c.name.slice(0, cut)), el("b", {}, c.name.slice(cut))),
    el("span", { class: "answer" }, ...(a ? [
      el("i", { class: "box", style: `background:${background(a.limit)}` }), `${limitName(a.limit)} ${format.percent(a.share)}`,
      el("span", { class: "soft" }, a.connections === 1 ? word("connection") : word("connections", { n: a.connections.toLocaleString(current()) })),
    ] : [])),
    el("span", { class: "soft size" }, format.data(c.size)), el("span", { class: "soft when" }, when)));
}

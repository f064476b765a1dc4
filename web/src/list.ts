// The list of connections: only the rows in sight exist, so that 10,000 of them scroll without a hitch.
import { endpoint, mainDirection, type Connection } from "./analysis";
import { el } from "./dom";
import * as format from "./format";
import { background } from "./limits";
import { current, limitName, say } from "./words";

const ROW = 54;
type Order = "duration" | "bytes" | "id";

export interface List {
  place: HTMLElement;
  /** Marks what is chosen, and stays where the reader scrolled to while `move` takes the list off the page and back. */
  keep: (move: () => void, chosen: number) => void;
}

export function list(all: Connection[], choose: (id: number) => void): List {
  // What is searched is put together once, not at every key.
  const texts = new Map(all.map((c) => [c.id, text(c)]));
  let shown = all;
  let chosen = -1;
  let order: Order = "duration";
  const search = el("input", { type: "search", placeholder: say("search"), "aria-label": say("search") });
  const sort = el("select", { "aria-label": say("sort") }, ...(["duration", "bytes", "id"] as const).map((o) =>
    el("option", { value: o }, say(`sort_${o}`))));
  const inside = el("div", { class: "rows" });
  const pane = el("div", { class: "pane", role: "listbox", "aria-label": say("connections"), tabindex: 0 }, inside);

  const draw = () => {
    inside.style.height = `${Math.max(shown.length, 1) * ROW}px`;
    const first = Math.max(0, Math.floor(pane.scrollTop / ROW) - 4);
    const count = Math.ceil((pane.clientHeight || 600) / ROW) + 8;
    const rows = shown.slice(first, first + count).map((c, i) => row(c, (first + i) * ROW, c.id === chosen, choose));
    inside.replaceChildren(...(rows.length ? rows : [el("p", { class: "help" }, say("none_found"))]));
  };
  const select = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = all.filter((c) => words.every((w) => texts.get(c.id)!.includes(w))).sort(BY[order]);
    pane.scrollTop = 0;
    draw();
  };
  search.addEventListener("input", select);
  sort.addEventListener("change", () => { order = sort.value as Order; select(); });
  pane.addEventListener("scroll", draw, { passive: true });
  pane.addEventListener("mousedown", (e) => {
    // On the scroll bar, nothing is to be changed.
    if (e.target === pane) return;
    e.preventDefault();
    pane.focus({ preventScroll: true });
  });
  pane.addEventListener("keydown", (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const at = Math.max(0, Math.min(shown.length - 1, shown.findIndex((c) => c.id === chosen) + step));
    const next = shown[at];
    if (!next) return;
    // The row must exist before it can be focussed.
    if (at * ROW < pane.scrollTop) pane.scrollTop = at * ROW;
    if ((at + 1) * ROW > pane.scrollTop + pane.clientHeight) pane.scrollTop = (at + 1) * ROW - pane.clientHeight;
    choose(next.id);
  });
  new ResizeObserver(draw).observe(pane);
  select();
  const place = el("nav", { class: "list" }, el("h2", {}, say("counted", { what: say("connections"), n: all.length.toLocaleString(current()) })), el("div", { class: "tools" }, search, sort), pane);
  const keep = (move: () => void, now: number) => {
    const [top, had] = [pane.scrollTop, place.contains(document.activeElement)];
    chosen = now;
    move();
    pane.scrollTop = top;
    draw();
    // Rows come and go: the keyboard stays with the pane, which says which of them it means.
    pane.setAttribute("aria-activedescendant", `row-${chosen}`);
    if (had) pane.focus({ preventScroll: true });
  };
  return { place, keep };
}

const BY: Record<Order, (a: Connection, b: Connection) => number> = {
  duration: (a, b) => b.directions[mainDirection(b)].transfer_ns - a.directions[mainDirection(a)].transfer_ns,
  bytes: (a, b) => b.directions[mainDirection(b)].bytes - a.directions[mainDirection(a)].bytes,
  id: (a, b) => a.id - b.id,
};

function text(c: Connection): string {
  const d = c.directions[mainDirection(c)];
  return `${c.id} ${endpoint(c.client)} ${endpoint(c.server)} ${d.verdict.limit} ${limitName(d.verdict.limit)}`.toLowerCase();
}

function row(c: Connection, top: number, chosen: boolean, choose: (id: number) => void): HTMLElement {
  const d = c.directions[mainDirection(c)];
  return el("button", {
    class: "row", type: "button", role: "option", id: `row-${c.id}`, tabindex: -1, "aria-selected": String(chosen), style: `top:${top}px`, click: () => choose(c.id),
  },
  el("i", { class: "box", style: `background:${background(d.verdict.limit)}` }),
  el("span", {}, el("b", {}, `#${c.id} ${limitName(d.verdict.limit)}`), el("span", { class: "soft" }, ` · ${format.data(d.bytes)} · ${format.span(d.transfer_ns)}`), el("br"),
    el("span", { class: "soft" }, `${endpoint(c.client)} → ${endpoint(c.server)}`)));
}

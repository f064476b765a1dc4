// The page: the list of connections beside what is looked at.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { mainDirection, type Analysis, type Connection } from "./analysis";
import { block } from "./columns";
import { el } from "./dom";
import { list } from "./list";
import { view, type Sight } from "./view";
import { current, languages, said, say, speak, type Language } from "./words";

async function start(): Promise<void> {
  speak(current());
  const page = document.getElementById("page")!;
  try {
    const bytes = await block("analysis");
    if (!bytes) throw new Error("there is none");
    show(page, JSON.parse(new TextDecoder().decode(bytes)) as Analysis);
  } catch (e) {
    page.replaceChildren(el("p", { class: "notice" }, say("broken", { why: String(e) })));
  }
}

function show(page: HTMLElement, analysis: Analysis): void {
  const all = analysis.connections;
  const drawn = (c: Connection) => !!document.getElementById(`picture-${c.id}`);
  const first = all.find(drawn) ?? all[0];
  if (!first) return;
  const sight: Sight = { connection: first, direction: mainDirection(first), other: undefined };

  const render = () => {
    document.title = `tcpwhy: ${say("title")}`;
    const place = el("article", {});
    const choose = (id: number) => {
      sight.connection = all.find((c) => c.id === id) ?? sight.connection;
      sight.direction = mainDirection(sight.connection);
      render();
    };
    page.className = all.length > 1 ? "with-list" : "";
    page.replaceChildren(header(analysis, sight, render), ...(all.length > 1 ? [list(all, sight.connection.id, choose)] : []),
      place, footer(analysis));
    void view(place, sight, (direction) => { sight.direction = direction; render(); });
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
  render();
}

function header(analysis: Analysis, sight: Sight, render: () => void): HTMLElement {
  const language = el("select", { "aria-label": "Language", id: "language" }, ...languages().map(([code, name]) => el("option", { value: code }, name)));
  language.value = current();
  language.addEventListener("change", () => { speak(language.value as Language); render(); });
  const others = analysis.connections.filter((c) => c.id !== sight.connection.id && document.getElementById(`picture-${c.id}`));
  const compare = el("select", { "aria-label": say("compare"), id: "compare" }, el("option", { value: "" }, `${say("compare")}: ${say("nothing")}`),
    ...others.map((c) => el("option", { value: c.id }, `${say("compare")} #${c.id}`)));
  compare.value = sight.other ? String(sight.other.id) : "";
  compare.addEventListener("change", () => {
    sight.other = analysis.connections.find((c) => String(c.id) === compare.value);
    render();
  });
  return el("header", {}, el("h1", {}, "tcpwhy"), el("span", { class: "soft" }, analysis.source.files.join(", ")), others.length > 0 && compare, language);
}

function footer(analysis: Analysis): HTMLElement {
  const s = analysis.source;
  const { warnings, lang } = said(s);
  return el("footer", {}, el("p", { class: "help" }, say("printed", { files: s.files.join(", "), packets: s.packets.toLocaleString() })),
    warnings.length > 0 && el("details", {}, el("summary", {}, say("warnings")), el("ul", { lang }, ...warnings.map((w) => el("li", {}, w)))));
}

void start();

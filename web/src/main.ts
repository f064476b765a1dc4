// The page: the list of connections beside what is looked at.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { mainDirection, type Analysis, type Connection } from "./analysis";
import { block, Unreadable } from "./columns";
import { el } from "./dom";
import { glossary } from "./glossary";
import { list } from "./list";
import { view, type Shown, type Sight } from "./view";
import { prefer, current, languages, said, say, speak, type Language } from "./words";

/** An analysis of the page, with the number under which its pictures are stored. */
interface Part {
  analysis: Analysis;
  number: number;
}

async function start(): Promise<void> {
  speak(current());
  const page = document.getElementById("page")!;
  try {
    const parts = (await Promise.all([1, 2].map(part))).filter((p) => p !== undefined);
    if (parts.length === 0) throw new Unreadable("broken_none");
    show(page, parts);
  } catch (e) {
    page.replaceChildren(el("p", { class: "notice" }, e instanceof Unreadable ? e.told : say("broken", { why: String(e) })));
  }
}

async function part(number: number): Promise<Part | undefined> {
  const bytes = await block(`analysis-${number}`);
  return bytes && { analysis: JSON.parse(new TextDecoder().decode(bytes)) as Analysis, number };
}

const pictureOf = (p: Part, c: Connection): string => `picture-${p.number}-${c.id}`;
const drawn = (p: Part) => (c: Connection) => !!document.getElementById(pictureOf(p, c));

function shown(p: Part, c: Connection): Shown {
  const { files } = p.analysis.source;
  // Paths of two captures differ where they end.
  const file = files.map((f) => f.split("/").slice(-2).join("/")).join(", ");
  return { connection: c, direction: mainDirection(c), id: pictureOf(p, c), bare: !p.analysis.connections.some(drawn(p)), file, files };
}

/** What a second capture is compared by: the connection that carries the most. */
function largest(p: Part): Connection | undefined {
  const bytes = (c: Connection) => c.directions[mainDirection(c)].bytes;
  return p.analysis.connections.reduce<Connection | undefined>((best, c) => (best && bytes(best) >= bytes(c) ? best : c), undefined);
}

function show(page: HTMLElement, parts: Part[]): void {
  const [main, second] = [parts[0]!, parts[1]];
  const all = main.analysis.connections;
  const first = (second && largest(main)) ?? all.find(drawn(main)) ?? all[0];
  if (!first) return;
  const beside = second && largest(second);
  const sight: Sight = { shown: shown(main, first), other: second && beside && shown(second, beside) };

  const choose = (id: number) => {
    const chosen = all.find((c) => c.id === id);
    if (chosen) sight.shown = shown(main, chosen);
    render();
  };
  let connections = list(all, choose);
  const render = () => {
    document.title = `tcpwhy: ${say("title")}`;
    const place = el("article", {});
    page.className = `${all.length > 1 ? "with-list" : ""} ${sight.other ? "compared" : ""}`;
    connections.keep(() => page.replaceChildren(
      header(parts, sight, spoken), ...(all.length > 1 ? [connections.place] : []), place, footer(parts)), sight.shown.connection.id);
    void view(place, sight, (direction) => { sight.shown.direction = direction; render(); });
  };
  // The words of the list are in the reader's language, too.
  const spoken = () => { connections = list(all, choose); render(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", render);
  render();
}

function header(parts: Part[], sight: Sight, render: () => void): HTMLElement {
  const language = el("select", { "aria-label": say("choose_language"), id: "language" }, ...languages().map(([code, name]) => el("option", { value: code }, name)));
  language.value = current();
  language.addEventListener("change", () => { prefer(language.value as Language); render(); });
  const others = parts.flatMap((p) => p.analysis.connections.filter(drawn(p)).map((c) => shown(p, c))).filter((s) => s.id !== sight.shown.id);
  if (sight.other && !others.some((s) => s.id === sight.other!.id)) others.push(sight.other);
  const compare = el("select", { "aria-label": say("compare"), id: "compare" }, el("option", { value: "" }, `${say("compare")}: ${say("nothing")}`),
    ...others.map((s) => el("option", { value: s.id }, `${say("compare")} #${s.connection.id}${parts.length > 1 ? ` ${s.file}` : ""}`)));
  compare.value = sight.other?.id ?? "";
  compare.addEventListener("change", () => {
    sight.other = others.find((s) => s.id === compare.value);
    render();
  });
  const files = parts.flatMap((p) => p.analysis.source.files);
  return el("header", {}, el("h1", {}, "tcpwhy"), el("span", { class: "soft", title: files.join("\n") }, named(files)), others.length > 0 && compare, language);
}

/** More names than this are a wall of text. */
const NAMES = 3;

/** Files by name, as far as there are few. */
const named = (files: string[]): string =>
  files.length > NAMES ? say("more_files", { file: files[0]!, n: files.length - 1 }) : files.join(", ");

function footer(parts: Part[]): HTMLElement {
  return el("footer", {}, glossary(), ...parts.flatMap(({ analysis: { source: s } }) => {
    const { warnings, lang } = said(s);
    return [
      el("p", { class: "help" }, say("printed", { files: named(s.files), packets: s.packets.toLocaleString(current()) })),
      s.files.length > NAMES && el("details", {}, el("summary", {}, say("all_files")), el("ul", {}, ...s.files.map((f) => el("li", {}, f)))),
      ...(warnings.length ? [el("details", {}, el("summary", {}, say("warnings")), el("ul", { lang }, ...warnings.map((w) => el("li", {}, w))))] : []),
    ];
  }));
}

/** On paper: dark on light and as wide as a sheet, before the charts are drawn for it. */
for (const [event, on] of [["beforeprint", true], ["afterprint", false]] as const) {
  addEventListener(event, () => {
    document.documentElement.classList.toggle("printing", on);
    document.querySelectorAll(".plot, .band").forEach((e) => e.dispatchEvent(new Event("fit")));
  });
}

void start();

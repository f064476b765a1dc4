// `tcpwhy serve`: the captures of a directory, uploads, and the wait for a report.
import "../style.css";
import "./style.css";
import { el } from "../dom";
import { prefer, current, languages, speak, type Language } from "../words";
import { captures } from "./captures";
import { listing } from "./server";
import { uploads } from "./uploads";
import { waiting } from "./waiting";
import { word } from "./words";

const page = document.getElementById("page")!;

function header(directory: string, spoken: () => void): HTMLElement {
  const language = el("select", { "aria-label": word("language"), id: "language" },
    ...languages().map(([code, name]) => el("option", { value: code }, name)));
  language.value = current();
  language.addEventListener("change", () => { prefer(language.value as Language); spoken(); });
  return el("header", {}, el("h1", {}, el("a", { href: "/" }, "tcpwhy")), el("span", { class: "soft" }, directory), language);
}

async function list(): Promise<void> {
  let first = await listing();
  let shown = captures(first);
  const refresh = async (fresh?: string) => { first = await listing(); shown.update(first, fresh); };
  // Answers may be there, and files, when the reader comes back.
  document.onvisibilitychange = () => { if (!document.hidden) void refresh().catch(() => undefined); };
  const show = () => {
    document.title = `tcpwhy: ${word("title")}`;
    shown = captures(first);
    page.replaceChildren(header(first.directory, show), el("section", { class: "intro" }, el("p", { class: "verdict" }, word("title")),
      el("p", { class: "soft" }, word("intro"))),
    uploads(first.max_upload, first.directory === "", (id) => void refresh(id)), shown.place);
  };
  show();
}

function wait(id: string): void {
  const { place, speak: spoken } = waiting(id);
  const show = () => { page.replaceChildren(header("", show), place); spoken(); };
  show();
}

function start(): void {
  speak(current());
  const id = /^\/c\/([^/]+)$/.exec(location.pathname)?.[1];
  if (id) return wait(id);
  void list().catch(() => page.replaceChildren(header("", () => location.reload()), el("p", { class: "notice" }, word("no_server"))));
}

// A page that the browser kept shows what was, not what is.
window.addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
start();

// A long capture, whose points stand for many packets each: how many, and what shows each packet of what is in sight: a command, or,
// where the page has a server, a button.
import type { Connection } from "./analysis";
import type { Axis } from "./axis";
import { el } from "./dom";
import { current, say } from "./words";

/** `read` asks the server. */
export function coarse(axis: Axis, c: Connection, files: string[], packets: number, read?: () => Promise<void>): HTMLElement {
  const text = say(read ? "samples_served" : "samples", { n: packets.toLocaleString(current()) });
  return el("div", { class: "notice" }, text, read ? asking(read) : command(axis, c, files));
}

function asking(read: () => Promise<void>): HTMLElement {
  const told = el("span", { role: "status" });
  const button = el("button", { type: "button", id: "each-packet" }, say("each_packet"));
  button.addEventListener("click", () => {
    button.disabled = true;
    told.textContent = say("reading_packets");
    read().then(() => { told.textContent = ""; }, (e: Error) => {
      told.replaceChildren(e.message ? e.message : say("no_answer"));
    }).finally(() => { button.disabled = false; });
  });
  return el("div", { class: "asking" }, button, told);
}

function command(axis: Axis, c: Connection, files: string[]): HTMLElement {
  const command = el("code", { class: "command", tabindex: 0 });
  const tell = () => {
    const [from, to] = [c.start_ns + Math.max(0, axis.from), c.start_ns + Math.min(axis.end, axis.to)];
    command.textContent = ["tcpwhy report", ...files.map(quoted), `--host ${c.client.addr} --port ${c.client.port}`,
      `--since ${date(Math.floor(from / 1e3))} --until ${date(Math.ceil(to / 1e3) + 1)}`, "-o packets.html"].join(" ");
  };
  axis.ranged(command, tell);
  tell();
  return command;
}

/** As RFC 3339 has it. */
function date(microseconds: number): string {
  const seconds = Math.floor(microseconds / 1e6);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(microseconds - seconds * 1e6).padStart(6, "0")}Z`;
}

/** A file's name as a shell takes it for one word, and no program for an option. */
export function quoted(name: string): string {
  const safe = name.startsWith("-") ? `./${name}` : name;
  return /^[\w./@%+=:,-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}

// One capture whose page is not there yet: how far it is. When it is, the same address shows it.
import { el } from "../dom";
import * as format from "../format";
import { progress } from "./server";
import { word } from "./words";

const PERIOD = 300;

export function waiting(id: string): { place: HTMLElement; speak: () => void } {
  const name = el("h2", {});
  const bar = el("progress", { max: 1 });
  const text = el("p", { class: "soft", role: "status" });
  const back = el("a", { class: "button", href: "/" });
  let tell: () => string = () => "";
  const speak = () => { back.textContent = `← ${word("back")}`; text.textContent = tell(); bar.setAttribute("aria-label", word("reading")); };

  const reason = el("p", { class: "notice" });
  const fail = (what: () => string, why = "") => {
    bar.remove();
    tell = what;
    reason.textContent = why;
    speak();
    if (why) back.parentElement!.before(reason);
  };
  const look = async () => {
    const p = await progress(id);
    if (p.state === "finished") return location.reload();
    if (p.state === "unknown") return fail(() => word("unknown"));
    name.textContent = p.name;
    document.title = `${p.name} - tcpwhy`;
    if (p.state === "failed") return fail(() => word("failed"), p.why);
    if (p.part > 0) bar.value = p.part;
    tell = () => (p.part > 0 ? `${format.percent(p.part)}  ${word("reading")}` : word("queued"));
    speak();
    setTimeout(() => void look().catch(() => fail(() => word("no_server"))), PERIOD);
  };
  void look().catch(() => fail(() => word("no_server")));
  // The server tells why in the language that it is asked in.
  const spoken = () => { speak(); if (reason.textContent) void look().catch(() => undefined); };
  return { place: el("section", { class: "wait" }, name, bar, text, el("p", {}, back)), speak: spoken };
}

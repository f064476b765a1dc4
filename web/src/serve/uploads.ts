// Where captures are dropped, and what becomes of each.
import { el } from "../dom";
import * as format from "../format";
import { upload, type Upload } from "./server";
import { word } from "./words";

/** They stay when the page is drawn anew, in another language. */
const rows = el("ul", { class: "plain uploads", "aria-live": "polite" });
// One after the other: a disk and a line are not faster for two.
let turn = Promise.resolve();

/** The place to drop files on, and a row for each below it. `arrived` hears of captures that are there. */
export function uploads(most: number, temporary: boolean, arrived: (id: string) => void): HTMLElement {
  const input = el("input", { type: "file", multiple: "", hidden: "", id: "files" });
  const button = el("button", { type: "button", class: "primary", click: () => input.click() }, word("choose"));
  rows.setAttribute("aria-label", word("uploads"));
  const zone = el("section", { class: "drop" },
    el("p", { class: "call" }, word("drop")), el("p", {}, `${word("or")} `, button), input,
    el("p", { class: "help" }, word("accepted", { size: format.data(most) }), temporary && ` ${word("kept_temporary")}`));
  const take = (files: Iterable<File>) => {
    for (const file of files) {
      const { place, run } = row(file, most, arrived);
      rows.prepend(place);
      turn = turn.then(run);
    }
  };
  input.addEventListener("change", () => { take(input.files ?? []); input.value = ""; });
  droppable(zone, take);
  return el("div", {}, zone, rows);
}

/** The whole window takes files: missing the field would leave the page. */
function droppable(zone: HTMLElement, take: (files: Iterable<File>) => void): void {
  let inside = 0;
  const mark = (change: number) => { inside = Math.max(0, inside + change); zone.classList.toggle("over", inside > 0); };
  document.ondragenter = (e) => { e.preventDefault(); mark(1); };
  document.ondragleave = () => mark(-1);
  document.ondragover = (e) => e.preventDefault();
  document.ondrop = (e) => {
    e.preventDefault();
    mark(-inside);
    take(e.dataTransfer?.files ?? []);
  };
}

function row(file: File, most: number, arrived: (id: string) => void): { place: HTMLElement; run: () => Promise<void> } {
  const bar = el("progress", { max: 1, value: 0, "aria-label": file.name });
  const state = el("span", { class: "soft" }, word("waiting"));
  const action = el("span", { class: "right" });
  const place = el("li", { class: "upload" }, el("b", { class: "name" }, file.name), bar, state, action);
  const button = (text: string, act: () => void) => action.replaceChildren(el("button", { type: "button", click: act }, text));
  const fail = (text: string) => {
    place.classList.add("failed");
    bar.remove();
    state.textContent = text;
    button(word("dismiss"), () => place.remove());
  };
  let dropped = false;
  let running: Upload | undefined;
  button(word("cancel"), () => { dropped = true; running?.cancel(); fail(word("cancelled")); });
  const run = async () => {
    if (dropped) return;
    if (file.size > most) return fail(word("too_large", { size: format.data(most) }));
    running = upload(file, (part) => {
      bar.value = part;
      state.textContent = part < 1 ? word("sending", { percent: format.percent(part), size: format.data(file.size) }) : word("checking");
    });
    try {
      const { id, name } = await running.done;
      bar.remove();
      place.querySelector("b")!.textContent = name;
      state.textContent = `${word("arrived")}, ${format.data(file.size)}`;
      action.replaceChildren(el("a", { class: "button", href: `/c/${id}` }, word("open")));
      arrived(id);
    } catch (e) {
      const text = e instanceof Error ? e.message : "";
      if (!dropped) fail(text || word("broke_off"));
    }
  };
  return { place, run };
}

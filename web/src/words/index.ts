// The words in the reader's language.
import type { LimitName, Said } from "../analysis";
import { CAUSES } from "./causes";
import { en, type Key } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh";
const CATALOGUES: Record<Language, Record<Key, string>> = { en, zh };

const isOne = (tag: string | undefined): tag is Language => tag !== undefined && tag in CATALOGUES;
// What --lang asked for, or what the browser speaks.
const asked = document.getElementById("tcpwhy-language")?.textContent ?? undefined;
// What was chosen on another page of the same server; pages from disk keep nothing.
const KEPT = "tcpwhy-language";
const served = location.protocol.startsWith("http");
const chosen = (served && kept()) || undefined;
let language: Language = isOne(asked) ? asked : isOne(chosen) ? chosen : navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";

/** What the browser keeps of this site: nothing where it is told to block that, which it throws. */
function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export const current = (): Language => language;

export function speak(to: Language): void {
  language = to;
  document.documentElement.lang = to === "zh" ? "zh-CN" : "en";
}

/** What the reader chose, for the pages to come, too. */
export function prefer(to: Language): void {
  speak(to);
  try {
    if (served) localStorage.setItem(KEPT, to);
  } catch {
    // Blocked, or full: it holds for this page.
  }
}

/** A text with its {holes} filled. */
export function say(key: Key, holes: Record<string, string | number> = {}): string {
  return CATALOGUES[language][key].replace(/\{(\w+)\}/g, (hole, name: string) => String(holes[name] ?? hole));
}

/** The limit in running text; its published name where a later version knows more of them. */
export const limitName = (limit: LimitName): string => (`limit_${limit}` in en ? say(`limit_${limit}` as Key) : limit);

/** The cause in running text; the published name where there is no other. */
export const causeName = (cause: string): string => (language === "zh" ? CAUSES[cause] : undefined) ?? cause;

/** What the analysis says, as far as it speaks the language, and the language that it is in. */
export function said<Words>(words: Said<Words>): Words & { lang: string } {
  const translated = words.translations?.[language];
  return translated ? { ...translated, lang: language } : { ...words, lang: "en" };
}

export const languages = (): [Language, string][] => [["en", en.language], ["zh", zh.language]];

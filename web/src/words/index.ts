// The words in the reader's language.
import type { LimitName } from "../analysis";
import { en, type Key } from "./en";
import { zh } from "./zh";

export type Language = "en" | "zh";
const CATALOGUES: Record<Language, Record<Key, string>> = { en, zh };

let language: Language = navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";

export const current = (): Language => language;

export function speak(to: Language): void {
  language = to;
  document.documentElement.lang = to === "zh" ? "zh-CN" : "en";
}

/** A text with its {holes} filled. */
export function say(key: Key, holes: Record<string, string | number> = {}): string {
  return CATALOGUES[language][key].replace(/\{(\w+)\}/g, (hole, name: string) => String(holes[name] ?? hole));
}

export const limitName = (limit: LimitName): string => say(`limit_${limit}` as Key);

export const languages = (): [Language, string][] => [["en", en.language], ["zh", zh.language]];

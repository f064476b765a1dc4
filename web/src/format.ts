// Quantities for human eyes, as the terminal shows them (crates/tcpwhy-core/src/advice/quantity.rs).
import { current } from "./words";

/** A quantity with its unit; with so many decimal places where that is asked for. */
export type Show = (n: number, places?: number) => string;

function scaled(n: number, base: number, units: string[], places?: number): string {
  let unit = 0;
  while (Math.abs(n) >= base - 0.5 && unit + 1 < units.length) {
    n /= base;
    unit++;
  }
  return unit === 0 ? `${Math.round(n)} ${units[0]}` : `${digits(n, places)} ${units[unit]}`;
}

function digits(n: number, places?: number): string {
  if (places !== undefined) return n.toFixed(places);
  return Math.abs(n) < 99.95 ? n.toFixed(1) : n.toFixed(0);
}

/** A buffer, window or flight. */
export const buffer: Show = (bytes, places) => scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"], places);
/** Data that was moved. */
export const data: Show = (bytes, places) => scaled(bytes, 1000, ["B", "kB", "MB", "GB", "TB"], places);
/** Bits per second. */
export const rate: Show = (bps, places) => scaled(bps, 1000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"], places);

/** A span of time in ns. */
export function span(ns: number, places?: number): string {
  if (ns < 0) return `-${span(-ns, places)}`;
  if (ns === 0) return "0 s";
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 999_950) return `${digits(ns / 1e3, places)} µs`;
  if (ns < 999_500_000) return `${digits(ns / 1e6, places)} ms`;
  if (ns < 99.95e9) return `${digits(ns / 1e9, places)} s`;
  const s = Math.round(ns / 1e9);
  return s < 120 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
}

/** A part of a whole. */
export function percent(part: number): string {
  const p = part * 100;
  // Chinese sets no space before the sign.
  const sign = current() === "zh" ? "%" : " %";
  return `${p > 0 && p < 1 ? p.toFixed(1) : Math.round(p)}${sign}`;
}

/** Labels for the ticks of an axis: as many digits as tell neighbours apart, but two where there are quarters. */
export function ticks(values: number[], show: Show): string[] {
  const labels = (places: number) => values.map((v) => (v === 0 ? "0" : show(v, places).replace(/(\.\d*?)0+(?= )/, "$1").replace(/\.(?= )/, "")));
  const distinct = (made: string[]) => new Set(made).size === made.length;
  return [2, 3, 4, 5].map((places) => labels(places)).find(distinct) ?? labels(6);
}

const TIMES: [unit: number, name: string][] = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];
/** More of a unit than this are not read at a glance. */
const MANY = 100_000;

/** Times on an axis: in the unit that fits the distance of the ticks, unless there are too many of it. */
export function timeTicks(values: number[]): string[] {
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : 1e9;
  const most = Math.max(...values.map(Math.abs));
  // A tenth of a larger unit reads better than hundreds of a smaller one.
  const fits = TIMES.findLastIndex(([unit]) => unit <= Math.max(step, 1) || (unit <= step * 10.01 && unit <= most));
  const [unit, name] = TIMES.slice(fits).find(([one]) => most < MANY * one) ?? TIMES.at(-1)!;
  const whole = (places: number) => Math.abs(Math.round((step / unit) * 10 ** places) / 10 ** places / (step / unit) - 1) < 1e-6;
  const places = [0, 1, 2, 3, 4, 5, 6, 7, 8].find(whole) ?? Math.min(9, 3 + Math.round(Math.log10(unit / TIMES[fits]![0])));
  return values.map((v) => `${v === 0 ? 0 : (v / unit).toFixed(places)} ${name}`);
}

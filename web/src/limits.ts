// One colour and one pattern a limit, the same everywhere. Okabe and Ito's palette: told apart by colour-blind eyes;
// no two have the same pattern, so that they are told apart without colour, too.
import type { LimitName } from "./analysis";

interface Look {
  colour: string;
  pattern: keyof typeof PATTERNS;
  /** Ink that reads on the colour. */
  ink: string;
}

const WHITE = "rgba(255,255,255,.4)";
const lines = (angle: number, gap = 7): string => `repeating-linear-gradient(${angle}deg, ${WHITE} 0 2px, transparent 2px ${gap}px)`;
const dots = (size: number): string => `radial-gradient(${WHITE} 0 30%, transparent 31%) 0 0 / ${size}px ${size}px`;
const half = (angle: number): string => `linear-gradient(${angle}deg, ${WHITE} 26%, transparent 27%) 0 0 / 12px 12px`;

/** CSS images. */
const PATTERNS = {
  plain: [],
  rising: [lines(135)],
  falling: [lines(45)],
  across: [lines(0)],
  upright: [lines(90)],
  crossed: [lines(45), lines(135)],
  grid: [lines(0), lines(90)],
  teeth: [half(135), half(225)],
  dotted: [dots(6)],
  spotted: [dots(13)],
};

const LOOKS: Record<LimitName, Look> = {
  handshake: { colour: "#8a8f98", pattern: "dotted", ink: "#000" },
  application: { colour: "#56b4e9", pattern: "plain", ink: "#000" },
  send_buffer: { colour: "#e69f00", pattern: "falling", ink: "#000" },
  receive_window: { colour: "#cc79a7", pattern: "rising", ink: "#000" },
  congestion_window: { colour: "#0072b2", pattern: "across", ink: "#fff" },
  path_bandwidth: { colour: "#009e73", pattern: "teeth", ink: "#000" },
  loss_recovery: { colour: "#d55e00", pattern: "upright", ink: "#000" },
  delayed_ack: { colour: "#f0e442", pattern: "crossed", ink: "#000" },
  silent_path: { colour: "#5b4a44", pattern: "grid", ink: "#fff" },
  unknown: { colour: "#c9ccd1", pattern: "spotted", ink: "#000" },
};

export const look = (limit: LimitName): Look => LOOKS[limit] ?? LOOKS.unknown;

/** A CSS background. */
export function background(limit: LimitName): string {
  const { colour, pattern } = look(limit);
  return [...PATTERNS[pattern], colour].join(", ");
}

// One colour and one pattern a limit, the same everywhere. Okabe and Ito's palette: told apart by colour-blind eyes;
// the pattern tells them apart without colour.
import type { LimitName } from "./analysis";

interface Look {
  colour: string;
  /** Angle of the hatching in degrees, or none. */
  hatch: number | null;
  /** Ink that reads on the colour. */
  ink: string;
}

const LOOKS: Record<LimitName, Look> = {
  handshake: { colour: "#8a8f98", hatch: null, ink: "#000" },
  application: { colour: "#56b4e9", hatch: null, ink: "#000" },
  send_buffer: { colour: "#e69f00", hatch: 45, ink: "#000" },
  receive_window: { colour: "#cc79a7", hatch: 135, ink: "#000" },
  congestion_window: { colour: "#0072b2", hatch: 0, ink: "#fff" },
  path_bandwidth: { colour: "#009e73", hatch: null, ink: "#000" },
  loss_recovery: { colour: "#d55e00", hatch: 90, ink: "#000" },
  delayed_ack: { colour: "#f0e442", hatch: 45, ink: "#000" },
  silent_path: { colour: "#5b4a44", hatch: 135, ink: "#fff" },
  unknown: { colour: "#c9ccd1", hatch: 90, ink: "#000" },
};

export const look = (limit: LimitName): Look => LOOKS[limit] ?? LOOKS.unknown;

/** A CSS background. */
export function background(limit: LimitName): string {
  const { colour, hatch } = look(limit);
  const lines = "rgba(255,255,255,.28) 0 2px, transparent 2px 7px";
  return hatch === null ? colour : `repeating-linear-gradient(${hatch}deg, ${lines}), ${colour}`;
}

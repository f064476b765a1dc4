// The time that all charts show, and the moment that the cursor points at.

type Listener = () => void;

/** One shared time axis, in ns from the connection's start. */
export class Axis {
  from: number;
  to: number;
  cursor: number | null = null;
  private readonly onRange = new Map<Listener, Element>();
  private readonly onCursor = new Map<Listener, Element>();
  private pending = 0;

  /** `begin` is below 0 where a second capture begins before the first. */
  constructor(readonly end: number, private readonly begin = 0) {
    [this.from, this.to] = this.whole();
  }

  /** Everything, with a little air. */
  whole(): [number, number] {
    const air = Math.max(this.end - this.begin, 1000) * 0.01;
    return [this.begin - air, this.end + air];
  }

  get span(): number {
    return this.to - this.from;
  }

  /** Shows a part; never less than a microsecond, never more than everything. */
  show(from: number, to: number): void {
    const [first, last] = this.whole();
    const width = Math.min(Math.max(to - from, 1000), last - first);
    this.from = Math.min(Math.max(from, first), last - width);
    this.to = this.from + width;
    // One drawing a frame, however many wheel events there are.
    this.pending ||= requestAnimationFrame(() => {
      this.pending = 0;
      tell(this.onRange);
    });
  }

  reset(): void {
    this.show(...this.whole());
  }

  /** Zooms by `factor` (below 1: closer) around a moment. */
  zoom(factor: number, around = (this.from + this.to) / 2): void {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  /** Moves by a part of what is shown. */
  pan(part: number): void {
    this.show(this.from + this.span * part, this.to + this.span * part);
  }

  point(time: number | null): void {
    this.cursor = time;
    tell(this.onCursor);
  }

  /** `f` hears of every other stretch, as long as `place` is on the page. */
  ranged(place: Element, f: Listener): void {
    this.onRange.set(f, place);
  }

  /** `f` hears of every move of the cursor, as long as `place` is on the page. */
  pointed(place: Element, f: Listener): void {
    this.onCursor.set(f, place);
  }
}

function tell(listeners: Map<Listener, Element>): void {
  for (const [f, place] of [...listeners]) {
    if (place.isConnected) f();
    else listeners.delete(f);
  }
}

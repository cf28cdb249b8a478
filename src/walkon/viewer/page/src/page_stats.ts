/** How long the page works for each drawing: milliseconds of scripting and upload on the main thread, lately. */

const KEPT = 120;

export interface FrameTimes {
  readonly median: number;
  readonly worst: number;
  readonly frames: number;
}

export class PageStats {
  /** Milliseconds from the start of navigation to the first frame with people; NaN before that. */
  firstFrame = Number.NaN;
  private readonly times: number[] = [];
  private next = 0;

  add(milliseconds: number): void {
    this.times[this.next % KEPT] = milliseconds;
    this.next++;
  }

  summary(): FrameTimes {
    const sorted = [...this.times].sort((a, b) => a - b);
    return {
      median: sorted[sorted.length >> 1] ?? Number.NaN,
      worst: sorted[sorted.length - 1] ?? Number.NaN,
      frames: this.next,
    };
  }
}

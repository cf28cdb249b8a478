/** The page's clock: what time of the take is shown, whether it runs, how fast, and whether it begins again. Seconds. */

export const SPEEDS: readonly number[] = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4];

export class Clock {
  time: number;
  playing = false;
  speed = 1;
  loop = true;
  /** Called when anything but the time changes, or the time is set by hand. */
  changed: () => void = () => {};

  constructor(
    readonly start: number,
    readonly stop: number,
    readonly fps: number,
  ) {
    this.time = start;
  }

  /** Let so many seconds of the wall's clock pass. */
  tick(seconds: number): void {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time < this.stop) return;
    const length = this.stop - this.start;
    if (this.loop && length > 0) {
      this.time = this.start + ((this.time - this.start) % length);
    } else {
      this.time = this.stop;
      this.playing = false;
      this.changed();
    }
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(Number.isFinite(time) ? time : this.start, this.start), this.stop);
    this.changed();
  }

  toggle(): void {
    if (!this.playing && this.time >= this.stop) this.time = this.start;
    this.playing = !this.playing;
    this.changed();
  }

  /** Stop, and go on (or back) by whole frames. */
  step(frames: number): void {
    this.playing = false;
    const now = Math.round((this.time - this.start) * this.fps);
    this.seek(this.start + (now + frames) / this.fps);
  }

  setSpeed(speed: number): void {
    this.speed = Math.min(Math.max(speed, SPEEDS[0]), SPEEDS[SPEEDS.length - 1]);
    this.changed();
  }

  /** The next faster (+1) or slower (−1) of the usual speeds. */
  shiftSpeed(by: 1 | -1): void {
    const [slower, faster] = [SPEEDS.filter((s) => s < this.speed - 1e-9), SPEEDS.filter((s) => s > this.speed + 1e-9)];
    const next = by > 0 ? faster[0] : slower[slower.length - 1];
    if (next !== undefined) this.setSpeed(next);
  }

  toggleLoop(): void {
    this.loop = !this.loop;
    this.changed();
  }
}

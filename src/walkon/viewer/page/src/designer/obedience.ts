/** Obedience: seconds of motion from a command to the first frame of an edge that was chosen by it.

Commands that change again before a hub is reached count from the first change: nobody is flattered. */

import { LIMIT } from "./drive_choice";

const KEPT = 400;

export class Obedience {
  /** Seconds, oldest first. */
  readonly delays: number[] = [];
  private asked: number | null = null;

  /** A command came at a time of the motion's clock. */
  commanded(time: number): void {
    this.asked ??= time;
  }

  /** An edge began that was chosen by the command that holds. */
  begun(time: number): void {
    if (this.asked === null) return;
    this.delays.push(Math.max(time - this.asked, 0));
    if (this.delays.length > KEPT) this.delays.shift();
    this.asked = null;
  }

  /** A command was taken back before anything followed from it. */
  withdrawn(): void {
    this.asked = null;
  }

  get waiting(): boolean {
    return this.asked !== null;
  }

  get last(): number {
    return this.delays[this.delays.length - 1] ?? Number.NaN;
  }

  get median(): number {
    const sorted = [...this.delays].sort((a, b) => a - b);
    const middle = (sorted.length - 1) / 2;
    return sorted.length ? (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2 : Number.NaN;
  }

  get worst(): number {
    return this.delays.length ? Math.max(...this.delays) : Number.NaN;
  }

  /** Share of commands that were obeyed within a step. */
  get within(): number {
    return this.delays.length
      ? this.delays.filter((delay) => delay <= LIMIT + 1e-6).length / this.delays.length
      : Number.NaN;
  }
}

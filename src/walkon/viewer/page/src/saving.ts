/** Saving from the page: a still of what is shown, and a film from one press to the next; both tell what they did. */

import { found } from "./dom";
import { note } from "./message";
import { Recording } from "./recording";
import type { World } from "./scene";
import { saveStill } from "./stills";

export class Saving {
  private readonly recording: Recording;

  constructor(
    private readonly world: World,
    /** Draws once more what is set up. */
    private readonly render: () => void,
    private readonly time: () => number,
    private readonly recordingChanged: (running: boolean) => void,
  ) {
    this.recording = new Recording(world.canvas);
  }

  /** Whether a film is being made: every picture of the screen must then be drawn. */
  get running(): boolean {
    return this.recording.running;
  }

  async still(): Promise<void> {
    try {
      note(`Saved ${await saveStill(this.world, this.render, this.fileName())}`);
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
    }
  }

  async record(): Promise<void> {
    try {
      if (this.recording.running) {
        const saved = this.recording.stop(this.fileName());
        this.recordingChanged(false);
        note(`Saved ${await saved}`);
      } else {
        this.recording.start();
        this.recordingChanged(true);
        note("Recording: press V to stop");
      }
    } catch (error) {
      this.recordingChanged(false);
      note(error instanceof Error ? error.message : String(error));
    }
  }

  private fileName(): string {
    const title = found("name").textContent ?? "take";
    const name = title.replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "");
    return `${name || "take"}-${this.time().toFixed(2)}s`;
  }
}

/** Recording: the canvas as a WebM (or what the browser can write), from one press to the next. */

import { download } from "./stills";

const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const BITS_PER_SECOND = 12_000_000;

export class Recording {
  private recorder: MediaRecorder | null = null;
  private parts: Blob[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {}

  get running(): boolean {
    return this.recorder !== null;
  }

  start(): void {
    const type = typeof MediaRecorder === "undefined" ? undefined : TYPES.find(
      (each) => MediaRecorder.isTypeSupported(each),
    );
    if (type === undefined || !this.canvas.captureStream) throw new Error("This browser cannot record a canvas.");
    this.parts = [];
    const recorder = new MediaRecorder(
      this.canvas.captureStream(60),
      { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND },
    );
    recorder.addEventListener("dataavailable", (event) => {
      if (event.data.size > 0) this.parts.push(event.data);
    });
    recorder.start(1000);
    this.recorder = recorder;
  }

  /** End it and save; returns the file's name. */
  async stop(name: string): Promise<string> {
    const { recorder } = this;
    if (!recorder) throw new Error("Nothing is being recorded.");
    const ended = new Promise((resolve) => recorder.addEventListener("stop", resolve, { once: true }));
    recorder.stop();
    this.recorder = null;
    await ended;
    for (const track of recorder.stream.getTracks()) track.stop();
    const type = recorder.mimeType.split(";")[0];
    const file = `${name}.${type === "video/mp4" ? "mp4" : "webm"}`;
    download(new Blob(this.parts, { type }), file);
    return file;
  }
}

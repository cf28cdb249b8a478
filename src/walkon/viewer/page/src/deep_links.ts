/** Links to a moment: #t=3.2&follow=ann (or eyes=ann to look through her eyes, who=ann only to select). */

export interface Moment {
  readonly time: number | null;
  readonly name: string | null;
  readonly camera: "orbit" | "follow" | "first";
}

export function readMoment(hash: string): Moment {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const text = values.get("t");
  const time = text === null || text.trim() === "" ? Number.NaN : Number(text);
  const follow = values.get("follow");
  const eyes = values.get("eyes");
  return {
    time: Number.isFinite(time) ? time : null,
    name: eyes ?? follow ?? values.get("who"),
    camera: eyes !== null ? "first" : follow !== null ? "follow" : "orbit",
  };
}

/** Keep the address at the moment that is shown, without a new entry in the history. */
export function writeMoment(moment: Moment): void {
  const values = new URLSearchParams();
  if (moment.time !== null) values.set("t", moment.time.toFixed(2));
  if (moment.name !== null) values.set({ orbit: "who", follow: "follow", first: "eyes" }[moment.camera], moment.name);
  try {
    history.replaceState(null, "", `#${values.toString()}`);
  } catch {
    // A page inside a notebook has no address of its own.
  }
}

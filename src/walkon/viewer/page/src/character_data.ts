/** A rigged character of the user's own, as walkon.viewer.character tells it: which of its joints follows which, and how.

The page has the JSON in <script type="application/json" id="character-data">; the .glb itself is inside as base64 in
<script id="character-model">, or served under ./character. Metres, z up, facing +x, rotations (w, x, y, z). */

import { fromBase64 } from "./take_bytes";

/** One foot, in the frame of the take's ankle (walkon.viewer.character_feet). */
export interface FootFit {
  /** Levels the take's sole at rest. */
  readonly flat: readonly number[];
  readonly heel: readonly number[];
  /** Ankle → joint of the ball, and from there to the ball on the sole. */
  readonly toes: readonly number[];
  readonly ball: readonly number[];
  /** (forward, left) of the flat foot's heel and ball beside the take's. */
  readonly heel_shift: readonly number[];
  readonly ball_shift: readonly number[];
}

/** How the rig follows one body. */
export interface FitData {
  /** [J] joint of the take, −1 for none. */
  readonly drives: readonly number[];
  /** [J] rotation of the rig's joint when the take's is at rest. */
  readonly turns: readonly (readonly number[])[];
  /** Metres per unit of the file. */
  readonly scale: number;
  readonly leg_ratio: number;
  readonly feet: readonly [FootFit, FootFit];
  readonly matched: number;
  readonly extra: readonly string[];
  readonly missing: readonly string[];
}

export interface CharacterData {
  readonly name: string;
  readonly convention: string;
  /** How many wear it at once. */
  readonly most: number;
  readonly names: readonly string[];
  /** [J] numbers of nodes in the file. */
  readonly nodes: readonly number[];
  readonly parents: readonly number[];
  /** [J] places and rotations at rest, in the file's units. */
  readonly places: readonly (readonly number[])[];
  readonly turns: readonly (readonly number[])[];
  /** [J] at rest in the parent node. */
  readonly translations: readonly (readonly number[])[];
  readonly scales: readonly (readonly number[])[];
  /** Rotation of what the root hangs on; the file's axes → z up; the root in the file's axes. */
  readonly outer: readonly number[];
  readonly upright: readonly number[];
  readonly root: readonly number[];
  readonly roles: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  /** Per body of the take; null for one that is no person. */
  readonly fits: readonly (FitData | null)[];
}

/** A character's data and its file. */
export interface CharacterFile {
  readonly data: CharacterData;
  readonly model: ArrayBuffer;
}

/** Return the character that this page shows its people as; null where there is none. */
export async function characterFile(): Promise<CharacterFile | null> {
  const told = document.getElementById("character-data");
  if (told === null) return null;
  const data = JSON.parse(told.textContent ?? "") as CharacterData;
  const embedded = document.getElementById("character-model");
  if (embedded !== null) {
    const bytes = fromBase64(embedded.textContent ?? "");
    embedded.remove(); // as large as the file, and no longer needed
    return { data, model: bytes.buffer };
  }
  const answer = await fetch("./character", { cache: "no-store" });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return { data, model: await answer.arrayBuffer() };
}

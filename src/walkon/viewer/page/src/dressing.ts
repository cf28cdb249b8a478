/** Dresses the people of a viewer in the user's own character, where the page has one; what fails is told under the title,
and everybody keeps the page's bodies. */

import { characterFile } from "./character_data";
import { found } from "./dom";
import { rigFailure, RigReport } from "./rig_report";
import { riggedCrowd } from "./rigged_character";
import type { Viewer } from "./viewer";

export async function dress(viewer: Viewer): Promise<void> {
  try {
    const file = await characterFile();
    if (file === null) return;
    const rigged = await riggedCrowd(viewer.take, file);
    viewer.wear(rigged);
    found("title").append(new RigReport(rigged.data, rigged.people).element);
  } catch (error) {
    found("title").append(rigFailure(error));
  }
}

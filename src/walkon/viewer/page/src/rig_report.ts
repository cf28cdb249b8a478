/** What is told about the user's own character: how much of it matched, what did not, and who wears it. */

import type { CharacterData } from "./character_data";
import { counted, element } from "./dom";

/** A line under the title that opens to the lists of joints without a match. */
export class RigReport {
  readonly element = element("details", { class: "rig", id: "rig" });

  constructor(data: CharacterData, people: number) {
    const fits = data.fits.filter((fit) => fit !== null);
    const fit = fits.reduce((least, other) => (other.matched < least.matched ? other : least));
    const missing = [...new Set(fits.flatMap((each) => each.missing))];
    const total = fit.matched + fit.extra.length;
    const parts = [data.name, `${fit.matched} of ${counted(total, "joint")} matched`];
    if (people > data.most) parts.push(`on the nearest ${data.most}`);
    this.element.append(
      element("summary", {}, parts.join(" · ")),
      element(
        "div",
        {},
        listing("Of the rig, at rest", fit.extra, "Every joint of the rig follows the take."),
        listing("Of the take, left over", missing, "Every joint of the take is followed."),
        people > data.most
          ? element("p", {}, `${people.toLocaleString("en")} people: the nearest ${data.most} wear it, the others have plain bodies.`)
          : null,
      ),
    );
  }
}

/** The line where the character cannot be shown. */
export function rigFailure(error: unknown): HTMLElement {
  const reason = error instanceof Error ? error.message : String(error);
  return element("p", { class: "rig failed", id: "rig", role: "status" }, `The character cannot be shown: ${reason}`);
}

function listing(title: string, names: readonly string[], none: string): HTMLElement {
  if (names.length === 0) return element("p", {}, none);
  return element("p", {}, element("b", {}, `${title}: `), names.join(", "));
}

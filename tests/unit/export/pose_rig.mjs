// Poses a rig with the page's own modules, for tests; bundled first (see test_rig_motion.py): node POSE_RIG ASKED ANSWER
// Asked: the character's data, which body, its skeleton, its size, and joints of the take per frame, flat.
import { readFileSync, writeFileSync } from "node:fs";
import { rigFit } from "../../../src/walkon/viewer/page/src/rig_fit";
import { RigPoser } from "../../../src/walkon/viewer/page/src/rig_poser";

const [asked, answer] = process.argv.slice(2);
const { character, body, skeleton, scale, frames } = JSON.parse(readFileSync(asked, "utf8"));
const fit = rigFit(character, character.fits[body], skeleton);
const poser = new RigPoser(fit.joints);
const told = frames.map(({ positions, rotations }) => {
  const size = { characters: 1, joints: positions.length / 3, props: 0 };
  const frame = { size, positions: Float32Array.from(positions), rotations: Float32Array.from(rotations) };
  poser.pose(fit, frame, 0, scale);
  return { positions: [...poser.positions], rotations: [...poser.rotations] };
});
writeFileSync(answer, JSON.stringify(told));

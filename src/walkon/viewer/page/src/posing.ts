/** Everything of the page that reads and poses, for tests and benchmarks under Node. */

export { Poser } from "./poser";
export { reasonAt, reasonWords } from "./reasons";
export { frameOn, frameSize, newFrame } from "./pose_frame";
export { moversOf, placedCorners, readMover } from "./stage_motion";
export { readTake, UnreadableTake } from "./take";
export { fingerPoses, HAND_SHAPES } from "./hands";
export { seatBacks, TipUpSeats } from "./tip_up_seats";
export { makeWalkCycle, walkParts } from "./walk_cycle";

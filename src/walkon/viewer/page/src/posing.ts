/** Everything of the page that reads and poses, for tests and benchmarks under Node. */

export { Poser } from "./poser";
export { frameOn, frameSize, newFrame } from "./pose_frame";
export { readTake, UnreadableTake } from "./take";
export { fingerPoses, HAND_SHAPES, palmAxes } from "./hands";
export { seatBacks, TipUpSeats } from "./tip_up_seats";
export { makeWalkCycle, walkParts } from "./walk_cycle";

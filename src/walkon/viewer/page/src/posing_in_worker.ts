/** Posing off the main thread, for tests under Node. */

export { PosingClient } from "./posing_client";
export { frameOn } from "./pose_frame";

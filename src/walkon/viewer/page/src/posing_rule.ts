/** The numbers of the posing rule, the same as walkon.take.posing.posing_rule. */

/** s; stances of one foot that are no farther apart follow each other without a swing. */
export const ABUTTING_WITHIN_S = 1e-3;
/** s between the control points of drops. */
export const DROP_STEP_S = 0.1;
/** rad by which toes turn at most to keep heel and ball as far apart as their plants. */
export const MAX_TOE_BEND_RAD = 0.35;
/** rad of knee bend below which legs are not stretched further than their clip has them. */
export const MIN_KNEE_BEND_RAD = 0.2;

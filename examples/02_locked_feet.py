"""What foot lock does: a walk is made to slide, its contacts are found again, and its feet are held.

Prints how far planted points drift before and after, and what it cost.
"""

from dataclasses import replace

import numpy as np

import walkon
from walkon.capture.build import planted_drift
from walkon.transforms import quaternions as quat

clip = walkon.studio.walk(speed=1.2, duration=4.0, seed=2)
# As in capture: the body travels a little too far, so the feet slide by 5 cm/s.
slide = np.column_stack([0.05 * clip.times, 0 * clip.times, 0 * clip.times])
sliding = walkon.detect_contacts(walkon.ground(replace(clip, root_positions=clip.root_positions + slide)))
locked = walkon.lock_feet(sliding)
change = np.degrees(quat.angle_between(locked.clip.local_rotations, sliding.local_rotations))
before, after = planted_drift(sliding), planted_drift(locked.clip)
print(f"drift of planted points: {before * 1e3:.1f} mm before, {after * 1e3:.3f} after")
print(f"joint change: {np.median(change, axis=0).max():.2f} degrees in the median, worst joint")
print(f"the root came down by at most {locked.root_shift.max() * 1e3:.1f} mm")

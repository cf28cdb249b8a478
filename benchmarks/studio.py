"""The built-in performer: how its standard session holds what it promises, and how long it takes.

    python -m benchmarks.studio

Measured on the performances as they are made (the performer knows its contacts) and on the library after the same
import as captured motion: drift of the point that carries a contact, sinking and floating of planted points, toes below
the floor in the swing, joints beyond their limits, limbs cutting into each other.
"""

import time

import numpy as np

from benchmarks.measuring import best, calibrate


def sole_points(clip) -> np.ndarray:
    """Return the heights [T, 6] of heels, balls and toe tips above the floor."""
    tips = [clip.skeleton.children[clip.skeleton.role(f"{side}_ball")][0] for side in ("left", "right")]
    return np.concatenate([clip.contact_positions[:, :, 2], clip.world.positions[:, tips, 2]], axis=1)


def main() -> None:
    from walkon import studio
    from walkon.capture.build import planted_drift
    from walkon.capture.builtin import builtin_library
    from walkon.motion.anatomy.limits import limit_excess
    from walkon.motion.body import self_contact

    calibrate()
    begun = time.perf_counter()
    clips = studio.session(7)
    made, seconds = time.perf_counter() - begun, sum(clip.duration for clip in clips)
    print(f"session: {len(clips)} recordings, {seconds:.0f} s, made in {made:.2f} s")
    rows = []
    for clip in clips:
        excess = np.degrees(limit_excess(clip.skeleton.limits, clip.local_rotations))
        joint = int(excess.max(axis=0).argmax())
        touching = self_contact(clip)
        planted = clip.contact_positions[clip.contacts][:, 2]
        rows.append(
            (
                clip.name,
                planted_drift(clip) * 1e3,
                np.abs(planted).max() * 1e3 if len(planted) else 0.0,
                max(0.0, -sole_points(clip).min()) * 1e3,
                excess.max(),
                clip.skeleton.names[joint] if excess.max() > 0 else "",
                touching.depth.max() * 1e3,
                " ".join(touching.worst) if touching.depth.max() > 0 else "",
            )
        )
    print("\nrecording                    drift mm planted z below mm limits deg joint        limbs mm parts")
    for name, drift, level, below, over, joint, depth, parts in rows:
        print(f"{name:28s}{drift:9.3f}{level:10.3f}{below:9.2f}{over:11.2f} {joint:12s}{depth:9.1f} {parts}")
    worst = [max(row[i] for row in rows) for i in (1, 2, 3, 4, 6)]
    print(f"{'worst':28s}{worst[0]:9.3f}{worst[1]:10.3f}{worst[2]:9.2f}{worst[3]:11.2f} {'':12s}{worst[4]:9.1f}")
    print(f"{'asked for':28s}{'0.5':>9s}{'2':>10s}{'0':>9s}{'0':>11s} {'':12s}{'10':>9s}")

    begun = time.perf_counter()
    library = builtin_library(fresh=True)
    made = time.perf_counter() - begun
    print(f"\n{library!r}")
    print(f"made and imported, first time  {made:6.2f} s   (asked for: under 20)")
    print(f"loaded afterwards              {best(builtin_library):6.2f} s   (asked for: under 0.3)")
    print(f"largest foot drift in it       {max(planted_drift(clip) for clip in library) * 1e3:6.2f} mm")


if __name__ == "__main__":
    main()

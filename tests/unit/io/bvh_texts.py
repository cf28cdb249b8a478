"""BVH texts for tests: the smallest file, and a whole person in any axes and units."""

import numpy as np

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Chest
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.01
1 2 3 4 5 6 7 8 9
-1 -2 -3 -4 -5 -6 -7 -8 -9
"""

_LEG = [
    ("{}UpLeg", "Hips", (0.0, 0.1, -0.05)),
    ("{}Leg", "{}UpLeg", (0.0, 0.0, -0.42)),
    ("{}Foot", "{}Leg", (0.0, 0.0, -0.40)),
    ("{}ToeBase", "{}Foot", (0.13, 0.0, -0.06)),
]
_ARM = [
    ("{}Shoulder", "Spine1", (0.0, 0.05, 0.2)),
    ("{}Arm", "{}Shoulder", (0.0, 0.12, 0.0)),
    ("{}ForeArm", "{}Arm", (0.0, 0.28, 0.0)),
    ("{}Hand", "{}ForeArm", (0.0, 0.25, 0.0)),
]


def person() -> list[tuple[str, str, tuple[float, float, float]]]:
    """Joints of a person of about 1.6 m in metres, z up, facing +x, depth first."""

    def limb(parts, side):
        sign = 1.0 if side == "Left" else -1.0
        return [(n.format(side), p.format(side), (x, sign * y, z)) for n, p, (x, y, z) in parts]

    return [
        ("Hips", "", (0.0, 0.0, 0.0)),
        *limb(_LEG, "Left"),
        *limb(_LEG, "Right"),
        ("Spine", "Hips", (0.0, 0.0, 0.1)),
        ("Spine1", "Spine", (0.0, 0.0, 0.15)),
        *limb(_ARM, "Left"),
        *limb(_ARM, "Right"),
        ("Neck", "Spine1", (0.0, 0.0, 0.25)),
        ("Head", "Neck", (0.0, 0.0, 0.1)),
    ]


# Columns are the images of forward, left and up in the file's axes.
AXES = {
    "y up, facing z": np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float),
    "y up, facing x": np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=float),
    "y up, facing -z": np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]], dtype=float),
    "z up, facing x": np.eye(3),
    "z up, facing y": np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]], dtype=float),
    "z up, facing -y": np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]], dtype=float),
}


def person_text(
    *, axes: str = "y up, facing z", unit: float = 0.01, frames: np.ndarray | None = None, frame_time: str = "0.01"
) -> str:
    """A person with root position and zyx rotations, in file axes; `frames` are channel values, default one at rest."""
    turn = AXES[axes]
    lines, depth, open_names = ["HIERARCHY"], 0, []
    joints = person()
    for name, parent, offset in joints:
        while open_names and open_names[-1] != parent:
            depth -= 1
            lines.append("\t" * depth + "}")
            open_names.pop()
        x, y, z = turn @ np.array(offset) / unit
        kind, channels = ("JOINT", "3") if parent else ("ROOT", "6 Xposition Yposition Zposition")
        lines += [
            "\t" * depth + f"{kind} {name}",
            "\t" * depth + "{",
            "\t" * (depth + 1) + f"OFFSET {x:.9f} {y:.9f} {z:.9f}",
            "\t" * (depth + 1) + f"CHANNELS {channels} Zrotation Yrotation Xrotation",
        ]
        open_names.append(name)
        depth += 1
        if not any(other == name for _, other, _ in joints):
            tip = turn @ np.array((0.05, 0.0, 0.0) if "Toe" in name else (0.0, 0.0, 0.18)) / unit
            lines.append("\t" * depth + "End Site\n" + "\t" * depth + "{")
            lines.append("\t" * (depth + 1) + "OFFSET " + " ".join(f"{v:.9f}" for v in tip))
            lines.append("\t" * depth + "}")
    while depth:
        depth -= 1
        lines.append("\t" * depth + "}")
    if frames is None:
        frames = np.zeros((1, 3 + 3 * len(joints)))
        frames[0, :3] = turn @ np.array([0.0, 0.0, 0.93]) / unit
    lines += ["MOTION", f"Frames: {len(frames)}", f"Frame Time: {frame_time}"]
    lines += [" ".join(f"{v:.6f}" for v in row) for row in frames]
    return "\n".join(lines) + "\n"

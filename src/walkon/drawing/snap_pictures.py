"""Pictures of hubs: the match frames that meet in them, and the common poses that they become.

* `hubs_picture`: for each hub, all match frames laid over one another as sticks, from the side and from the front, and
  beside them the common pose that every edge begins and ends with (Gleicher 2003, figure 8).
* `worst_picture`: for each hub the match frame that is bent the most, before and after; a ring marks the joint that
  turns farthest.

Left limbs are green and right ones orange, as everywhere; the trunk is grey. Hubs are drawn in their own frames: they
face to the right in the side view.
"""

from collections.abc import Sequence

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw, ImageFont

from walkon._base.arrays import Array, IntArray
from walkon.drawing.camera import Camera, box_corners
from walkon.drawing.canvas import FAINT, disc, new_canvas, reduce_canvas, sheet_of, write
from walkon.drawing.clip_pictures import contact_colour
from walkon.drawing.figures import PALETTE, figures
from walkon.drawing.picture import Image, render_capsules
from walkon.drawing.solids import FloorPaint
from walkon.graphs.snap_together.cutting.common_pose import move_frames
from walkon.graphs.snap_together.cutting.displacement import Frames
from walkon.graphs.snap_together.judging.quality import displacement
from walkon.graphs.snap_together.snap_graph import SnapGraph
from walkon.motion.body import Body
from walkon.motion.kinematics import WorldPose, forward, points_on_joints
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import planar

__all__ = ["hub_figure", "hub_pose", "hubs_picture", "match_poses", "worst_picture"]

TRUNK = (96, 104, 120)
BEFORE, AFTER = PALETTE[6], PALETTE[4]
"""Shirts of match frames and of common poses: two of the same person."""
OVERSAMPLING = 2
"""Sticks are drawn so many times larger, and reduced."""
TITLE_PIXELS = 30
"""Pixels over a hub's cells."""
BLOCK_GAP_PIXELS = (22, 12)
"""Pixels beside and under what is shown of a hub."""


def hub_pose(graph: SnapGraph, hub: int) -> WorldPose:
    """Return the common pose [1] of a hub, in its own frame."""
    return forward(graph.source.skeleton, graph.roots[[hub]], graph.rotations[[hub]])


def match_poses(graph: SnapGraph, matches: IntArray) -> WorldPose:
    """Return the source's poses [n] at match frames, each in its hub's frame."""
    frame = graph.source.starts[graph.matches.clip[matches]] + graph.matches.frame[matches]
    source = Frames(graph.source.root_positions[frame], graph.source.local_rotations[frame])
    placed = move_frames(planar.inverse(graph.matches.pose[matches]), source)
    return forward(graph.source.skeleton, placed.roots, placed.rotations)


def hubs_picture(
    graph: SnapGraph,
    *,
    hubs: Sequence[str | int] | None = None,
    columns: int = 2,
    size_per_cell: tuple[int, int] = (200, 260),
    most: int = 200,
) -> Image:
    """Draw match frames (at most so many of each hub) beside the common poses, for all hubs or some."""
    numbers = list(range(len(graph.hubs))) if hubs is None else [graph.hub(hub) for hub in hubs]
    bent, blocks = displacement(graph), []
    for h in numbers:
        rows = np.flatnonzero(graph.matches.hub == h)
        shown = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)]
        poses, pose, cells = match_poses(graph, shown), hub_pose(graph, h), []
        for view in ("side", "front"):
            camera = _camera(np.concatenate([poses.positions.reshape(-1, 3), pose.positions[0]]), view, size_per_cell)
            sticks = _sticks(graph.source.skeleton, poses.positions, camera, size_per_cell)
            drawn = _body(graph, pose, camera, size_per_cell, AFTER, planted=h)
            cells += [_add_note(sticks, "match frames"), _add_note(drawn, "common pose")]
        spread = bent.hubs[h]
        caption = (
            f"{len(rows)} match frames, {np.degrees(spread.median):.1f}° median, {np.degrees(spread.p95):.1f}° 95 %"
        )
        blocks.append(_block(cells, graph.hub_names[h], caption))
    return sheet_of(blocks, columns=max(columns, 1), gap=(BLOCK_GAP_PIXELS[0], 0))


def worst_picture(graph: SnapGraph, *, columns: int = 2, size_per_cell: tuple[int, int] = (200, 260)) -> Image:
    """Draw each hub's most bent match frame before and after, from the side and from the front."""
    bent, blocks = displacement(graph), []
    for h in np.flatnonzero(bent.worst_match >= 0).tolist():
        row, joint = int(bent.worst_match[h]), int(bent.worst_joint[h])
        poses, pose, cells = match_poses(graph, np.array([row])), hub_pose(graph, h), []
        for view in ("side", "front"):
            camera = _camera(np.concatenate([poses.positions[0], pose.positions[0]]), view, size_per_cell)
            for one, colour, note in ((poses, BEFORE, "before"), (pose, AFTER, "after")):
                drawn = _body(graph, one, camera, size_per_cell, colour, planted=h if one is pose else None)
                cells.append(_add_note(_ring(drawn, camera, one.positions[0, joint]), note))
        clip, time = graph.source.names[graph.matches.clip[row]], graph.match_times[row]
        caption = f"{graph.source.skeleton.names[joint]} {np.degrees(graph.displacements[row, joint]):.1f}°, {clip}"
        blocks.append(_block(cells, graph.hub_names[h], f"{caption} at {time:.2f} s"))
    return sheet_of(blocks, columns=max(columns, 1), gap=(BLOCK_GAP_PIXELS[0], 0))


def hub_figure(graph: SnapGraph, hub: str | int, size: tuple[int, int], *, view: str = "three_quarter") -> Image:
    """Draw one common pose on an empty ground."""
    pose = hub_pose(graph, graph.hub(hub))
    capsules = figures(Body.of(graph.source.skeleton, colour=AFTER), pose.positions, rotations=pose.rotations)
    camera = Camera.view(capsules.points(), view, aspect=size[0] / size[1], margin=0.10)
    return render_capsules(capsules, camera, size=size, floor=False)


def _limbs(skeleton: Skeleton) -> list[tuple[int, int, tuple[int, int, int]]]:
    """Return sticks from joints to their parents: joint, parent, colour."""
    colours: dict[int, tuple[int, int, int]] = {}
    for side in SIDES:
        red, green, blue = (round(255 * part) for part in contact_colour(side))
        colours |= {joint: (red, green, blue) for role, joint in skeleton.roles.items() if role.startswith(f"{side}_")}
    limbs = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            # Hands and toes have no role of their own: they go with what they hang on.
            colours.setdefault(joint, colours.get(parent, TRUNK))
            limbs.append((joint, parent, colours[joint]))
    return limbs


def _camera(points: Array, view: str, size: tuple[int, int]) -> Camera:
    margins = np.array([[-0.12, -0.12, -0.02], [0.12, 0.12, 0.14]])
    box = np.array([points.min(axis=0), points.max(axis=0)]) + margins
    return Camera.view(box_corners(*box), view, aspect=size[0] / size[1], margin=0.03)


def _sticks(skeleton: Skeleton, positions: Array, camera: Camera, size: tuple[int, int]) -> Image:
    """Draw skeletons [n, J, 3] over one another: the more of them agree, the darker."""
    canvas, _ = new_canvas(OVERSAMPLING * size[0], OVERSAMPLING * size[1])
    draw, fine = ImageDraw.Draw(canvas, "RGBA"), canvas.size
    x = camera.project(positions, fine)[..., :2]
    opacity = int(np.clip(900 / max(len(positions), 1), 14, 160))
    ground = camera.project(np.array([[0.0, 0.0, 0.0]]), fine)[0, 1]
    draw.line((0, ground, fine[0], ground), fill=(*FAINT, 90), width=2)
    for joint, parent, colour in _limbs(skeleton):
        for a, b in zip(x[:, parent], x[:, joint], strict=True):
            draw.line((*a, *b), fill=(*colour, opacity), width=3)
    return reduce_canvas(canvas, OVERSAMPLING)


def _body(
    graph: SnapGraph,
    pose: WorldPose,
    camera: Camera,
    size: tuple[int, int],
    colour: tuple[float, float, float],
    *,
    planted: int | None,
) -> Image:
    """Draw a body; the contacts of hub `planted` are marked on the floor."""
    skeleton = graph.source.skeleton
    capsules = figures(Body.of(skeleton, colour=colour), pose.positions, rotations=pose.rotations)
    paint = FloorPaint()
    if planted is not None and graph.contacts[planted].any():
        points = points_on_joints(pose, skeleton.contact_joints, skeleton.contact_offsets)[0, :, :2]
        down = np.flatnonzero(graph.contacts[planted])
        tones = [contact_colour(skeleton.contact_names[c]) for c in down]
        paint = FloorPaint.spots(points[down], colour=tones, radius=0.10)
    return render_capsules(capsules, camera, size=size, paint=paint)


def _ring(image: Image, camera: Camera, place: Array) -> Image:
    canvas = PillowImage.fromarray(image)
    at, radius = camera.project(place, canvas.size)[:2], max(canvas.size[0] // 14, 6)
    disc(ImageDraw.Draw(canvas), at, radius, outline=(200, 40, 60), width=2)
    return np.array(canvas)


def _add_note(image: Image, note: str) -> Image:
    canvas = PillowImage.fromarray(image)
    write(ImageDraw.Draw(canvas), (6, 4), note, size=12, colour=FAINT)
    return np.array(canvas)


def _block(cells: list[Image], title: str, caption: str) -> Image:
    """Set cells side by side under a title."""
    margins = ((TITLE_PIXELS, BLOCK_GAP_PIXELS[1]), (0, 0), (0, 0))
    canvas = PillowImage.fromarray(np.pad(sheet_of(cells, columns=len(cells)), margins, constant_values=255))
    draw = ImageDraw.Draw(canvas)
    write(draw, (4, 6), title, size=16)
    beside = 14 + draw.textlength(title, font=ImageFont.load_default(size=16))
    write(draw, (beside, 9), caption, size=13, colour=FAINT)
    return np.array(canvas)

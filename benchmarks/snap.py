"""Snap-together graphs: hubs, edges per pair, what match frames are bent by, joins, feet, and time to build.

    python -m benchmarks.snap [--json | --pictures]

Data: the built-in library; CMU subjects 69 and 143, all clips, without and with mirror images (left out where the clips
are missing), as `walkon graph build --kind snap` writes them. Times to build are shown for about 3,000 compared frames
of walking, and for each set. Joins are every edge into a hub against every edge out of it. `--pictures` remakes the
pictures of the docs instead. Playing is measured by `benchmarks.snap_player`.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.measuring import best, calibrate, clips_folder

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
FORWARD = ("69_01", "69_06", "69_13", "69_22", "69_24", "69_30", "69_31")
"""About 3,000 frames at 30 frames/s."""
PAPER = "with a designer, about 20 minutes for 3,000 frames of walking and about 12 for 900 of martial arts"
BUILD_S = 10.0
"""Asked for 3,000 frames."""
JOIN, JUMP_MM, EDGE_MM = 1e-6, 1.0, 3.0
LIMITS = {"built-in library": (2.0, 8.0), "CMU 69": (3.0, 9.0), "CMU 69 and mirror images": (3.0, 9.0)}
"""Degrees of displacement: median and 95th percentile."""


def subject(number: str, *, mirrored: bool, only: tuple[str, ...] | None = None):
    """Return the clips of a CMU subject as a library."""
    from walkon.capture.build import assemble
    from walkon.capture.recordings import find_recordings, import_recording

    folder = clips_folder()
    entries = [e for e in find_recordings(folder) if e.name.startswith(f"{number}_") and (not only or e.name in only)]
    recordings = [recording for entry in entries for recording in import_recording(entry)]
    return assemble(recordings, mirrored=mirrored, folder=folder).library


def frames_at_30(library) -> int:
    return int(sum(((library.stops - library.starts - 1) * 30 / library.fps).astype(int) + 1))


def measured(name: str, library) -> dict[str, object]:
    from walkon.graphs.snap_together import build_connected_graph
    from walkon.graphs.snap_together.judging.inspection import inspect_snap_graph

    begun = time.perf_counter()
    graph = build_connected_graph(library)
    seconds = time.perf_counter() - begun
    return {"library": name, "frames_at_30": frames_at_30(library), "build_s": seconds} | inspect_snap_graph(graph)


def built(library) -> float:
    from walkon.graphs.snap_together import build_connected_graph

    return best(lambda: build_connected_graph(library), runs=3)


def tell(row: dict) -> None:
    name = row["library"]
    print(f"\n{name}: {row['frames_at_30']} frames at 30/s, {row['hubs']} hubs, {row['edges']} edges")
    print(f"  built in {row['build_s']:.2f} s, threshold {100 * row['settings']['threshold']:.2f} cm")
    for pair in row["main_pairs"]:
        for a, b in dict.fromkeys((tuple(pair), tuple(pair[::-1]))):
            mine = next((one for one in row["pairs"] if (one["start"], one["stop"]) == (a, b)), None)
            if mine is None:
                print(f"  {a} > {b}: no edges")
                continue
            kinds = ", ".join(f"{count} {kind}" for kind, count in mine["kinds"].items() if count)
            length, speed = mine["length_m"], mine["speed_m_s"]
            print(
                f"  {a} > {b}: {mine['edges']} edges, {mine['distinct']} different ({kinds}), "
                f"{length[0]:.2f} to {length[2]:.2f} m, {speed[0]:.2f} to {speed[2]:.2f} m/s"
            )
    for one in row["targets"]:
        more = f", {one['note']}" if one["note"] else ""
        print(f"  {'yes' if one['met'] else 'NO '} {one['what']}: {one['found']:g} (asked {one['asked']:g}{more})")
    bent, limit = row["displacement_deg"], LIMITS.get(name)
    asked = "printed only" if limit is None else f"asked {limit[0]:g} and {limit[1]:g}"
    print(
        f"  displacement of joints at match frames: median {bent['median']:.2f}, 95 % {bent['p95']:.2f}, "
        f"most {bent['largest']:.1f} degrees ({asked})"
    )
    for hub in row["hub_list"]:
        d, w = hub["displacement_deg"], hub["worst_match"]
        where = "" if w is None else f"{w['joint']}, {w['clip']} {w['time_s']:.2f} s"
        print(
            f"    {hub['name']:18s} {hub['matches']:4d} frames, in {hub['edges_in']:4d} out {hub['edges_out']:4d}: "
            f"{d['median']:.2f} / {d['p95']:.2f} / {d['largest']:.1f} ({where})"
        )
    joins, feet = row["joins"], row["feet"]
    print(
        f"  {joins['pairs']} joins: places {joins['position_m']:.1e} m, rotations {joins['rotation_rad']:.1e} rad "
        f"(asked {JOIN:g})\n"
        f"  velocity jumps: median {joins['jump_median_m_s']:.3f}, 99 % {joins['jump_p99_m_s']:.3f}, most "
        f"{joins['jump_worst_m_s']:.3f} m/s (asked: the source's 99 %, {joins['limit_m_s']:.3f}; over it: "
        f"{joins['over_limit']:.2e} of them)"
    )
    if joins["jump_worst_m_s"] > joins["limit_m_s"]:
        print(f"    most: {joins['worst']}")
    print(
        f"  planted points: {1e3 * feet['across_m']:.2f} mm across a cut (asked {JUMP_MM:g}), "
        f"{1e3 * feet['within_m']:.2f} mm within an edge (asked {EDGE_MM:g}); planted {feet['planted_share']:.1%} of "
        f"the time (source {feet['source_planted_share']:.1%}); under the floor {1e3 * feet['sunk_m']:.2f} mm, "
        f"over it {1e3 * feet['lifted_m']:.2f}"
    )
    if 1e3 * feet["within_m"] > EDGE_MM:
        print(f"    within: {feet['within']}")
    if 1e3 * feet["across_m"] > JUMP_MM:
        print(f"    across: {feet['across']}")
    for note in row["notes"]:
        print(f"  note: {note}")


def draw() -> None:
    """Remake the pictures of docs/snap_together.md."""
    from walkon.drawing import save_png
    from walkon.drawing.snap_charts import displacement_picture, fan_picture, schema_picture
    from walkon.drawing.snap_pictures import hubs_picture, worst_picture
    from walkon.graphs.snap_together import builtin_snap_graph

    graph = builtin_snap_graph()
    for name, picture in (
        ("hubs", hubs_picture(graph, size_per_cell=(150, 200))),
        ("worst", worst_picture(graph, size_per_cell=(150, 200))),
        ("displacement", displacement_picture(graph, width=800, row=78)),
        ("fans", fan_picture(graph, size=300)),
        ("schema", schema_picture(graph)),
    ):
        print(save_png(picture, PICTURES / f"snap_{name}.png"))


def main() -> None:
    from walkon.capture import builtin_library

    if "--pictures" in sys.argv:
        draw()
        return
    as_json = "--json" in sys.argv
    if not as_json:
        calibrate()
    libraries = [("built-in library", builtin_library)]
    walks = None
    try:
        walks = subject("69", mirrored=False, only=FORWARD)
        libraries += [
            ("CMU 69", lambda: subject("69", mirrored=False)),
            ("CMU 69 and mirror images", lambda: subject("69", mirrored=True)),
            ("CMU 143", lambda: subject("143", mirrored=False)),
            ("CMU 143 and mirror images", lambda: subject("143", mirrored=True)),
        ]
    except SystemExit as reason:
        print(reason, file=sys.stderr)
    told = []
    for name, library in libraries:
        told.append(measured(name, library()))
        if not as_json:
            tell(told[-1])
    times = {}
    if walks is not None:
        times[frames_at_30(walks)] = built(walks)
    if as_json:
        print(json.dumps({"sets": told, "build_s_by_frames": times}, indent=2, default=np.ndarray.tolist))
        return
    for frames, seconds in times.items():
        print(f"\n{frames} frames of walking (CMU 69) built in {seconds:.2f} s (asked for 3,000: {BUILD_S:g})")
    print(f"the paper: {PAPER}")


if __name__ == "__main__":
    main()

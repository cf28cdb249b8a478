"""One recording on its way into a library: read, repaired, set on the floor, contacts found. Each step is told."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from walkon._base.errors import InvalidClip, WalkonError
from walkon.capture.defects import Defect, impossible_fall, repair
from walkon.capture.manifest import Entry
from walkon.io.bvh_read import read_bvh
from walkon.motion.clip import Clip
from walkon.motion.contacts import detect_contacts, stance
from walkon.motion.floor import find_ground, ground
from walkon.motion.foot_lock import lock_feet

__all__ = ["Recording", "clean", "import_recording", "prepare"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """A clip of a recording (or why there is none) and what was found on the way."""

    name: str
    clip: Clip | None
    """Grounded and with contacts, in its own skeleton and rate; None if it was left out."""
    left_out: str = ""
    """Why it was left out; empty if it was not."""
    found: tuple[str, ...] = ()
    """What was found and done, a sentence each."""
    warnings: tuple[str, ...] = ()
    """What the file itself got wrong (frame counts, lines cut off), a sentence each."""
    defects: tuple[Defect, ...] = ()
    ensemble: str = ""
    floor_height: float = 0.0
    """m by which the clip was lowered onto the floor."""
    floor_tilt_deg: float = 0.0
    """Degrees by which the floor was levelled."""

    @property
    def stance_share(self) -> tuple[float, float] | None:
        """Share of frames in which the left and the right foot are down, or None without feet."""
        if self.clip is None or not self.clip.skeleton.contact_names:
            return None
        left, right = stance(self.clip).mean(axis=0)
        return float(left), float(right)


def import_recording(
    entry: Entry, *, scale: float | None = None, fps: float | None = None, roles: Mapping[str, str] | None = None
) -> list[Recording]:
    """Import a recording: one result per person in it; a file that cannot be used is left out, not fatal."""
    try:
        reading = read_bvh(entry.path, scale=scale, fps=entry.fps if fps is None else fps, roles=roles, name=entry.name)
    except WalkonError as error:
        return [Recording(name=entry.name, clip=None, left_out=str(error))]
    report = reading.report
    found = [
        f"{report.scale:.6g} m per unit ({report.scale_reason})",
        f"{report.up} up ({report.up_reason})",
        f"roles by {report.roles}",
    ]
    if report.tpose_dropped:
        found.append("T-pose in the first frame dropped")
    if abs(report.fps - report.header_fps) > 1e-3 * report.fps:
        found.append(f"{report.fps:g} frames/s instead of the header's {report.header_fps:g}")
    found += report.warnings
    together = entry.ensemble or (entry.name if len(reading.clips) > 1 else "")
    results = []
    for clip in reading.clips:
        labelled = replace(clip, labels={label: np.ones(len(clip), bool) for label in entry.labels})
        results.append(replace(prepare(labelled, found=found, ensemble=together), warnings=report.warnings))
    return results


def prepare(clip: Clip, *, found: list[str] | None = None, ensemble: str = "") -> Recording:
    """Repair a raw clip, set it on the floor and find its contacts."""
    clip, defects = repair(clip)
    height = tilt = 0.0
    if clip.skeleton.has_feet:
        floor = find_ground(clip)
        clip = detect_contacts(ground(clip, floor))
        height, tilt = floor.height, floor.tilt_deg
        if wrong_rate := impossible_fall(clip):
            defects = (*defects, wrong_rate)
        if abs(height) > 0:
            defects = (*defects, Defect(kind="floor", told=f"floor {height * 100:+.1f} cm off zero: moved onto it"))
        if tilt > 0.3:
            defects = (*defects, Defect(kind="floor", told=f"floor leans {tilt:.1f} degrees: levelled"))
    fatal = next((defect.told for defect in defects if defect.fatal), "")
    return Recording(
        name=clip.name,
        clip=None if fatal else clip,
        left_out=fatal,
        found=(*(found or ()), *(defect.told for defect in defects)),
        defects=defects,
        ensemble=ensemble,
        floor_height=height,
        floor_tilt_deg=tilt,
    )


def clean(clip: Clip) -> Clip:
    """Return a raw clip repaired, on the floor, with contacts found and feet that stay put.

    The short way for one clip; `prepare` and `motion.lock_feet` are its two halves and tell what they did.
    """
    recording = prepare(clip)
    if recording.clip is None:
        raise InvalidClip(f"{clip.name!r} cannot be used: {recording.left_out}")
    return lock_feet(recording.clip).clip if recording.clip.contacts.any() else recording.clip

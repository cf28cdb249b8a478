"""The gait phase of a walk, and what is tied to it: Fourier curves over the phase, growing with speed; and noise.

The phase of the left leg is 0 at its landings and ½ at the right foot's, smooth in between:

    φ_left(t) = ½ (n(t) − n₀)        n(t) a monotone curve through the numbered landings

A curve of the table "a@p" is a cos 2πk(φ − p). Irregular motion is noise in a band of frequencies, the same for a seed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PchipInterpolator

from walkon._base.arrays import Array
from walkon.geometry.path import Path
from walkon.studio.footsteps import LONG_AGO_S, Footsteps
from walkon.studio.pace import Pace

__all__ = ["LOOK_AHEAD_S", "Rhythm", "band_noise", "keep_rhythm", "over_speed", "wave"]

TABLE_SPEEDS_M_S = np.array([0.0, 0.4, 0.8, 1.0, 1.3, 1.7, 2.0])
"""m/s at which the tables of amplitudes are given."""
LOOK_AHEAD_S = 0.2
"""s by which the head leads the way."""


class Rhythm(NamedTuple):
    """Phase, speed and impacts at T frames."""

    times: Array
    """[T] s."""
    fps: float
    phases: Array
    """[T, 2] cycles of the left and of the right leg, 0 (mod 1) at its landings; unwrapped."""
    speeds: Array
    """[T] m/s, as a body of 1.75 m would feel it."""
    accelerations: Array
    """[T] m/s², along the path."""
    arcs: Array
    """[T] m along the path."""
    bends: Array
    """[T] 1/m, the path's curvature, positive to the left."""
    looks: Array
    """[T] rad, the path's heading a little ahead, where the head is turned."""
    impacts: Array
    """[T] 0 to 1: rises with each landing and dies away within a fifth of a second."""


def keep_rhythm(steps: Footsteps, pace: Pace, path: Path, *, times: Array, fps: float, scale: float) -> Rhythm:
    """Find the phase of both legs and the speed at times [T], and what the path does there."""
    real = steps.landings > 0.5 * LONG_AGO_S
    landings, sides = steps.landings[real], steps.sides[real]
    beat = float(np.median(np.diff(landings))) if len(landings) > 1 else 0.55
    before = landings[0] - beat * np.arange(int((landings[0] - times[0]) / beat) + 3, 0, -1)
    after = landings[-1] + beat * np.arange(1, max(int((times[-1] - landings[-1]) / beat), 0) + 4)
    knots = np.concatenate([before, landings, after])
    count = PchipInterpolator(knots, (np.arange(len(knots)) - len(before)).astype(float))(times)
    left = 0.5 * (count - (0 if sides[0] == 0 else 1))
    # Smoothed over about a step: amplitudes must not jump where the speed does.
    weights = np.hanning(19)[1:-1]
    around = times[:, None] + beat * np.linspace(-0.8, 0.8, 17)
    speeds = np.interp(around, pace.times, pace.speeds) @ (weights / weights.sum())
    latest = landings[np.clip(np.searchsorted(landings, times, side="right") - 1, 0, None)]
    since = np.maximum(times - latest, 0.0)
    hit = np.clip(since / 0.03, 0.0, 1.0) * np.exp(-since / 0.07) * (times >= landings[0])
    arcs, felt = pace.arc(times), speeds / np.sqrt(scale)
    return Rhythm(
        times=times,
        fps=fps,
        phases=np.stack([left, left + 0.5], axis=1),
        speeds=felt,
        accelerations=np.gradient(speeds, 1.0 / fps),
        arcs=arcs,
        bends=path.curvature(arcs, span=0),
        looks=path.pose(arcs + LOOK_AHEAD_S * felt)[:, 2],
        impacts=hit * np.clip(speeds / 1.3, 0.0, 1.3),
    )


def over_speed(speeds: Array, table: ArrayLike) -> Array:
    """Return a table given at `TABLE_SPEEDS_M_S`, linear in between."""
    return np.asarray(np.interp(speeds, TABLE_SPEEDS_M_S, np.asarray(table, dtype=np.float64)))


def wave(phase: Array, peak: ArrayLike, *, harmonic: int = 1) -> Array:
    """Return cos 2πk(φ − peak)."""
    return np.asarray(np.cos(2 * np.pi * harmonic * (phase - np.asarray(peak))))


def band_noise(rng: np.random.Generator, shape: tuple[int, int], *, fps: float, band: tuple[float, float]) -> Array:
    """Return noise [T, D] of standard deviation 1 with frequencies from band[0] to band[1] Hz, falling as 1/√f."""
    T, D = shape
    size = max(64, 1 << int(np.ceil(np.log2(T + 2 * fps))))
    frequencies = np.fft.rfftfreq(size, 1.0 / fps)
    low, high = band
    gain = np.where((frequencies >= low) & (frequencies <= high), np.sqrt(low / np.maximum(frequencies, low)), 0.0)
    gain[0] = 0.0
    # Soft edges keep it from ringing.
    gain *= np.clip((high - frequencies) / (0.3 * high), 0.0, 1.0)
    spectrum = gain[:, None] * (rng.standard_normal((len(gain), D)) + 1j * rng.standard_normal((len(gain), D)))
    noise = np.fft.irfft(spectrum, size, axis=0)
    expected = np.sqrt(2.0 * np.sum(gain**2)) * np.sqrt(2.0) / size
    return np.asarray(noise[:T] / max(float(expected), 1e-12))

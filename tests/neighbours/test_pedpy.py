"""PedPy, which pedestrian researchers measure with, loads our trajectories and finds the same people and densities."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

import take_scenes
from command_line import run_code
from walkon.export import Excerpt, export
from walkon.io import load_trajectories
from walkon.motion.body import Body
from walkon.stage import Obstacle, Stage
from walkon.take.storing.writer import TakeWriter

pedpy = pytest.importorskip("pedpy")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "trajectories.md"
HALL = Stage(
    bounds=[(-3, -4), (12, -4), (12, 8), (-3, 8)],
    obstacles=(Obstacle(polygon=[(3, -3), (4, -3), (4, -2), (3, -2)], height=2.0),),
)
SQUARE = [(1.0, -1.0), (4.0, -1.0), (4.0, 5.0), (1.0, 5.0)]


@pytest.fixture(scope="module")
def crowd():
    """Eight people, one metre apart, who start one after another."""
    clip = take_scenes.walking()
    writer = TakeWriter(stage=HALL)
    body = writer.add_body(Body.of(clip.skeleton))
    for number in range(8):
        who = writer.add_character(f"in cm {number}", body=body)
        writer.perform(
            who, clip, start=0.3 + 0.4 * number, stop=4.0 + 0.4 * number, place=(0.0, 0.9 * number - 1.5, 0.1)
        )
    return writer.close()


def load(path):
    if path.suffix == ".txt":
        return pedpy.load_trajectory(trajectory_file=path)
    return pedpy.load_trajectory_from_jupedsim_sqlite(trajectory_file=path)


@pytest.mark.parametrize("name", ["people.txt", "people.sqlite", "three.sqlite"])
@pytest.mark.parametrize("part", [{"fps": 25.0}, {"fps": 29.97, "start": 1.0, "stop": 5.0}], ids=["whole", "part"])
def test_pedpy_finds_everybody_where_they_are(tmp_path, crowd, name, part):
    path = export(crowd, tmp_path / name, **part, **({"version": 3} if name.startswith("three") else {}))
    theirs = load(path)
    excerpt = Excerpt.of(crowd, **part)
    assert theirs.frame_rate == excerpt.fps
    poses = crowd.sample(excerpt.times)
    assert len(theirs.data) == poses.present.sum()
    ids, frames = theirs.data.id.to_numpy(), theirs.data.frame.to_numpy()
    places = poses.planar[frames, ids, :2]
    assert np.hypot(*(theirs.data[["x", "y"]].to_numpy() - places).T).max() < 1e-3
    times = excerpt.start + frames / theirs.frame_rate
    assert np.abs(times - excerpt.times[frames]).max() < 0.5 / excerpt.fps


def test_pedpy_finds_the_floor_and_everybody_on_it(tmp_path, crowd):
    path = export(crowd, tmp_path / "people.sqlite", fps=25)
    floor = pedpy.load_walkable_area_from_jupedsim_sqlite(trajectory_file=path)
    assert floor.area == pytest.approx(15 * 12 - 1)
    assert len(floor.polygon.interiors) == 1
    assert pedpy.is_trajectory_valid(traj_data=load(path), walkable_area=floor)


def test_a_stage_without_bounds_gets_a_floor_that_pedpy_takes(tmp_path, crowd):
    path = export(replace(crowd, stage=Stage()), tmp_path / "people.sqlite", fps=25)
    floor = pedpy.load_walkable_area_from_jupedsim_sqlite(trajectory_file=path)
    assert pedpy.is_trajectory_valid(traj_data=load(path), walkable_area=floor)


@pytest.mark.parametrize("name", ["people.txt", "people.sqlite"])
def test_densities_are_what_the_take_says(tmp_path, crowd, name):
    path = export(crowd, tmp_path / name, fps=25)
    theirs = pedpy.compute_classic_density(traj_data=load(path), measurement_area=pedpy.MeasurementArea(SQUARE)).density
    excerpt = Excerpt.of(crowd, fps=25)
    planar = crowd.sample(excerpt.times).planar
    inside = shapely.contains_xy(shapely.Polygon(SQUARE), planar[..., 0], planar[..., 1])
    ours = inside.sum(axis=1) / 18.0
    assert ours.max() > 0.2
    np.testing.assert_allclose(theirs.reindex(range(excerpt.count), fill_value=0.0), ours, atol=1e-12)


def test_speeds_are_those_of_our_table(tmp_path, crowd):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(export(crowd, tmp_path / "people.csv", fps=25))
    theirs = pedpy.compute_individual_speed(
        traj_data=load(export(crowd, tmp_path / "people.sqlite", fps=25)), frame_step=1
    )
    both = theirs.merge(table, on=["id", "frame"])
    assert len(both) == len(theirs) > 500
    assert np.abs(both.speed_x - both.speed_y).max() < 1e-3


def test_we_read_what_pedpy_reads(tmp_path, crowd):
    for name in ("people.txt", "people.sqlite"):
        path = export(crowd, tmp_path / name, fps=25)
        theirs, ours = load(path).data.sort_values(["id", "frame"]), load_trajectories(path)
        assert theirs.id.tolist() == ours.ids.tolist()
        assert theirs.frame.tolist() == ours.frames.tolist()
        np.testing.assert_allclose(theirs[["x", "y"]], ours.positions, atol=1e-12)


def test_the_page_runs(tmp_path):
    pytest.importorskip("matplotlib")
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(examples) == 4
    run_code("\n".join(examples), cwd=tmp_path)
    assert (tmp_path / "density.png").stat().st_size > 20_000

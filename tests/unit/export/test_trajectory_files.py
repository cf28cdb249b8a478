"""Trajectories go out and come back: to 1 mm, 0.05 degrees and half a frame, whole or not at all."""

import csv
import itertools
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import shapely

import take_scenes
from walkon._base.errors import CannotWrite, InvalidValue, MissingExtra
from walkon.export import Excerpt, export
from walkon.export import excerpt as excerpt_module
from walkon.export.trajectories import trajectory_rows
from walkon.io import load_trajectories
from walkon.io.trajectories.trajectory_stream import TrajectoryRows
from walkon.motion.body import Body
from walkon.stage import Obstacle, Stage
from walkon.take.storing.writer import TakeWriter
from walkon.transforms import angles

ENDS = (".csv", ".parquet", ".sqlite", ".txt")
ROOM = Stage(
    bounds=[(-30, -30), (30, -30), (30, 30), (-30, 30)],
    obstacles=(
        Obstacle(polygon=[(0, 0), (2, 0), (2, 1), (0, 1)], height=0.8, name="table"),
        Obstacle(polygon=[(5, 5), (6, 5), (6, 6), (5, 6)], base=2.5, height=3.0, name="lamp"),
        Obstacle(polygon=[(8, 5), (9, 5), (9, 6), (8, 6)], height=0.02, name="rug"),
    ),
)


@pytest.fixture(scope="module")
def crowd():
    """Everything a take can hold: people who come late, go early, come back, are never there, discs, an arm."""
    return replace(take_scenes.every_feature(np.random.default_rng(5)), stage=ROOM)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(excerpt_module, "BODIES_AT_ONCE", 70)  # several blocks of time even for a small take


def all_rows(excerpt):
    parts = list(trajectory_rows(excerpt, lambda share: None))
    assert len(parts) > 3
    return TrajectoryRows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def same(found, excerpt, *, heading):
    """What came back is what `Take.sample` says: every person in every frame, and nobody else."""
    poses = excerpt.take.sample(excerpt.times, characters=excerpt.characters)
    frame, column = np.nonzero(poses.present)
    order = np.lexsort((frame, column))
    frame, column = frame[order], column[order]
    assert found.ids.tolist() == excerpt.characters[column].tolist()
    assert found.frames.tolist() == frame.tolist()
    planar = poses.planar[frame, column]
    assert np.hypot(*(found.positions - planar[:, :2]).T).max() < 1e-3
    assert np.abs(found.times - excerpt.times[frame]).max() < 0.5 / excerpt.fps
    assert found.rate == pytest.approx(excerpt.fps, rel=1e-4)
    if heading:
        assert np.degrees(np.abs(angles.difference(found.headings, planar[:, 2])).max()) < 0.05
    else:
        assert found.headings is None


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "part",
    [{}, {"fps": 24.0}, {"fps": 29.97, "start": 0.31, "stop": 2.0}, {"fps": 120.0, "characters": [9, 2, 4]}],
    ids=["whole", "24", "29.97", "three"],
)
def test_round_trips(tmp_path, crowd, end, part):
    path = export(crowd, tmp_path / f"people{end}", **part)
    found = load_trajectories(path)
    excerpt = Excerpt.of(crowd, **part)
    same(found, excerpt, heading=end != ".txt")
    if end != ".txt":
        there = set(found.people.tolist())
        assert {k: found.names[k] for k in there} == {k: crowd.names[k] for k in there}
    if end != ".csv":
        assert shapely.equals(shapely.from_wkt(found.geometry), area_of(ROOM))


def area_of(stage):
    table, *_ = stage.obstacles
    return shapely.difference(shapely.Polygon(stage.bounds), shapely.Polygon(table.polygon))


@pytest.mark.parametrize("end", ENDS)
def test_nobody_is_there_beyond_the_end(tmp_path, end):
    take = take_scenes.one_walker(moves=[(0.0, 0.0, 0.0)])
    found = load_trajectories(export(take, tmp_path / f"people{end}", fps=10, start=-0.5, stop=take.stop + 1))
    assert found.frames.tolist() == list(range(5, 13))
    assert found.times[[0, -1]] == pytest.approx([0.0, take.stop])


def test_schema_three_has_no_facing(tmp_path, crowd):
    found = load_trajectories(export(crowd, tmp_path / "people.sqlite", version=3))
    same(found, Excerpt.of(crowd), heading=False)
    with closing(sqlite3.connect(tmp_path / "people.sqlite")) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(trajectory_data)")]
        assert columns == ["frame", "id", "pos_x", "pos_y"]
        assert database.execute("SELECT value FROM metadata WHERE key = 'version'").fetchone() == ("3",)


def test_blocks_of_time_change_nothing(crowd, monkeypatch):
    excerpt = Excerpt.of(crowd, fps=30)
    many = all_rows(excerpt)
    monkeypatch.setattr(excerpt_module, "BODIES_AT_ONCE", 10**9)
    one = TrajectoryRows(*(np.concatenate(c) for c in zip(*trajectory_rows(excerpt, lambda share: None), strict=True)))
    for a, b in zip(many, one, strict=True):
        np.testing.assert_array_equal(a, b)


def test_velocities_are_central_differences(crowd):
    excerpt = Excerpt.of(crowd, fps=60)
    rows = all_rows(excerpt)
    planar = crowd.sample(excerpt.times).planar[..., :2]
    for k in range(0, len(rows.ids), 37):
        who, frame = rows.ids[k], rows.frames[k]
        path = planar[:, who]
        near = [f for f in (frame - 1, frame, frame + 1) if 0 <= f < len(path) and np.isfinite(path[f, 0])]
        if len(near) == 1:
            assert np.isnan(rows.velocities[k]).all()
        else:
            slope = (path[near[-1]] - path[near[0]]) * 60 / (near[-1] - near[0])
            np.testing.assert_allclose(rows.velocities[k], slope, atol=1e-9)


def test_speeds_are_those_of_a_walk(tmp_path):
    take = take_scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 4)
    path = export(take, tmp_path / "people.csv", fps=30)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["id", "name", "frame", "time_s", "x", "y", "z", "heading", "speed", "vx", "vy"]
    assert np.mean([float(row["speed"]) for row in rows]) == pytest.approx(1.1, abs=0.05)


def odd_names():
    clip = take_scenes.walking()
    writer = TakeWriter()
    body = writer.add_body(Body.of(clip.skeleton))
    for number, name in enumerate(['Doe, "Jo"', "two\nlines", " space ", "żółw", "in cm", "framerate 7"]):
        who = writer.add_character(name, body=body)
        writer.perform(who, clip, start=0.0, stop=1.0, place=(0.0, number, 0.0))
    return writer.close()


@pytest.mark.parametrize("end", ENDS)
def test_odd_names_do_no_harm(tmp_path, end):
    take = odd_names()
    found = load_trajectories(export(take, tmp_path / f"people{end}", fps=20))
    same(found, Excerpt.of(take, fps=20), heading=end != ".txt")
    if end == ".csv":
        assert [found.names[k].strip() for k in range(6)] == [name.strip() for name in take.names]
    elif end != ".txt":
        assert tuple(found.names[k] for k in range(6)) == take.names


def test_somebody_in_a_single_frame_has_a_place_but_no_speed(tmp_path):
    take = take_scenes.one_walker(moves=[(0.0, 0.0, 0.0)], seconds=0.2)
    path = export(take, tmp_path / "people.csv", fps=2)
    assert path.read_text().splitlines()[1].startswith("0,ann,0,0.000000,")
    assert path.read_text().splitlines()[1].endswith(",,,")
    assert len(load_trajectories(path, rate=2)) == 1
    assert len(load_trajectories(export(take, tmp_path / "people.parquet", fps=2))) == 1


def test_an_endless_stage_gets_a_box_around_everybody(tmp_path):
    take = take_scenes.one_walker(moves=[(0.0, 0.0, 0.0)] * 3)
    found = load_trajectories(export(take, tmp_path / "people.sqlite"))
    box = shapely.from_wkt(found.geometry)
    low, high = found.positions.min(axis=0), found.positions.max(axis=0)
    np.testing.assert_allclose(box.bounds, [*(low - 2), *(high + 2)], atol=1e-5)
    for end in (".txt", ".parquet"):
        assert load_trajectories(export(take, tmp_path / f"people{end}")).geometry is None


@pytest.mark.parametrize("end", [".sqlite", ".txt", ".parquet"])
def test_an_area_can_be_given(tmp_path, crowd, end):
    mine = "POLYGON ((-50 -50, 50 -50,\n 50 50, -50 50, -50 -50))"
    found = load_trajectories(export(crowd, tmp_path / f"people{end}", geometry=mine, fps=5))
    assert shapely.from_wkt(found.geometry).area == 10_000
    for wrong in ("a square", "POINT (0 0)", "POLYGON EMPTY"):
        with pytest.raises(InvalidValue, match="geometry must be"):
            export(crowd, tmp_path / f"people{end}", geometry=wrong)


def test_obstacles_that_cut_the_floor_make_parts(tmp_path):
    wall = Obstacle(polygon=[(-1, -40), (1, -40), (1, 40), (-1, 40)], height=2.0)
    take = replace(take_scenes.one_walker(moves=[(0.0, 0.0, 0.0)]), stage=replace(ROOM, obstacles=(wall,)))
    found = load_trajectories(export(take, tmp_path / "people.sqlite"))
    assert shapely.from_wkt(found.geometry).geom_type == "MultiPolygon"


def test_jupedsim_finds_every_frame_and_the_extent(tmp_path, crowd):
    path = export(crowd, tmp_path / "people.sqlite", fps=10)
    count = Excerpt.of(crowd, fps=10).count
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*), min(frame), max(frame) FROM frame_data").fetchone() == (
            count,
            0,
            count - 1,
        )
        notes = dict(database.execute("SELECT key, value FROM metadata"))
        (number,) = database.execute("SELECT hash FROM geometry").fetchone()
        assert database.execute("SELECT DISTINCT geometry_hash FROM frame_data").fetchall() == [(number,)]
        lengths = database.execute("SELECT ori_x * ori_x + ori_y * ori_y FROM trajectory_data").fetchall()
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert (notes["version"], float(notes["fps"])) == ("2", 10.0)
    assert [float(notes[key]) for key in ("xmin", "xmax", "ymin", "ymax")] == [-30, 30, -30, 30]
    np.testing.assert_allclose(lengths, 1.0, atol=1e-12)


def test_parquet_has_row_groups_of_time_and_says_what_it_holds(tmp_path, crowd, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    from walkon.io.trajectories import parquet_trajectories

    monkeypatch.setattr(parquet_trajectories, "GROUP_ROWS", 200)
    with parquet.ParquetFile(export(crowd, tmp_path / "people.parquet", fps=30)) as file:
        groups = [file.metadata.row_group(k) for k in range(file.num_row_groups)]
        frames = [(g.column(2).statistics.min, g.column(2).statistics.max) for g in groups]
        assert len(groups) > 3
        assert all(200 <= group.num_rows < 400 for group in groups[:-1])
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(frames))
        assert b'"fps": 30.0' in file.schema_arrow.metadata[b"walkon"]


@pytest.mark.parametrize("end", ENDS)
def test_the_same_take_gives_the_same_bytes(tmp_path, crowd, end):
    one, two = (export(crowd, tmp_path / f"{name}{end}", fps=15).read_bytes() for name in "ab")
    assert one == two


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_fails_halfway_leaves_the_old_file_and_nothing_else(tmp_path, crowd, end, error):
    path = tmp_path / f"people{end}"
    path.write_bytes(b"old")
    shares = []

    def stop(share):
        shares.append(share)
        if share > 0.5:
            raise error

    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else CannotWrite):
        export(crowd, path, progress=stop)
    assert shares == sorted(shares)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_full_disk_under_sqlite_is_a_sentence(tmp_path, crowd, monkeypatch):
    from walkon.io.trajectories import jupedsim_sqlite

    path = tmp_path / "people.sqlite"
    path.write_bytes(b"old")

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(jupedsim_sqlite, "_fill", full)
    with pytest.raises(CannotWrite, match=r"disk is full.*untouched"):
        export(crowd, path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("end", ENDS)
def test_progress_runs_to_the_end(tmp_path, crowd, end):
    shares = []
    export(crowd, tmp_path / f"people{end}", fps=10, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 3


def test_wrong_options_are_sentences(tmp_path, crowd):
    with pytest.raises(InvalidValue, match=r"version must be 2 \(with facings\) or 3"):
        export(crowd, tmp_path / "people.sqlite", version=1)
    with pytest.raises(InvalidValue, match=r"csv takes no options, got 'version'"):
        export(crowd, tmp_path / "people.csv", version=2)
    with pytest.raises(InvalidValue, match=r"jupedsim takes the options geometry, version, got 'rotations'"):
        export(crowd, tmp_path / "people.sqlite", rotations="int16")
    assert not list(tmp_path.iterdir())


def test_a_format_can_be_asked_for_whatever_the_name(tmp_path, crowd):
    export(crowd, tmp_path / "people.csv")
    export(crowd, tmp_path / "people.dat", format="csv")
    assert (tmp_path / "people.dat").read_bytes() == (tmp_path / "people.csv").read_bytes()


def test_a_missing_extra_is_named(tmp_path, crowd, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"walkon\[parquet\]"):
        export(crowd, tmp_path / "people.parquet")
    assert not list(tmp_path.iterdir())


def test_a_target_that_is_a_folder_is_refused(tmp_path, crowd):
    (tmp_path / "people.sqlite").mkdir()
    with pytest.raises(CannotWrite, match="folder"):
        export(crowd, tmp_path / "people.sqlite")

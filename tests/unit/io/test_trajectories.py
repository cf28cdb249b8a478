"""Trajectories of other tools come in as they are; what is damaged is refused with a sentence, file and line."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from walkon._base.errors import FileError, InvalidValue, MissingExtra, UnknownName, UnreadableFile
from walkon.io import Trajectories, load_trajectories

SQUARE = "POLYGON ((0 0, 10 0, 10 8, 0 8, 0 0))"
ROWS = [(frame, person, 0.5 * frame + person, 0.25 * frame - person) for frame in range(6) for person in (3, 7)]
"""Two people over six frames: frame, id, x, y."""


def facing(frame):
    return (np.cos(0.3 * frame), np.sin(0.3 * frame))


def jupedsim(path, version, *, rows=ROWS, fps=10, lifted=False):
    """A recording as JuPedSim 1.0 (schema 1), 1.1 (2) and 2.0 (3) leave it."""
    oriented = version < 3 or lifted
    with closing(sqlite3.connect(path)) as database, database:
        numbers = "pos_x REAL NOT NULL, pos_y REAL NOT NULL" + (", ori_x REAL, ori_y REAL" if oriented else "")
        database.execute(f"CREATE TABLE trajectory_data (frame INTEGER NOT NULL, id INTEGER NOT NULL, {numbers})")
        database.execute("CREATE TABLE metadata(key TEXT NOT NULL UNIQUE, value TEXT NOT NULL)")
        notes = [("version", version)] + ([("fps", fps)] if fps is not None else [])
        database.executemany("INSERT INTO metadata VALUES(?, ?)", notes)
        if version == 1:
            database.execute("CREATE TABLE geometry(wkt TEXT NOT NULL)")
            database.execute("INSERT INTO geometry VALUES(?)", (SQUARE,))
        else:
            database.execute("CREATE TABLE geometry(hash INTEGER NOT NULL, wkt TEXT NOT NULL)")
            database.execute("CREATE TABLE frame_data(frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL)")
            database.execute("INSERT INTO geometry VALUES(?, ?)", (-5, SQUARE))
        filled = [(*row, *(facing(row[0]) if oriented else ())) for row in rows]
        database.executemany(f"INSERT INTO trajectory_data VALUES({', '.join('?' * (6 if oriented else 4))})", filled)
    return path


def text(tmp_path, content, name="people.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def check(found):
    """The two people of `ROWS`, sorted by person."""
    want = sorted(ROWS, key=lambda row: (row[1], row[0]))
    assert found.ids.tolist() == [row[1] for row in want]
    assert found.frames.tolist() == [row[0] for row in want]
    np.testing.assert_allclose(found.positions, [row[2:] for row in want], atol=1e-12)
    np.testing.assert_allclose(found.times, found.frames / 10, atol=1e-9)
    assert found.rate == 10
    assert found.people.tolist() == [3, 7]


@pytest.mark.parametrize(("version", "lifted"), [(1, False), (2, False), (3, False), (3, True)])
def test_every_schema_of_jupedsim_is_read(tmp_path, version, lifted):
    found = load_trajectories(jupedsim(tmp_path / "people.sqlite", version, lifted=lifted))
    check(found)
    assert found.geometry == SQUARE
    if version < 3 or lifted:
        np.testing.assert_allclose(found.headings, 0.3 * found.frames, atol=1e-12)
    else:
        assert found.headings is None


def test_areas_that_change_are_united(tmp_path):
    path = jupedsim(tmp_path / "people.sqlite", 2)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO geometry VALUES(1, 'POLYGON ((10 0, 12 0, 12 8, 10 8, 10 0))')")
    import shapely

    assert shapely.from_wkt(load_trajectories(path).geometry).area == pytest.approx(96)


def test_somebody_without_a_facing_has_none(tmp_path):
    path = jupedsim(tmp_path / "people.sqlite", 2)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE trajectory_data SET ori_x = 0, ori_y = 0 WHERE frame = 0 AND id = 7")
    found = load_trajectories(path)
    assert np.flatnonzero(np.isnan(found.headings)).tolist() == [6]


def test_reading_leaves_a_database_as_it_is(tmp_path):
    path = jupedsim(tmp_path / "people.sqlite", 1)
    before = path.read_bytes()
    load_trajectories(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["people.sqlite"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DROP TABLE trajectory_data", "without the table 'trajectory_data'"),
        ("DROP TABLE metadata", "without the table 'metadata'"),
        ("UPDATE metadata SET value = '4' WHERE key = 'version'", "version is 4; versions 1 to 3"),
        ("DELETE FROM metadata WHERE key = 'version'", "version is missing"),
        ("DELETE FROM metadata WHERE key = 'fps'", "how many frames a second"),
        ("UPDATE metadata SET value = 'ten' WHERE key = 'fps'", "'ten', not a number"),
        ("UPDATE metadata SET value = '0' WHERE key = 'fps'", "over 0 frames per second, got 0"),
        ("UPDATE trajectory_data SET pos_y = 'north' WHERE rowid = 4", "row 4 of 'trajectory_data'.*'north'"),
        ("UPDATE trajectory_data SET pos_x = 9e999 WHERE rowid = 5", "row 5 of 'trajectory_data'.*'inf'"),
        ("UPDATE trajectory_data SET frame = 1.5 WHERE rowid = 5", "every frame must be a whole number, got 1.5"),
        ("UPDATE trajectory_data SET frame = 2, id = 3 WHERE rowid = 1", "person 3 is twice in frame 2"),
        ("DELETE FROM trajectory_data", "nobody in this file"),
        ("UPDATE geometry SET wkt = 'POLYGON ((0 0, 1'", "not well-known text"),
        ("UPDATE geometry SET wkt = 'POINT (0 0)'", "no area"),
        ("ALTER TABLE trajectory_data RENAME COLUMN pos_x TO easting", "no column pos_x"),
    ],
)
def test_a_database_that_is_not_a_recording_is_refused(tmp_path, change, words):
    path = jupedsim(tmp_path / "people.sqlite", 2)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(change)
    with pytest.raises(UnreadableFile, match=words) as error:
        load_trajectories(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_view_in_place_of_a_table_is_never_run(tmp_path):
    path = jupedsim(tmp_path / "people.sqlite", 2)
    endless = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT k AS frame, k AS id FROM n"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE trajectory_data")
        database.execute(f"CREATE VIEW trajectory_data AS {endless}")
    with pytest.raises(UnreadableFile, match="without the table"):
        load_trajectories(path)


def test_rate_and_scale_can_be_told(tmp_path):
    found = load_trajectories(jupedsim(tmp_path / "people.sqlite", 2, fps=None), rate=5, scale=0.1)
    assert found.rate == 5
    assert found.times.max() == pytest.approx(1.0)
    np.testing.assert_allclose(found.of(3).positions[1], [0.35, -0.275])
    with pytest.raises(InvalidValue, match="rate must be over 0, got -1"):
        load_trajectories(tmp_path / "people.sqlite", rate=-1)


def lines(order="{id} {frame} {x} {y} 0", unit=1.0):
    return "".join(order.format(frame=f, id=p, x=x / unit, y=y / unit, t=f / 10) + "\n" for f, p, x, y in ROWS)


@pytest.mark.parametrize(
    ("head", "order", "unit"),
    [
        ("# framerate: 10.00\n# id frame x/m y/m z/m\n", "{id} {frame} {x} {y} 1.7", 1.0),
        (
            "# description: UNI_CORR_500\n# framerate: 10 fps\n#PersID\tFrame\tX/cm\tY/cm\tZ/cm\n",
            "{id}\t{frame}\t{x}\t{y}\t1",
            0.01,
        ),
        (
            "#framerate: 10\n#X,Y,Z: the agents coordinates (in metres)\n#ID\tFR\tX\tY\tZ\n",
            "{id}\t{frame}\t{x}\t{y}\t0",
            1.0,
        ),
        ("# framerate: 10\n# x/cm y/cm\n", "{id} {frame} {x} {y}", 0.01),
        ("# framerate: 10\n# positions in cm\n", "{id} {frame} {x} {y}", 0.01),
        ("# framerate: 10\n# frame id y/m x/m\n", "{frame} {id} {y} {x}", 1.0),
        ("\ufeff# framerate: 10\n\n# id frame x/m y/m\n", "  {id}   {frame} {x} {y} \n# a remark\n", 1.0),
    ],
)
def test_pedpy_text_is_read(tmp_path, head, order, unit):
    check(load_trajectories(text(tmp_path, head + lines(order, unit))))


def test_text_of_jpscore_has_facings_in_degrees_and_names_its_geometry_only(tmp_path):
    head = "#framerate: 8.00\n#geometry: geometry.xml\n#X,Y,Z: the agents coordinates (in metres)\n"
    head += "#ID\tFR\tX\tY\tZ\tA\tB\tANGLE\tCOLOR\n"
    found = load_trajectories(text(tmp_path, head + "1\t0\t3.30\t3.33\t0.00\t0.18\t0.25\t-90.00\t0\n"))
    assert found.headings[0] == pytest.approx(-np.pi / 2)
    assert found.geometry is None


def test_text_may_carry_its_area_and_start(tmp_path):
    head = f"# framerate: 10\n# start: 2.5 s\n# geometry: {SQUARE}\n# id frame x/m y/m\n"
    found = load_trajectories(text(tmp_path, head + lines()))
    assert found.geometry == SQUARE
    np.testing.assert_allclose(found.times, 2.5 + found.frames / 10)


HEAD = "# framerate: 10\n# id frame x/m y/m z/m\n"


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (HEAD + "1 0 1.0 2.0 0\n1 1 1.0\n", 4, "3 values where the lines before have 5"),
        (HEAD + "1 0 1.0 2.0 0\n\n1 1 1.0 2.0 0 9\n", 5, "6 values"),
        (HEAD + "1 0 1.0 2.0 0\n1 1 1.0 two 0\n", 4, "y is 'two', not a number"),
        (HEAD + "1 0 1.0 2.0 0\n# remark\n1 1 1,5 2.0 0\n", 5, "decimals with a point"),
        (HEAD + "1 0 1.0 2.0 0\n1 1 nan 2.0 0\n", 4, "leave out frames"),
        (HEAD + "1 0 1.0 2.0 0\n1 1 inf 2.0 0\n", 4, "x is 'inf'"),
        (HEAD + "1 0 1.0 2.0 0\n" + "x" * 100 + " 1 1 2 0\n", 4, "x'…, not a number"),
        (HEAD + "1 0\n", 3, "'x' should be number 3"),
        (HEAD + "1.5 0 1 2 0\n", None, "every id must be a whole number, got 1.5"),
        (HEAD + "1 0 1 2 0\n1 0 1 2 0\n", None, "person 1 is twice in frame 0"),
        (HEAD, None, "comments, but no rows"),
        ("1 0 1 2 0\n", None, "metres or centimetres"),
        ("# x/m\n1 0 1 2 0\n", None, "how many frames a second"),
        (HEAD.replace("10", "0"), None, "comments, but no rows"),
        (HEAD.replace("10", "0") + "1 0 1 2 0\n", None, "over 0 frames per second"),
        ("# geometry: POLYGON ((0 0, 1\n" + HEAD + "1 0 1 2 0\n", None, "not well-known text"),
        ("", None, "empty"),
        (" \n\n", None, "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", None, "neither a SQLite database"),
        (HEAD.encode() + b"1 0 \xff\xfe 2 0\n", 3, "not a number"),
    ],
)
def test_odd_text_is_refused_with_its_line(tmp_path, content, line, words):
    path = text(tmp_path, content)
    with pytest.raises(UnreadableFile, match=words) as error:
        load_trajectories(path)
    where = f"{path}: " if line is None else f"{path}:{line}: "
    assert str(error.value).startswith(where)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("head", "order"),
    [
        ("id,frame,time_s,x,y", "{id},{frame},{t},{x},{y}"),
        ("ped_id;Frame;Time [s];pos_x;pos_y", "{id};{frame};{t};{x};{y}"),
        ("frame\tagent-id\tX (m)\tY (m)\ttime", "{frame}\t{id}\t{x}\t{y}\t{t}"),
        ("id t x y", "{id} {t} {x} {y}"),
        ('"PersID", "FR", "X", "Y", "speed"', "{id}, {frame}, {x}, {y}, 1.3"),
    ],
)
def test_tables_with_the_usual_names_are_read(tmp_path, head, order):
    rate = None if {"time", "t", "time_s", "Time [s]"} & set(head.replace(",", " ").replace("\t", " ").split()) else 10
    rate = None if "Time [s]" in head else rate
    check(load_trajectories(text(tmp_path, head + "\n" + lines(order), "people.csv"), rate=rate))


def test_units_are_told_by_the_names_of_columns(tmp_path):
    content = "id,time_ms,x_cm,y/mm,heading_deg\n1,0,100,1000,90\n1,40,150,1500,450\n"
    found = load_trajectories(text(tmp_path, content, "people.csv"))
    np.testing.assert_allclose(found.positions, [[1, 1], [1.5, 1.5]])
    np.testing.assert_allclose(found.headings, np.pi / 2)
    assert found.rate == 25


@pytest.mark.parametrize("rate", [25.0, 29.97, 119.88, 30000 / 1001, 1 / 3])
def test_the_rate_is_told_by_frames_and_times(tmp_path, rate):
    content = "id,frame,time,x,y\n" + "".join(f"1,{k},{k / rate:.6f},0,0\n" for k in range(5, 900))
    assert load_trajectories(text(tmp_path, content)).rate == pytest.approx(rate, abs=5e-4)
    content = "id,time,x,y\n" + "".join(f"1,{k / rate:.6f},0,0\n" for k in range(5, 900))
    found = load_trajectories(text(tmp_path, content))
    assert found.rate == pytest.approx(rate, rel=1e-5)
    assert found.frames.tolist() == list(range(895))


def test_people_may_be_called_by_words(tmp_path):
    content = 'name,frame,x,y\n"Doe, Jane",0,1,2\nbob,0,3,4\n"Doe, Jane",1,1,2.5\n'
    found = load_trajectories(text(tmp_path, content), rate=1)
    assert found.ids.tolist() == [0, 0, 1]
    assert dict(found.names) == {0: "Doe, Jane", 1: "bob"}
    assert found.of("bob").positions.tolist() == [[3, 4]]
    with pytest.raises(UnknownName, match="person 'bo'"):
        found.of("bo")
    with pytest.raises(InvalidValue, match="no person 5"):
        found.of(5)


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("id,frame,x\n1,0,0\n", 1, "no column y among 'id', 'frame', 'x'"),
        ("# a remark\nid,x,y\n1,0,0\n", 2, "no column frame or time"),
        ("1,0,0.5,0.5\n", 1, "name the columns"),
        ("id,frame,x,y\n1,0,0,0\n1,1,0\n", 3, "3 values where the lines before have 4"),
        ("id,frame,x,y\n1,0,0,0\n\n1,1,0,0,0\n", 4, "5 values"),
        ("id,frame,x,y\n1,0,0,\n", 2, "y is '', not a number"),
        ('id,name,frame,x,y\n1,"a\nb",0,0,0\n1,"a\nb",1,0,west\n', 5, "y is 'west'"),
        ("id;frame;x;y\n1;0;0,5;0\n", 2, "decimals with a point"),
        ("id,time,x,y\n1,0,0,0\n1,1,0,0\n1,2,0,0\n1,3.4,0,0\n1,4,0,0\n", None, "not evenly spaced"),
        ("id,time,x,y\n1,0,0,0\n2,0,1,1\n", None, "no rate"),
        ("id,frame,x,y\n1,0,0,0\n", None, "how many frames a second"),
        ("id,frame,x,y\n", None, "nobody in this file"),
        ("id,frame,x,y\n1,0,0,0\n" + "9" * 200_000 + ",1,1,1\n", 3, "no row of a table"),
    ],
)
def test_odd_tables_are_refused_with_their_line(tmp_path, content, line, words):
    path = text(tmp_path, content, "people.csv")
    with pytest.raises(UnreadableFile, match=words) as error:
        load_trajectories(path)
    where = f"{path}: " if line is None else f"{path}:{line}: "
    assert str(error.value).startswith(where)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="no such file"):
        load_trajectories(tmp_path / "nobody.csv")
    with pytest.raises(UnreadableFile, match="folder"):
        load_trajectories(tmp_path)


def test_tables_of_parquet_are_read(tmp_path, monkeypatch):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    frame, person, x, y = zip(*ROWS, strict=True)
    time = [f / 10 for f in frame]
    path = tmp_path / "people.parquet"
    parquet.write_table(arrow.table({"ped_id": person, "time": time, "x/m": x, "pos_y": y}), path)
    check(load_trajectories(path))
    parquet.write_table(arrow.table({"id": ["a", "b"], "frame": [0, 1], "x": [0, 1], "y": [0, 1]}), path)
    with pytest.raises(UnreadableFile, match="'id' is not of numbers"):
        load_trajectories(path)
    parquet.write_table(arrow.table({"id": [1, 2], "frame": [0, 1], "x": [0, None], "y": [0, 1]}), path)
    with pytest.raises(UnreadableFile, match="x is missing or not finite in row 2"):
        load_trajectories(path)
    parquet.write_table(arrow.table({"id": [1, 2], "x": [0, 1]}), path)
    with pytest.raises(UnreadableFile, match="no column y"):
        load_trajectories(path)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"walkon\[parquet\]"):
        load_trajectories(path)


def damaged(content, rng):
    """Cut off, or some bytes changed, or a piece taken out."""
    kind = rng.integers(3)
    if kind == 0:
        return content[: rng.integers(len(content))]
    if kind == 1:
        changed = bytearray(content)
        for at in rng.integers(0, len(content), rng.integers(1, 20)):
            changed[at] = rng.integers(256)
        return bytes(changed)
    a = int(rng.integers(len(content)))
    return content[:a] + content[a + int(rng.integers(1, 500)) :]


@pytest.mark.parametrize("kind", ["sqlite", "txt", "csv", "parquet"])
def test_damaged_files_are_read_or_refused_but_never_crash(tmp_path, rng, kind):
    rows = [(frame, person, 0.01 * frame, -0.01 * person) for frame in range(200) for person in range(4)]
    path = tmp_path / f"people.{kind}"
    if kind == "sqlite":
        jupedsim(path, 2, rows=rows)
    elif kind == "txt":
        path.write_text(HEAD + "".join(f"{p} {f} {x:.4f} {y:.4f} 0\n" for f, p, x, y in rows))
    elif kind == "csv":
        path.write_text("id,frame,time,x,y\n" + "".join(f"{p},{f},{f / 10},{x:.4f},{y:.4f}\n" for f, p, x, y in rows))
    else:
        arrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        frame, person, x, y = zip(*rows, strict=True)
        parquet.write_table(arrow.table({"id": person, "frame": frame, "x": x, "y": y}), path)
    whole = path.read_bytes()
    refused = 0
    for _ in range(150):
        path.write_bytes(damaged(whole, rng))
        try:
            load_trajectories(path, rate=10)
        except FileError as error:
            refused += 1
            assert str(path) in str(error)
    assert refused > 30


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.999])
def test_a_recording_that_is_cut_off_is_refused(tmp_path, keep):
    rows = [(frame, person, 0.0, 0.0) for frame in range(2000) for person in range(4)]
    path = jupedsim(tmp_path / "people.sqlite", 2, rows=rows)
    content = path.read_bytes()
    path.write_bytes(content[: int(keep * len(content))])
    with pytest.raises(UnreadableFile, match=rf"cut off: \d+ of {len(content)} bytes"):
        load_trajectories(path)


def test_rows_are_sorted_and_locked_and_fit_together():
    found = Trajectories(
        ids=[2, 1, 1],
        frames=[0, 5, 4],
        times=[0.0, 0.5, 0.4],
        positions=[[0, 0], [1, 1], [2, 2]],
        headings=[0.0, 1.0, 2.0],
        rate=10,
    )
    assert found.ids.tolist() == [1, 1, 2]
    assert found.frames.tolist() == [4, 5, 0]
    assert found.positions[:, 0].tolist() == [2, 1, 0]
    assert found.headings.tolist() == [2, 1, 0]
    assert not found.positions.flags.writeable
    assert repr(found) == "Trajectories(2 people, 3 rows, 0.00 to 0.50 s, 10 frames/s, with headings)"
    plain = {"ids": [1, 2], "frames": [0, 0], "times": [0.0, 0.0], "positions": [[0, 0], [1, 1]], "rate": 10}
    for name, wrong in {
        "frames": [0],
        "times": [0.0],
        "positions": [[0, 0, 0], [1, 1, 1]],
        "headings": [0.0],
        "rate": 0,
    }.items():
        with pytest.raises(InvalidValue):
            Trajectories(**{**plain, name: wrong})

"""Random scenes on random floors: they load, are checked, performed and audited, or are refused in words."""

import numpy as np
import pytest

from floors import hills, sheet, slope, stairs, two_layers
from walkon._base.errors import WalkonError
from walkon.crowd.performing import perform_with_report
from walkon.script import Character, Mark, Scene
from walkon.script.checks import ImpossibleScene
from walkon.stage import FlatFloor, Obstacle, RampFloor, Seat, Stage, TerrainFloor


def holed(rng):
    """A floor of squares, some of them missing."""
    line = np.arange(-12.0, 12.1, 4.0)
    found = [
        sheet(line[i : i + 2], line[j : j + 2], np.full((2, 2), rng.choice([0.0, 0.0, 0.15])))
        for i in range(len(line) - 1)
        for j in range(len(line) - 1)
        if rng.random() > 0.15
    ]
    return TerrainFloor(np.concatenate(found))


FLOORS = (
    lambda rng: FlatFloor(rng.uniform(-5, 5)),
    lambda rng: RampFloor([0, 0, 0], [*rng.uniform(3, 8, 2), rng.uniform(-1, 1)]),
    lambda rng: TerrainFloor(hills(seed=int(rng.integers(1000)), half=15.0, step=1.0)),
    lambda rng: TerrainFloor(two_layers(height=rng.uniform(0.6, 6.0))),
    lambda rng: TerrainFloor(stairs(width=20.0)),
    lambda rng: TerrainFloor(slope(rng.uniform(-12, 12))),
    holed,
)


def random_scene(seed):
    """A few people who stand, walk and sit on some floor; z is named, left out or wrong."""
    rng = np.random.default_rng(seed)
    floor = FLOORS[seed % len(FLOORS)](rng).placed([*rng.uniform(-300, 300, 2), rng.uniform(-3, 3), rng.uniform(-9, 9)])
    middle = np.asarray(floor.corners).reshape(-1, 3)[:, :2].mean(axis=0) if isinstance(floor, TerrainFloor) else (0, 0)

    def place():
        x, y = (float(v) for v in middle + rng.uniform(-9, 9, 2))
        heights = np.array([floor([x, y]).heights, floor.lowest([x, y])])
        z = rng.choice([*heights, heights.mean()], p=[0.48, 0.48, 0.04])
        return (x, y), None if rng.random() < 0.3 or np.isnan(z) else float(z)

    seats, obstacles = [], []
    for k in range(int(rng.integers(0, 3))):
        (x, y), z = place()
        low = float(np.nan_to_num(floor([x, y], near=np.nan if z is None else z).heights))
        seats.append(Seat(place=[x, y, rng.uniform(-3, 3)], height=low + 0.45, name=f"s{k}"))
        (x, y), z = place()
        low = float(np.nan_to_num(floor([x, y], near=np.nan if z is None else z).heights))
        corners = np.array([x, y]) + np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * rng.uniform(0.2, 2)
        obstacles.append(Obstacle(polygon=corners, base=low + rng.uniform(0, 2), height=low + 2.5, name=f"o{k}"))
    people = []
    for k in range(int(rng.integers(1, 5))):
        (x, y), z = place()
        goal, end = place()
        mark = Mark(name="m", position=goal, z=end)
        if seats and rng.random() < 0.3:
            seat = seats[int(rng.integers(len(seats)))]
            x_y = tuple(seat.place[:2].tolist())
            mark = Mark(name="m", position=x_y, facing=float(seat.place[2]), pose="sit", seat=seat.name)
        people.append(Character(name=f"p{k}", place=(x, y, rng.uniform(-3, 3)), z=z, marks=(mark,)))
    stage = Stage(floor=floor, seats=tuple(seats), obstacles=tuple(obstacles))
    return Scene(stage=stage, characters=tuple(people))


def perform_and_audit(seed):
    """Return "refused", "unmet" or "met"; what was performed must be what the audit finds."""
    try:
        made = perform_with_report(random_scene(seed))
    except ImpossibleScene as refused:
        assert all(problem.sentence.strip() and "\n" not in problem.sentence for problem in refused.problems)
        return "refused"
    except WalkonError as refused:
        assert "\n" not in str(refused)
        return "refused"
    report = made.take.audit().to_json()
    told, found = {row[:2] for row in made.unmet}, report["marks"]["unmet"]
    assert len(told) == len(found), (seed, made.unmet, found)
    assert report["kinematics"]["max_difference_m"] < 1e-4
    last = made.take.pose(made.take.duration - 0.05)
    assert np.isfinite(last.positions).all()
    return "unmet" if told else "met"


@pytest.mark.parametrize("first", range(0, 28, 7))
def test_random_scenes_on_random_floors_are_performed_or_refused(first):
    """Each kind of floor, four times."""
    assert {perform_and_audit(seed) for seed in range(first, first + 7)} & {"met"}


@pytest.mark.slow
def test_many_random_scenes():
    results = [perform_and_audit(seed) for seed in range(100, 205)]
    assert results.count("met") > 20 and results.count("refused") > 5

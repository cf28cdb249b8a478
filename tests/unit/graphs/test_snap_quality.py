from dataclasses import replace

import numpy as np
import pytest

from snap_toys import WALK, pole_graph
from walkon.graphs.snap_together import build_snap_graph
from walkon.graphs.snap_together.judging.inspection import inspect_snap_graph
from walkon.graphs.snap_together.judging.quality import (
    KINDS,
    displacement,
    distinct_edges,
    main_pairs,
    pair_figures,
    reach,
    targets,
    turn_kinds,
)
from walkon.graphs.snap_together.snap_graph import LEFT, RIGHT
from walkon.motion.library import Library

NAMES = ("walk_0.90", "walk_1.35", "arc_left_1.20_50", "arc_right_1.20_50", "start_left_0.90", "idle_neutral")


@pytest.fixture(scope="module")
def hubs(performer):
    return build_snap_graph(Library.of([performer[name] for name in NAMES]))


def test_turns_are_sorted_from_sharp_right_to_sharp_left():
    kinds = turn_kinds(np.deg2rad([-170.0, -46.0, -44.0, -11.0, -9.0, 0.0, 9.0, 11.0, 44.0, 46.0, 180.0]))
    assert [KINDS[k] for k in kinds] == ["sharp right"] * 2 + ["right"] * 2 + ["straight"] * 3 + ["left"] * 2 + [
        "sharp left"
    ] * 2


def test_end_sites_do_not_make_displacements_look_small(hubs):
    turning = ~hubs.source.skeleton.end_sites
    assert not turning.all()
    found = displacement(hubs)
    assert found.overall.median == pytest.approx(np.median(hubs.displacements[:, turning]))
    assert found.overall.median > np.median(hubs.displacements)
    assert [spread is None for spread in found.joints] == hubs.source.skeleton.end_sites.tolist()


def test_the_worst_match_frame_of_each_hub_is_named(hubs):
    bad = np.array(hubs.displacements)
    row = int(np.flatnonzero(hubs.matches.hub == 1)[2])
    bad[row, 4] = 1.5
    found = displacement(replace(hubs, displacements=bad))
    assert (found.worst_match[1], found.worst_joint[1]) == (row, 4)
    assert found.hubs[1].largest == found.overall.largest == 1.5
    assert found.hubs[0] == displacement(hubs).hubs[0]


def test_pairs_hold_all_edges_and_agree_with_them(hubs):
    pairs = list(pair_figures(hubs))
    assert sum(pair["edges"] for pair in pairs) == len(hubs.edges)
    for pair in pairs:
        rows = hubs.between(pair["start"], pair["stop"])
        assert pair["edges"] == sum(pair["kinds"].values()) == len(rows)
        assert pair["duration_s"][0] == hubs.edges.duration[rows].min()
        assert pair["turn_deg"][2] == pytest.approx(np.degrees(hubs.edges.turn[rows].max()))
        assert 1 <= pair["distinct"] <= pair["edges"]
        for name in ("duration_s", "length_m", "speed_m_s", "turn_deg"):
            low, middle, high = pair[name]
            assert low <= middle <= high


def test_a_turn_of_more_than_half_a_circle_is_a_turn_to_the_side_it_is_made_to():
    graph = pole_graph([(0, 0, 2.0, -np.deg2rad(183.0) / 2.0, WALK)], hubs=("a",))
    assert graph.edges.displacement[0, 2] > 0  # wrapped, it would be 177 degrees to the left
    (pair,) = pair_figures(graph)
    assert pair["kinds"]["sharp right"] == 1
    assert pair["turn_deg"][1] == pytest.approx(-183.0, abs=0.01)


def test_edges_that_end_alike_are_one():
    step = 1 / 30
    rows = [
        (0, 0, 1.0, 0.0, WALK),
        (0, 0, 1.0, np.deg2rad(1.0), WALK),  # ends 1 cm and 1 degree away
        (0, 0, 1.0, np.deg2rad(4.0), WALK),
        (0, 0, 1.0 + 3 * step, 0.0, WALK),  # 10 cm further
    ]
    graph = pole_graph(rows, hubs=("a",))
    assert distinct_edges(graph, np.arange(4)).tolist() == [0, 2, 3]
    # The same place by a full turn more is another way to get there, and so is a slower one.
    turned = replace(graph, edges=graph.edges.with_columns(turn=[0.0, 2 * np.pi, 0.0, 0.0]))
    assert 1 in distinct_edges(turned, np.arange(2))
    slower = replace(graph, edges=graph.edges.with_columns(duration=[1.0, 1.0 + 2 * step, 1.0, 1.0]))
    assert distinct_edges(slower, np.arange(2)).tolist() == [0, 1]
    assert distinct_edges(graph, np.zeros(0, np.int64)).tolist() == []


def test_the_main_pair_is_a_left_and_a_right_hub_to_walk_on(hubs):
    ((left, right),) = main_pairs(hubs)
    assert hubs.hubs.stance[left] == LEFT
    assert hubs.hubs.stance[right] == RIGHT
    assert hubs.hub_names[left].startswith("walk_left")
    assert hubs.counts[left, right] > 3


def test_hubs_to_step_sideways_on_are_no_main_hubs(hubs):
    sideways = np.array(hubs.root_velocities)
    sideways[:, [0, 1]] = sideways[:, [1, 0]]
    (only,) = main_pairs(replace(hubs, root_velocities=sideways))
    assert only[0] == only[1] == int(np.diag(hubs.counts).argmax())


def test_reach_in_two_edges_is_what_walking_finds(hubs):
    one, two = reach(hubs)
    for a in range(len(hubs.hubs)):
        direct = set(hubs.edges.stop[hubs.out_edges(a)].tolist())
        further = {int(s) for b in direct for s in hubs.edges.stop[hubs.out_edges(b)]}
        assert set(np.flatnonzero(one[a]).tolist()) == direct
        assert set(np.flatnonzero(two[a]).tolist()) == direct | further


def test_targets_are_counted(hubs):
    told = {target["what"]: target for target in targets(hubs)}
    left, right = (hubs.hub_names[h] for h in main_pairs(hubs)[0])
    pair = told[f"edges {left} → {right}"]
    assert (pair["asked"], pair["found"]) == (40, len(hubs.between(left, right)))
    assert not pair["met"]
    assert pair["note"] == f"{len(distinct_edges(hubs, hubs.between(left, right)))} of them different"
    turns = hubs.edges.turn[np.concatenate([hubs.between(left, right), hubs.between(right, left)])]
    sharp = told[f"sharp turns to the left {left} ↔ {right}"]
    assert (sharp["asked"], sharp["found"]) == (2, np.count_nonzero(turns > np.deg2rad(45.0)))
    assert f"sharp turns to the right {left} ↔ {right}" in told
    kinds = told[f"kinds of turns with 2 edges or more {left} ↔ {right}"]
    assert kinds["asked"] == 5
    assert kinds["found"] == np.count_nonzero(np.bincount(turn_kinds(turns), minlength=5) >= 2)
    assert told["hubs that reach each other"]["met"]
    assert "edges of a carrying hub to itself" not in told  # nobody carries in these clips
    assert told["edges with start"]["found"] >= 1


def test_inspection_is_plain_and_complete(hubs):
    import json

    told = inspect_snap_graph(hubs)
    assert json.loads(json.dumps(told)) == told
    assert [hub["name"] for hub in told["hub_list"]] == list(hubs.hub_names)
    assert told["displacement_deg"]["median"] == pytest.approx(np.degrees(displacement(hubs).overall.median))
    assert told["joins"]["position_m"] < 1e-6
    assert told["feet"]["within_m"] < 3e-3
    assert sum(hub["matches"] for hub in told["hub_list"]) == told["matches"]
    assert sum(hub["edges_in"] for hub in told["hub_list"]) == told["edges"] == len(hubs.edges)
    quick = inspect_snap_graph(hubs, joins=False)
    assert told.keys() - quick.keys() == {"joins", "feet"}

"""Toes: after they gave way, heel and ball are as far apart as asked."""

import numpy as np

from walkon.take.posing.posing_rule import MAX_TOE_BEND_RAD
from walkon.take.posing.toes import Feet, toe_bend, toe_turn
from walkon.transforms import quaternions as quat

HEEL, JOINT, BALL = np.array([-0.05, 0.0, 0.0]), np.array([0.12, 0.0, 0.03]), np.array([0.12, 0.0, 0.0])
FOOT = Feet(np.zeros(3), HEEL, JOINT, BALL)


def some_feet(rng: np.random.Generator, count: int) -> Feet:
    turn = quat.normalize(rng.normal(size=(count, 4)))
    points = [quat.rotate(turn, point + rng.normal(0, 0.003, (count, 3))) for point in (HEEL, JOINT, BALL)]
    return Feet(np.zeros((count, 3)), *points)


def test_bent_toes_bring_heel_and_ball_to_their_distance(rng: np.random.Generator) -> None:
    feet = some_feet(rng, 200)
    _, heels, joints, balls = feet
    lengths = np.linalg.norm(balls - heels, axis=1) + rng.uniform(-0.004, 0.004, 200)
    bent = feet.turn_toes(toe_turn(feet, bends=toe_bend(feet, lengths=lengths))).balls
    assert np.abs(np.linalg.norm(bent - heels, axis=1) - lengths).max() < 1e-12
    assert np.abs(np.linalg.norm(bent - joints, axis=1) - np.linalg.norm(balls - joints, axis=1)).max() < 1e-12


def test_toes_that_are_right_stay(rng: np.random.Generator) -> None:
    feet = some_feet(rng, 50)
    assert np.abs(toe_bend(feet, lengths=np.linalg.norm(feet.balls - feet.heels, axis=1))).max() < 1e-7


def test_a_millimetre_is_about_two_degrees() -> None:
    bend = toe_bend(FOOT, lengths=np.linalg.norm(BALL - HEEL) - 0.001)
    assert np.degrees(bend) == np.clip(np.degrees(bend), 1.5, 2.5)


def test_toes_turn_only_so_far() -> None:
    assert toe_bend(FOOT, lengths=0.05) == MAX_TOE_BEND_RAD
    assert toe_bend(FOOT, lengths=0.5) == -MAX_TOE_BEND_RAD


def test_a_ball_at_its_joint_or_in_line_with_the_sole_has_no_axis() -> None:
    for ball in (JOINT, JOINT + 0.3 * (JOINT - HEEL)):
        foot = FOOT._replace(balls=ball)
        assert np.array_equal(toe_turn(foot, bends=toe_bend(foot, lengths=0.15)), quat.IDENTITY)

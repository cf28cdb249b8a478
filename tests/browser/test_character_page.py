"""A rigged character of the user's own on the page: it is seen, its feet stand, and what did not match is listed."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib as gl
import pytest
from page_scene import page_take
from PIL import Image

from rig_files import person_joints, write_rig
from take_scenes import walking
from walkon._base.arrays import Array
from walkon.motion.body import Body
from walkon.take import Take, TakeWriter
from walkon.transforms import quaternions as quat
from walkon.viewer import PageServer, write_page
from walkon.viewer.page_file import STATIC

pytestmark = pytest.mark.slow

Open = Callable[..., Any]
SIZE = {"width": 640, "height": 400}
SMALL = {"width": 160, "height": 120}
"""Enough where only places are asked for, and drawn sooner."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (STATIC / "viewer.html").is_file():
        pytest.skip("the page has not been built: run `make page`")
    return tmp_path_factory.mktemp("characters")


@pytest.fixture(scope="module")
def rig(folder: Path) -> Path:
    return write_rig(folder / "robot.glb")


@pytest.fixture(scope="module")
def dressed(folder: Path, rig: Path) -> Path:
    """The page's scene, its people as the robot."""
    return write_page(page_take(), folder / "dressed.html", character=rig)


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Open a page; whatever it writes into the console as an error fails the test."""
    contexts, faults = [], []

    def open_page(address: Path | str, hash: str = "#t=1", **options: Any) -> Any:
        offline = isinstance(address, Path)
        context = browser.new_context(**{"viewport": SIZE, "reduced_motion": "reduce", "offline": offline} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: faults.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"file://{address}{hash}" if offline else f"{address}{hash}")
        page.evaluate("walkon.ready")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for fault in faults if "GPU stall" not in fault] == []


def pixels(page: Any) -> np.ndarray:
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)


def rig_at(page: Any, time: float, name: str = "ann") -> dict[str, Array]:
    """Where the joints of somebody's rig are drawn, by role."""
    places = page.evaluate(f"walkon.seek({float(time)!r}).then(() => walkon.rig('{name}'))")
    return {role: np.array(place) for role, place in places.items()}


def test_people_are_drawn_as_the_character_where_their_hips_are(opened: Open, dressed: Path) -> None:
    page = opened(dressed)
    image = pixels(page)
    for name in ("ann", "bob", "cy"):
        place = page.evaluate(f"walkon.where('{name}')")
        x, y = round(place["x"]), round(place["y"])
        red, green, blue = image[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).mean(axis=0)
        assert blue > 1.15 * red, name  # the colour of its cloth, whatever the take's is
        assert green > 1.1 * red, name
        assert page.evaluate(f"walkon.rig('{name}')") is not None
    for name in ("disc", "arm", "nobody"):
        assert page.evaluate(f"walkon.rig('{name}')") is None
    assert page.evaluate("walkon.stats().triangles") > 5000


def test_what_did_not_match_is_listed_under_the_title(opened: Open, dressed: Path) -> None:
    page = opened(dressed)
    summary = page.locator("#rig summary")
    assert summary.inner_text() == "robot.glb · 20 of 28 joints matched"
    summary.press("Enter")
    shown = page.locator("#rig").inner_text()
    for words in ("Of the rig, at rest:", "mixamorig:LeftHandThumb1", "mixamorig:RightShoulder"):
        assert words in shown
    assert page.get_by_text("mixamorig:RightHandIndex2").is_visible()


def stances(take: Take, points: tuple[int, ...], times: Array, name: str = "ann") -> list[Array]:
    """Runs of times in which these contact points (left heel, ball, right heel, ball) of somebody all bear."""
    down = take.sample(times).contacts[:, take.names.index(name)][:, list(points)].all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]).astype(int)))
    return [times[a:b] for a, b in edges.reshape(-1, 2) if b - a >= 3]


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_planted_feet_of_the_character_stand_still(opened: Open, dressed: Path, name: str) -> None:
    take, page = page_take(), opened(dressed, viewport=SMALL)
    times = np.arange(0.3, 1.9, 1 / 20)
    posed = {t: rig_at(page, t, name) for t in times.tolist()}
    flat = stances(take, (0, 1), times, name) + stances(take, (2, 3), times, name)
    assert len(flat) >= 2
    for side, points, joint in (
        ("left", (0, 1), "ankle"),
        ("right", (2, 3), "ankle"),
        ("left", (1,), "ball"),
        ("right", (3,), "ball"),
    ):
        for stance in stances(take, points, times, name):
            places = np.array([posed[t][f"{side}_{joint}"] for t in stance.tolist()])
            assert np.ptp(places, axis=0).max() < 0.002, (side, joint, stance[0])
    # Over the take's own ankles, at the height of the rig's soles.
    poses = take.sample(flat[0])
    row = take.names.index(name)
    skeleton = take.bodies[poses.bodies[row]].skeleton
    ankles = poses.positions[:, row, skeleton.role("left_ankle")]
    mine = np.array([posed[t]["left_ankle"] for t in flat[0].tolist()])
    np.testing.assert_allclose(mine[:, :2], ankles[:, :2], atol=0.002)
    scale = float(take.characters.scale[row]) * 1.59 / 1.62
    np.testing.assert_allclose(mine[:, 2], 0.1 * scale, atol=0.002)


def test_legs_keep_their_lengths_and_move_smoothly(opened: Open, dressed: Path) -> None:
    page = opened(dressed, viewport=SMALL)
    times = np.arange(0.5, 1.6, 1 / 30)
    posed = [rig_at(page, t) for t in times.tolist()]
    for side in ("left", "right"):
        hip, knee, ankle = (np.array([p[f"{side}_{part}"] for p in posed]) for part in ("hip", "knee", "ankle"))
        assert np.ptp(np.linalg.norm(knee - hip, axis=1)) < 1e-4
        assert np.ptp(np.linalg.norm(ankle - knee, axis=1)) < 1e-4
        ahead = np.cross(knee - hip, ankle - hip)[:, 1]  # ann walks along x: knees are in front, never behind
        assert ahead.min() > 0.0
        for joint in (hip, knee, ankle):
            assert (np.linalg.norm(np.diff(joint, n=2, axis=0), axis=1) * 30**2).max() < 60.0  # m/s²; the take has 42
    spans = np.array([p["left_wrist"] - p["left_shoulder"] for p in posed])
    assert (spans[:, 2] < -0.35).all()  # bound with its arms held out, it walks with them down


VARIANTS = {
    "centimetres": {"unit": 0.01},
    "armature": {"armature": True, "posed": True},
    "back": {"turn": quat.about(np.array([0.0, 1.0, 0.0]), np.pi)},
    "z up": {"turn": quat.about(np.array([1.0, 0.0, 0.0]), np.pi / 2), "oriented": False},
}


def test_units_axes_and_armatures_make_no_difference(opened: Open, dressed: Path, folder: Path) -> None:
    wanted = rig_at(opened(dressed, viewport=SMALL), 1.3)
    for name, options in VARIANTS.items():
        path = write_page(page_take(), folder / "variant.html", character=write_rig(folder / "variant.glb", **options))
        found = rig_at(opened(path, viewport=SMALL), 1.3)
        assert found.keys() == wanted.keys()
        for role, place in wanted.items():
            np.testing.assert_allclose(found[role], place, atol=1e-3, err_msg=f"{name}: {role}")


def test_a_rig_without_toes_is_drawn_and_told(opened: Open, folder: Path) -> None:
    rig = write_rig(folder / "bare.glb", person_joints(fingers=False, toes=False))
    page = opened(write_page(page_take(), folder / "bare.html", character=rig))
    page.locator("#rig summary").click()
    assert "Of the take, left over: LeftToeBase, RightToeBase" in page.locator("#rig").inner_text()
    times = np.arange(0.3, 1.9, 1 / 15)
    for stance in stances(page_take(), (0, 1), times):
        places = np.array([rig_at(page, t)["left_ankle"] for t in stance.tolist()])
        assert np.ptp(places, axis=0).max() < 0.002


def test_of_a_large_crowd_the_nearest_sixty_wear_it(opened: Open, folder: Path, rig: Path) -> None:
    walk, writer = walking(), TakeWriter()
    body = writer.add_body(Body.of(walk.skeleton))
    for k in range(75):
        who = writer.add_character(f"p{k}", body=body, colour=(0.9, 0.1, 0.1))
        writer.perform(who, walk, start=0.0, stop=1.0, place=(1.2 * (k % 10), 1.2 * (k // 10), 0.0))
    page = opened(write_page(writer.close(), folder / "many.html", character=rig), "#t=0.5")
    worn = page.evaluate("Array.from({length: 75}, (_, k) => walkon.rig('p' + k) !== null)")
    assert sum(worn) == 60
    assert "on the nearest 60" in page.locator("#rig summary").inner_text()
    page.locator("#rig summary").click()
    assert "75 people: the nearest 60 wear it" in page.locator("#rig").inner_text()
    assert page.evaluate("walkon.stats().triangles") > 60 * 5000


def with_texture(gltf: gl.GLTF2) -> None:
    """Give every part a picture, inside the file: pure green."""
    picture = io.BytesIO()
    Image.new("RGB", (4, 4), (0, 255, 0)).save(picture, "PNG")
    blob = bytearray(gltf.binary_blob())
    for primitive in gltf.meshes[0].primitives:
        count = gltf.accessors[primitive.attributes.POSITION].count
        gltf.bufferViews.append(gl.BufferView(buffer=0, byteOffset=len(blob), byteLength=8 * count))
        blob += bytes(8 * count)
        view = len(gltf.bufferViews) - 1
        gltf.accessors.append(gl.Accessor(bufferView=view, componentType=gl.FLOAT, count=count, type="VEC2"))
        primitive.attributes.TEXCOORD_0 = len(gltf.accessors) - 1
    gltf.bufferViews.append(gl.BufferView(buffer=0, byteOffset=len(blob), byteLength=len(picture.getvalue())))
    blob += picture.getvalue() + bytes(-len(picture.getvalue()) % 4)
    gltf.images = [gl.Image(bufferView=len(gltf.bufferViews) - 1, mimeType="image/png")]
    gltf.textures = [gl.Texture(source=0)]
    for material in gltf.materials:
        material.pbrMetallicRoughness.baseColorFactor = [1.0, 1.0, 1.0, 1.0]
        material.pbrMetallicRoughness.baseColorTexture = gl.TextureInfo(index=0)
    gltf.buffers[0].byteLength = len(blob)
    gltf.set_binary_blob(bytes(blob))


def test_pictures_inside_the_file_are_shown_though_the_page_may_fetch_nothing(opened: Open, folder: Path) -> None:
    path = write_rig(folder / "green.glb", edit=with_texture)
    page = opened(write_page(page_take(), folder / "green.html", character=path))
    place = page.evaluate("walkon.where('ann')")
    red, green, blue = pixels(page)[round(place["y"]), round(place["x"])]
    assert green > 1.5 * max(red, blue)


def test_it_is_served_beside_the_take(opened: Open, rig: Path) -> None:
    with PageServer(page_take(), character=rig) as server:
        page = opened(server.address)
        assert page.evaluate("walkon.rig('ann')") is not None
        page.close()


def test_a_damaged_character_is_told_and_people_keep_their_bodies(opened: Open, dressed: Path, folder: Path) -> None:
    text = dressed.read_text(encoding="utf-8")
    path = folder / "damaged.html"
    path.write_text(re.sub(r'(id="character-model">)[^<]*', r"\1Z2xURgAA", text), encoding="utf-8")
    page = opened(path)
    assert "The character cannot be shown: " in page.locator("#rig").inner_text()
    assert page.evaluate("walkon.rig('ann')") is None
    assert page.evaluate("walkon.stats().triangles") > 3000
    assert page.locator("#message").is_hidden()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568)])
def test_nothing_overflows_on_a_phone(opened: Open, dressed: Path, width: int, height: int) -> None:
    page = opened(dressed, viewport={"width": width, "height": height}, has_touch=True, is_mobile=True)
    page.locator("#rig summary").click()
    assert page.get_by_text("mixamorig:RightHandIndex2").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("#title").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] < height

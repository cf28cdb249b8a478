import numpy as np
import pytest
import shapely

from mesh_files import glb_bytes, gltf_parts, gltf_text, obj_text, solid
from walkon._base.errors import InvalidValue, UnknownName
from walkon.io.meshes import floor_plan
from walkon.stage import Obstacle

LEGS = [solid((x, y, 0), (x + 0.1, y + 0.1, 0.7)) for x in (1, 2.9) for y in (1, 1.9)]
TABLE = [solid((1, 1, 0.7), (3, 2, 0.75)), *LEGS]
FLOOR = solid((-10, -10, -0.2), (10, 10, 0.0))
CEILING = solid((-10, -10, 2.5), (10, 10, 2.7))


def area(plan):
    return shapely.union_all([shapely.Polygon(ring) for ring in plan])


def plan_of(tmp_path, solids, **options):
    path = tmp_path / "place.obj"
    path.write_text(obj_text(solids))
    return floor_plan(path, **options)


def same(shape, other):
    return shapely.symmetric_difference(shape, other).area


def test_a_wall_is_filled_although_no_face_of_it_is_level_within_the_band(tmp_path):
    (ring,) = plan_of(tmp_path, [solid((1, 2, 0), (4, 2.5, 3)), FLOOR, CEILING])
    assert same(shapely.Polygon(ring), shapely.box(1, 2, 4, 2.5)) < 1e-6
    assert len(ring) == 4
    assert shapely.is_ccw(shapely.LinearRing(ring))


def test_a_table_covers_what_is_under_its_top(tmp_path):
    plan = plan_of(tmp_path, TABLE)
    assert same(area(plan), shapely.box(1, 1, 3, 2)) < 1e-6


def test_the_room_between_four_walls_is_not_filled_and_outlines_have_no_holes(tmp_path):
    south, north = solid((0, 0, 0), (6, 0.2, 3)), solid((0, 4.8, 0), (6, 5, 3))
    west, east = solid((0, 0, 0), (0.2, 5, 3)), solid((5.8, 0, 0), (6, 5, 3))
    plan = plan_of(tmp_path, [south, north, west, east, FLOOR, CEILING])
    expected = shapely.difference(shapely.box(0, 0, 6, 5), shapely.box(0.2, 0.2, 5.8, 4.8))
    assert same(area(plan), expected) < 1e-6
    assert len(plan) == 2
    assert sum(shapely.Polygon(ring).area for ring in plan) == pytest.approx(expected.area)
    for ring in plan:
        Obstacle(polygon=ring)


def test_only_what_is_between_the_heights_counts(tmp_path):
    lamp, mat = solid((0, 0, 2.2), (1, 1, 2.6)), solid((3, 0, 0), (4, 1, 0.02))
    assert plan_of(tmp_path, [lamp, mat]) == []
    assert len(plan_of(tmp_path, [lamp, mat], highest=2.3)) == 1
    assert len(plan_of(tmp_path, [lamp, mat], lowest=0.01)) == 1


def test_a_pyramid_is_cut_at_the_lowest_height(tmp_path):
    path = tmp_path / "pyramid.obj"
    path.write_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 1 1 2\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n")
    (ring,) = floor_plan(path, up="z", lowest=0.5)
    assert same(shapely.Polygon(ring), shapely.box(0.25, 0.25, 1.75, 1.75)) < 1e-3


def test_a_wall_without_thickness_becomes_two_centimetres_thick(tmp_path):
    path = tmp_path / "sheet.obj"
    path.write_text("v 0 0 0\nv 3 0 0\nv 3 0 3\nv 0 0 3\nf 1 2 3 4\n")
    (ring,) = floor_plan(path, up="z")
    assert shapely.Polygon(ring).area == pytest.approx(0.02 * 3.02, rel=0.02)


def test_a_box_without_a_bottom_on_a_floor_is_solid(tmp_path):
    corners, sides = solid((1, 1, 0), (2, 2, 1))
    open_box = (corners, [side for side in sides if side != (0, 2, 6, 4)])
    assert same(area(plan_of(tmp_path, [open_box, FLOOR])), shapely.box(1, 1, 2, 2)) < 1e-6


def test_files_of_either_axis_and_kind_give_the_same_plan(tmp_path):
    boxes = [solid((1, 2, 0), (4, 2.5, 3)), *TABLE]
    told, blob = gltf_parts(boxes)
    files = {
        "y.obj": obj_text(boxes).encode(),
        "back.obj": obj_text(boxes, negative=True).encode(),
        "crlf.obj": obj_text(boxes).replace("\n", "\r\n").encode(),
        "z.obj": obj_text(boxes, up="z").encode(),
        "a.glb": glb_bytes(told, blob),
        "a.gltf": gltf_text(told, blob).encode(),
    }
    expected = area(plan_of(tmp_path, boxes))
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        plan = floor_plan(tmp_path / name, up="z" if name == "z.obj" else "y")
        assert same(area(plan), expected) < 1e-6, name


def test_a_buffer_beside_the_file_is_read_and_one_elsewhere_is_not(tmp_path):
    import json

    from walkon._base.errors import UnreadableFile

    told, blob = gltf_parts([solid((0, 0, 0), (1, 1, 1))])
    (tmp_path / "the box.bin").write_bytes(blob)
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps(told | {"buffers": [{"byteLength": len(blob), "uri": "the%20box.bin"}]}))
    assert same(area(floor_plan(path)), shapely.box(0, 0, 1, 1)) < 1e-6
    for uri in ("../a.bin", "/etc/hostname", "http://example.org/a.bin", "missing.bin"):
        path.write_text(json.dumps(told | {"buffers": [{"byteLength": len(blob), "uri": uri}]}))
        with pytest.raises(UnreadableFile):
            floor_plan(path)


def test_nodes_place_turn_and_scale_their_meshes(tmp_path):
    half = np.sqrt(0.5)
    nodes = [
        {"mesh": 0, "translation": [5, 0, 0]},
        {"children": [2], "rotation": [0, half, 0, half]},  # a quarter turn about the axis that is up
        {"mesh": 0, "translation": [5, 0, 0], "scale": [2, 1, 1]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -5, 0, 0, 1]},
    ]
    told, blob = gltf_parts([solid((0, 0, 0), (1, 0.5, 1))], nodes=nodes, index="<u4")
    told["scenes"][0]["nodes"] = [0, 1, 3]
    path = tmp_path / "a.glb"
    path.write_bytes(glb_bytes(told, blob))
    expected = shapely.union_all([shapely.box(5, 0, 6, 0.5), shapely.box(-0.5, 5, 0, 7), shapely.box(-5, 0, -4, 0.5)])
    assert same(area(floor_plan(path)), expected) < 1e-5


def test_strips_and_fans_are_triangles_too(tmp_path):
    import struct

    corners = np.array([[0, 1, 0], [1, 1, 0], [0, 1, -1], [1, 1, -1]], "<f4")
    for mode, order in ((5, (0, 1, 2, 3)), (6, (0, 1, 3, 2))):
        blob = corners.tobytes() + struct.pack("<4H", *order)
        told, _ = gltf_parts([solid((0, 0, 0), (1, 1, 1))])
        told["bufferViews"] = [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 8},
        ]
        told["accessors"][0]["count"] = told["accessors"][1]["count"] = 4
        told["meshes"][0]["primitives"][0]["mode"] = mode
        path = tmp_path / "a.glb"
        path.write_bytes(glb_bytes(told, blob))
        assert same(area(floor_plan(path)), shapely.box(0, 0, 1, 1)) < 1e-6


def test_units_are_told_by_scale(tmp_path):
    plan = plan_of(tmp_path, [solid((100, 100, 0), (200, 200, 100))], scale=0.01)
    assert same(area(plan), shapely.box(1, 1, 2, 2)) < 1e-6


def test_what_cannot_be_is_refused(tmp_path):
    for wrong in ({"lowest": 3.0}, {"scale": 0.0}, {"highest": np.nan}):
        with pytest.raises(InvalidValue):
            plan_of(tmp_path, TABLE, **wrong)
    with pytest.raises(UnknownName, match="up"):
        plan_of(tmp_path, TABLE, up="x")


def test_a_take_exported_to_glb_has_the_floor_plan_of_its_stage(tmp_path):
    """Our own exporter is the neighbour: what it writes of a stage comes back."""
    import walkon

    boxes = [
        Obstacle(polygon=[[2, 1], [4, 1], [4, 2], [2, 2]], height=1.2),
        Obstacle(polygon=[[-3, -3], [-2, -3], [-2.5, -1]], height=3.0),
    ]
    clip = walkon.clean(walkon.studio.walk(speed=1.3, duration=1.0, seed=1))
    stage = walkon.Stage(obstacles=tuple(boxes))
    with walkon.TakeWriter(tmp_path / "a.take", stage=stage) as writer:
        body = writer.add_body(walkon.Body.of(clip.skeleton))
        writer.perform(writer.add_character("ann", body=body), clip, start=0.0, place=(50.0, 0.0, 0.0))
    walkon.export(walkon.load_take(tmp_path / "a.take"), tmp_path / "a.glb")
    plan = shapely.intersection(area(floor_plan(tmp_path / "a.glb")), shapely.box(-10, -10, 10, 10))
    assert same(plan, shapely.union_all([shapely.Polygon(box.polygon) for box in boxes])) < 0.02

"""Runs inside Blender's own Python (`bpy`): opens exported files as a user would, and tells what is where.

    python blender_side.py JOB.json RESULT.json

A job is {"kind": "glb" | "usdc" | "bvh", "path", "fps", "frames": [k, …], "picture": null or {"file", "frame", "eye",
"target", "lens", "size", "samples"}, "casts": [[x, y, z], …]}. The result has, in metres of Blender's world,
"joints": character → bone → [x, y, z] per frame; "sizes": character → scale per frame (0: not seen); "things": what
else there is → place per frame. "casts" is, for places to look down from, z of the floor's mesh there, by a ray; null
where it misses.
Nothing of Walkon is imported.
"""

import json
import math
import sys
import time
from pathlib import Path

import bpy
from mathutils import Vector


def open_gltf(path, fps):
    """Frame k of the file is frame k: its seconds are turned into frames of the scene's rate as it is before."""
    bpy.context.scene.render.fps = round(fps)
    bpy.ops.import_scene.gltf(filepath=path)
    return 0


def open_usd(path, fps):
    """Frame k of the file is frame k; the rate stays what it was and has to be set by hand."""
    bpy.ops.wm.usd_import(filepath=path)
    bpy.context.scene.render.fps = round(fps)
    return 0


def open_bvh(path, fps):
    """Open every file of a folder; frame k of the file is frame_start + k + 1."""
    for file in sorted(Path(path).glob("*.bvh")):
        bpy.ops.import_anim.bvh(
            filepath=str(file),
            global_scale=0.01,
            axis_forward="X",
            axis_up="Y",
            frame_start=0,
            update_scene_fps=True,
            update_scene_duration=True,
        )
    return 1


OPENERS = {"glb": open_gltf, "usdc": open_usd, "bvh": open_bvh}


def armatures(kind):
    """Return character → armature; in USD the character is what the armature hangs on."""
    found = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    return {(it.parent.name if kind == "usdc" and it.parent else it.name): it for it in found}


def size(it):
    """Return the scale at which an armature is seen; 0 where it or anything above it is hidden."""
    above = it
    while above is not None:
        if above.hide_render:
            return 0.0
        above = above.parent
    return it.matrix_world.to_scale().x


def told(kind, frames, shift):
    """Read everything at some frames."""
    people, scene = armatures(kind), bpy.context.scene
    things = [it for it in bpy.data.objects if it.type == "MESH" and it.find_armature() is None]
    joints = {name: {bone.name: [] for bone in it.pose.bones} for name, it in people.items()}
    sizes, places = {name: [] for name in people}, {it.name: [] for it in things}
    for frame in frames:
        scene.frame_set(frame + shift)
        for name, it in people.items():
            sizes[name].append(size(it))
            for bone in it.pose.bones:
                joints[name][bone.name].append(list((it.matrix_world @ bone.matrix).translation))
        for it in things:
            places[it.name].append(list(it.matrix_world.translation))
    return {"joints": joints, "sizes": sizes, "things": places}


def render(kind, wish, shift):
    """Render one frame with Cycles."""
    scene = bpy.context.scene
    scene.frame_set(wish["frame"] + shift)
    if kind == "bvh":
        show_bones()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    eye, target = Vector(wish["eye"]), Vector(wish["target"])
    camera.location, camera.rotation_euler = eye, (target - eye).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = wish["lens"]
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 3.5, math.radians(6), (0.7, 0.25, 0.6)
    bpy.ops.mesh.primitive_plane_add(size=200, location=(0, 0, -0.002))
    floor = bpy.context.object
    floor.data.materials.append(paint("floor", (0.27, 0.28, 0.30)))
    for it in (camera, sun):
        scene.collection.objects.link(it)
    scene.camera = camera
    world = bpy.data.worlds.new("sky")
    scene.world = world
    sky = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    sky.inputs[0].default_value = (0.75, 0.83, 0.95, 1)
    render = scene.render
    render.engine, render.filepath = "CYCLES", wish["file"]
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", wish["samples"], wish["samples"] > 16
    scene.view_settings.view_transform = "Standard"
    render.resolution_x, render.resolution_y, render.resolution_percentage = *wish["size"], 100
    render.image_settings.file_format = "PNG"
    bpy.ops.render.render(write_still=True)


def paint(name, colour):
    material = bpy.data.materials.new(name)
    surface = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    surface.inputs["Base Color"].default_value = (*colour, 1)
    surface.inputs["Roughness"].default_value = 0.8
    return material


def show_bones():
    """Stand an octahedron on every bone, as the viewport draws them: armatures themselves are not rendered."""
    bone_paint = paint("bones", (0.75, 0.45, 0.18))
    for it in armatures("bvh").values():
        points, faces = [], []
        for bone in it.pose.bones:
            head, tail = it.matrix_world @ bone.head, it.matrix_world @ bone.tail
            along = tail - head
            if along.length < 1e-4:
                continue
            side = along.orthogonal().normalized() * 0.1 * along.length
            other = along.cross(side).normalized() * 0.1 * along.length
            ring = [head + 0.12 * along + off for off in (side, other, -side, -other)]
            first = len(points)
            points += [head, *ring, tail]
            for k in range(4):
                a, b = first + 1 + k, first + 1 + (k + 1) % 4
                faces += [(first, b, a), (first + 5, a, b)]
        mesh = bpy.data.meshes.new("bones")
        mesh.from_pydata([tuple(point) for point in points], [], faces)
        mesh.materials.append(bone_paint)
        bpy.context.scene.collection.objects.link(bpy.data.objects.new("bones", mesh))


def cast_down(places):
    """Return where rays straight down from places [x, y, z] meet the mesh called floor."""
    floor = next(it for it in bpy.data.objects if it.type == "MESH" and it.name.lower().startswith("floor"))
    found = []
    for place in places:
        back = floor.matrix_world.inverted()
        origin, below = back @ Vector(place), back @ (Vector(place) - Vector((0.0, 0.0, 1.0)))
        hit, where, _, _ = floor.ray_cast(origin, (below - origin).normalized())
        found.append((floor.matrix_world @ where).z if hit else None)
    return found


def main(job_file, result_file):
    job = json.loads(Path(job_file).read_text())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    begun = time.perf_counter()
    shift = OPENERS[job["kind"]](job["path"], job["fps"])
    opened = time.perf_counter() - begun
    scene = bpy.context.scene
    result = told(job["kind"], job["frames"], shift)
    result |= {
        "blender": bpy.app.version_string,
        "opened_s": opened,
        "fps": scene.render.fps / scene.render.fps_base,
        "range": [scene.frame_start, scene.frame_end],
        "properties": {name: sorted(it.keys()) for name, it in armatures(job["kind"]).items()},
        "colours": len(bpy.data.materials),
    }
    if job.get("casts"):
        result["casts"] = cast_down(job["casts"])
    if job.get("picture"):
        render(job["kind"], job["picture"], shift)
    Path(result_file).write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])

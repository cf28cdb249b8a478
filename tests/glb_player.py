"""Plays a .glb for tests: reads it with pygltflib, evaluates its animation as the glTF specification says, and gives
node matrices and skinned vertices at any time. Knows nothing of how Walkon writes.
"""

import numpy as np
import pygltflib

KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def matrix(translation, rotation, scale):
    """Translation, rotation (x, y, z, w) and scale as a matrix [4, 4]."""
    x, y, z, w = rotation
    turned = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    result = np.eye(4)
    result[:3, :3] = turned * np.asarray(scale)
    result[:3, 3] = translation
    return result


def slerp(a, b, u):
    """The shortest way from one quaternion to another."""
    cosine = float(a @ b)
    b, cosine = (b, cosine) if cosine >= 0 else (-b, -cosine)
    angle = np.arccos(min(cosine, 1.0))
    if angle < 1e-6:
        mixed = (1 - u) * a + u * b
    else:
        mixed = (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / np.sin(angle)
    return mixed / np.linalg.norm(mixed)


class Player:
    """A file and its first animation."""

    def __init__(self, path):
        self.gltf = pygltflib.GLTF2().load(str(path))
        self.blob = self.gltf.binary_blob()
        self.known = {}
        self.parents = {child: i for i, node in enumerate(self.gltf.nodes) for child in node.children or ()}
        self.moves = {}
        for animation in self.gltf.animations:
            for channel in animation.channels:
                sampler = animation.samplers[channel.sampler]
                self.moves.setdefault(channel.target.node, {})[channel.target.path] = sampler

    def array(self, number):
        """The values of an accessor."""
        if number not in self.known:
            it = self.gltf.accessors[number]
            view = self.gltf.bufferViews[it.bufferView]
            count, size = it.count, SIZES[it.type]
            start = (view.byteOffset or 0) + (it.byteOffset or 0)
            kind = np.dtype(KINDS[it.componentType])
            assert (it.byteOffset or 0) + count * size * kind.itemsize <= view.byteLength
            values = np.frombuffer(self.blob, kind, count * size, start).reshape(count, size).astype(float)
            if it.normalized:
                values = np.maximum(values / np.iinfo(kind).max, -1.0)
            self.known[number] = values
        return self.known[number]

    def named(self, name):
        """Numbers of the nodes of a name."""
        return [i for i, node in enumerate(self.gltf.nodes) if node.name == name]

    def value(self, node, path, time, default):
        """One part of a node's transform at a time."""
        sampler = self.moves.get(node, {}).get(path)
        if sampler is None:
            own = getattr(self.gltf.nodes[node], path)
            return np.array(default if own is None else own, float)
        times, values = self.array(sampler.input)[:, 0], self.array(sampler.output)
        k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1))
        if sampler.interpolation == "STEP" or k == len(times) - 1 or time <= times[0]:
            return values[k]
        u = (time - times[k]) / (times[k + 1] - times[k])
        if path == "rotation":
            return slerp(values[k], values[k + 1], u)
        return (1 - u) * values[k] + u * values[k + 1]

    def world(self, node, time):
        """A node's matrix in the scene at a time."""
        own = matrix(
            self.value(node, "translation", time, (0, 0, 0)),
            self.value(node, "rotation", time, (0, 0, 0, 1)),
            self.value(node, "scale", time, (1, 1, 1)),
        )
        return self.world(self.parents[node], time) @ own if node in self.parents else own

    def character(self, name):
        """Joint names and nodes of the skin of a character, and its mesh node."""
        (skin,) = [i for i, skin in enumerate(self.gltf.skins) if skin.name == name]
        (mesh,) = [i for i, node in enumerate(self.gltf.nodes) if node.skin == skin]
        joints = self.gltf.skins[skin].joints
        return {self.gltf.nodes[joint].name: joint for joint in joints}, mesh

    def skinned(self, name, time):
        """Vertices [V, 3] of a character at a time."""
        _, mesh = self.character(name)
        skin = self.gltf.skins[self.gltf.nodes[mesh].skin]
        bind = self.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
        matrices = np.array([self.world(joint, time) for joint in skin.joints]) @ bind
        found = []
        for primitive in self.gltf.meshes[self.gltf.nodes[mesh].mesh].primitives:
            at = primitive.attributes
            points = np.concatenate([self.array(at.POSITION), np.ones((self.gltf.accessors[at.POSITION].count, 1))], 1)
            joints, weights = self.array(at.JOINTS_0).astype(int), self.array(at.WEIGHTS_0)
            np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-6)
            mixed = np.einsum("vk,vkij->vij", weights, matrices[joints])
            found.append(np.einsum("vij,vj->vi", mixed, points)[:, :3])
        return np.concatenate(found)

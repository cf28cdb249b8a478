"""A rigged character from a `.glb` file: its bind pose, z up, facing +x, in the units of the file.

At rest means as bound to the mesh: the joint b of a skin rests at G M_b⁻¹, where M_b is its inverse bind matrix and G
brings the skin's first joint to where its node is. In most files that is where the nodes are anyway; files that were
saved in the middle of a motion differ, and their nodes are no rest pose.

Which way is up and where the front is follows from the body itself: from ankles to hips, and from right to left.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from walkon._base.arrays import Array, IntArray, lock
from walkon._base.errors import InvalidValue, UnreadableFile
from walkon.io.gltf import GltfFile, local_matrix, refusing
from walkon.io.gltf.reading import COMPRESSIONS
from walkon.motion.roles import RoleReport, find_roles
from walkon.motion.skeleton import SIDES, Skeleton
from walkon.transforms import quaternions as quat
from walkon.viewer.rig_skins import inverse_binds, joint_trees, skin_points

__all__ = ["MAX_RIG_BYTES", "NEEDED", "Rig", "bone", "read_rig"]

MAX_RIG_BYTES = 100_000_000
"""Bytes of a file with a character."""
NEEDED = ("hips", *(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle")))
"""Roles without which a rig cannot walk."""
CANNOT_SHOW = (*COMPRESSIONS, "KHR_texture_basisu")
Y_UP = np.full(4, 0.5)
"""x → y → z → x: glTF's axes, y up and facing +z, to ours."""
MIN_UPRIGHT_SHARE = 0.7
"""Share of the way from the ankles to the hips that goes up, in a body that stands."""
MIN_BONE_SHARE = 0.03
"""Share of the body's reach that a thigh or a shin has at least."""
END = re.compile(r"([._ -](end|leaf)|nub|EndSite)([._ -]?([lr]|site|\d+))*$", re.IGNORECASE)
"""Names of joints at the ends of chains, which turn nothing."""
PREFIX = re.compile(r"^J_(Bip|Sec|Adj)_(C_)?")
"""What VRM files put before the names of joints."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Rig:
    """J joints of a character, each before those that hang on it."""

    name: str
    content: bytes
    """The file as it is on the disk."""
    file: GltfFile
    """Its parts."""
    roles: RoleReport
    """The skeleton, z up and facing +x at rest, in the file's units, with what its joints are for."""
    names: tuple[str, ...]
    """[J] names as the file has them; those of the skeleton are made different from one another."""
    nodes: IntArray
    """[J] numbers of nodes in the file."""
    turns: Array
    """[J, 4] rotation of each joint at rest, joint → z up."""
    translations: Array
    """[J, 3] of each joint at rest in its parent node, in the parent's units."""
    scales: Array
    """[J, 3] likewise."""
    outer: Array
    """[4] rotation of what the root hangs on."""
    upright: Array
    """[4] the file's axes → z up."""
    root: Array
    """[3] place of the root in the file's axes."""
    points: Array
    """[V, 3] vertices of the skin at rest, z up."""
    holders: IntArray
    """[V] joint that holds each vertex most."""

    def __post_init__(self) -> None:
        J, V = len(self.names), len(self.points)
        for name, shape in (("turns", (J, 4)), ("translations", (J, 3)), ("scales", (J, 3)), ("points", (V, 3))):
            lock(self, name, shape)
        lock(self, "nodes", (J,), np.int64)
        lock(self, "holders", (V,), np.int64)

    @property
    def skeleton(self) -> Skeleton:
        """Joints at rest, z up, facing +x, in the file's units."""
        return self.roles.skeleton

    def __repr__(self) -> str:
        return f"Rig({self.name!r}, {self.roles.summary()})"


def read_rig(path: str | Path) -> Rig:
    """Read a character; what is no glb, has no skin, several people, or is no person, is refused with a sentence."""
    path = Path(path)
    try:
        if path.stat().st_size > MAX_RIG_BYTES:
            raise UnreadableFile(
                f"a character may have {MAX_RIG_BYTES / 1e6:.0f} MB, and this has {path.stat().st_size / 1e6:.0f}; "
                "make its textures smaller",
                path=path,
            )
        content = path.read_bytes()
    except FileNotFoundError:
        raise UnreadableFile("there is no such file", path=path) from None
    except OSError as error:
        raise UnreadableFile(f"cannot be read ({error.strerror or error})", path=path) from None
    if content[:4] != b"glTF":
        raise UnreadableFile(
            "is no .glb: it does not begin with “glTF”; export the character as glTF binary (.glb)", path=path
        )
    file = GltfFile(content, path)
    file.refuse_extensions(CANNOT_SHOW, file.document.extensions_required)
    uris = [part.uri for part in file.document.buffers] + [part.uri for part in file.document.images]
    outside = [uri for uri in uris if uri and not uri.startswith("data:image")]
    if outside:
        shown = outside[0] if len(outside[0]) < 60 else outside[0][:57] + "…"
        raise UnreadableFile(f"refers to {shown!r}; export it as one .glb with everything inside", path=path)
    with np.errstate(all="ignore"), refusing(path):  # what is not finite is found below
        return _make_rig(file, content, path)


def _make_rig(file: GltfFile, content: bytes, path: Path) -> Rig:
    trees = joint_trees(file)
    if not trees:
        raise UnreadableFile("has no skin: nothing in it is bound to joints; export the mesh with its rig", path=path)
    if len(trees) > 1:
        raise UnreadableFile(
            f"holds {len(trees)} rigs that have no joint in common; keep one character per file", path=path
        )
    order = trees[0]
    places = {node: row for row, node in enumerate(order)}
    parents = [places.get(file.parent(node), -1) for node in order]
    if parents.count(-1) > 1:
        raise UnreadableFile("its joints hang on several roots; give them one parent", path=path)
    rests, spaces = _rest_matrices(file, order, parents)
    outer = file.world(file.parent(order[0]))
    points, holders = skin_points(file, spaces, places)
    if not (np.isfinite(rests).all() and np.isfinite(outer).all() and np.isfinite(points).all()):
        raise file.damaged("some of its places are not finite numbers")
    if min(np.linalg.det(m[:3, :3]) for m in (*rests, outer)) <= 0:
        raise UnreadableFile(
            "has a joint that is mirrored or has no size; apply all scales and export again", path=path
        )
    names = [file.document.nodes[node].name or f"joint {node}" for node in order]
    report, upright = _find_upright(names, parents, rests[:, :3, 3], path)
    locals_ = np.stack([np.linalg.solve(rests[p] if p >= 0 else outer, m) for p, m in zip(parents, rests, strict=True)])
    return Rig(
        name=path.name,
        content=content,
        file=file,
        roles=report,
        names=tuple(names),
        nodes=np.array(order),
        turns=quat.multiply(upright, _rotations(rests)),
        translations=locals_[:, :3, 3],
        scales=np.linalg.norm(locals_[:, :3, :3], axis=1),
        outer=quat.multiply(upright, _rotations(outer)),
        upright=upright,
        root=rests[0, :3, 3],
        points=quat.rotate(upright, points),
        holders=holders,
    )


def _rest_matrices(file: GltfFile, order: list[int], parents: list[int]) -> tuple[Array, Mapping[int, Array]]:
    """Return where joints rest [J, 4, 4] in the file's axes, and per skin what brings its mesh there."""
    places = {node: row for row, node in enumerate(order)}
    found: dict[int, Array] = {}
    spaces: dict[int, Array] = {}
    for number, skin in enumerate(file.document.skins):
        bound = inverse_binds(file, skin)
        if bound is None:
            spaces[number] = np.eye(4)
            continue
        rows = sorted((places[node], k) for k, node in enumerate(skin.joints))
        # Where a joint already rests, another skin of the same body is put on it.
        row, k = next(((row, k) for row, k in rows if row in found), rows[0])
        spaces[number] = (found[row] if row in found else file.world(order[row])) @ bound[k]
        for row, k in rows:
            found.setdefault(row, spaces[number] @ np.linalg.inv(bound[k]))
    rests = np.empty((len(order), 4, 4))
    for row, node in enumerate(order):
        above = rests[parents[row]] @ local_matrix(file.document.nodes[node]) if parents[row] >= 0 else file.world(node)
        rests[row] = found.get(row, above)
    return rests, spaces


def _rotations(matrices: Array) -> Array:
    """Return the rotations of matrices [..., 4, 4] that may also scale: the nearest ones."""
    u, _, v = np.linalg.svd(matrices[..., :3, :3])
    return quat.from_matrix(u @ v)


def _find_upright(names: list[str], parents: list[int], places: Array, path: Path) -> tuple[RoleReport, Array]:
    """Find roles, and the turn [4] with which the body stands along +z and faces +x."""
    best: RoleReport | None = None
    plain = _make_unique([PREFIX.sub("", name) for name in names])
    children = set(parents)
    ends = [row not in children and END.search(name) is not None for row, name in enumerate(names)]
    for up, quarter in product((Y_UP, np.array(quat.IDENTITY)), range(4)):
        turn = quat.multiply(quat.turn(0.5 * np.pi * quarter), up)
        report = _roles(plain, parents, quat.rotate(turn, places), ends)
        if best is None or len(report.roles) > len(best.roles):
            best = report
        body = report.skeleton
        if not body.has_roles(NEEDED):
            continue
        left = bone(body, "right_hip", "left_hip")
        turn = quat.multiply(quat.turn(-np.arctan2(-left[0], left[1])), turn)
        report = _roles(plain, parents, quat.rotate(turn, places), ends)
        if _is_standing(report.skeleton):
            return report, turn
    missing = [role for role in NEEDED if best is None or role not in best.roles]
    if missing:
        raise InvalidValue(
            f"{path}: its {len(names)} joints are not those of a person: no {', no '.join(missing)} is found, by name "
            "or by shape; name the joints as Mixamo, Blender, Unreal or VRM do (LeftLeg, shin.L, calf_l …)"
        )
    raise InvalidValue(f"{path}: the character does not stand upright at rest; bind it in a T-pose or an A-pose")


def _roles(names: list[str], parents: list[int], places: Array, ends: list[bool]) -> RoleReport:
    offsets = np.array(places)
    offsets[1:] -= places[parents[1:]]
    return find_roles(
        Skeleton(names=tuple(names), parents=np.array(parents), offsets=offsets, end_sites=np.array(ends))
    )


def _make_unique(names: list[str]) -> list[str]:
    """Return names of which no two are alike: later ones get a number."""
    seen: dict[str, int] = {}
    different: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        different.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return different


def bone(skeleton: Skeleton, start: str, stop: str) -> Array:
    """Return the way [3] from the joint of one role to that of another, at rest."""
    places = skeleton.rest_positions
    return places[skeleton.role(stop)] - places[skeleton.role(start)]


def _is_standing(skeleton: Skeleton) -> bool:
    """Say whether hips are over ankles and toes, where there are any, in front of them."""
    if not skeleton.has_roles(NEEDED):
        return False
    for side in SIDES:
        hip, knee, ankle, ball = (f"{side}_{part}" for part in ("hip", "knee", "ankle", "ball"))
        shortest = min(np.linalg.norm(bone(skeleton, *ends)) for ends in ((hip, knee), (knee, ankle)))
        rise = bone(skeleton, ankle, hip)
        upright = rise[2] >= MIN_UPRIGHT_SHARE * np.linalg.norm(rise)
        ahead = ball not in skeleton.roles or bone(skeleton, ankle, ball)[0] > 0
        if shortest < MIN_BONE_SHARE * skeleton.reach or not (upright and ahead):
            return False
    return True

"""The public surface is a list: every name resolves, nothing else leaks, and importing it is cheap."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import walkon

NAMES = [
    "Action",
    "Body",
    "CannotWrite",
    "Cast",
    "Character",
    "Clip",
    "Door",
    "Ensemble",
    "Event",
    "FileError",
    "InvalidClip",
    "InvalidShape",
    "InvalidSkeleton",
    "InvalidValue",
    "Library",
    "Mark",
    "MissingExtra",
    "MissingRole",
    "Moment",
    "MotionGraph",
    "NewerFile",
    "Obstacle",
    "Performance",
    "PlacedProp",
    "Prop",
    "ScaleError",
    "Scene",
    "Seat",
    "Seeds",
    "Skeleton",
    "SnapGraph",
    "Stage",
    "Take",
    "TakeWriter",
    "UnknownName",
    "UnreadableFile",
    "WalkonError",
    "__version__",
    "build_graph",
    "build_library",
    "build_snap_graph",
    "builtin_library",
    "builtin_snap_graph",
    "capture",
    "check_scene",
    "clean",
    "contact_sheet",
    "crowd",
    "cut",
    "detect_contacts",
    "draw_take",
    "drawing",
    "export",
    "geometry",
    "graphs",
    "ground",
    "io",
    "join",
    "library_from_folder",
    "load",
    "load_graph",
    "load_library",
    "load_scene",
    "load_take",
    "lock_feet",
    "mirror",
    "motion",
    "perform",
    "place",
    "reproduce",
    "resample",
    "retarget",
    "save",
    "save_graph",
    "save_library",
    "save_png",
    "save_take",
    "script",
    "show",
    "stage",
    "strobe",
    "studio",
    "synthesis",
    "take",
    "transforms",
    "viewer",
]


def test_the_public_names_are_these():
    assert walkon.__all__ == NAMES
    assert dir(walkon) == NAMES


def test_every_public_name_resolves():
    for name in NAMES:
        assert getattr(walkon, name) is not None


def test_every_error_is_a_walkon_error():
    for name in NAMES:
        value = getattr(walkon, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, walkon.WalkonError)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(walkon, "wlak")


def test_importing_walkon_imports_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'numba', 'PIL', 'shapely', 'typer', 'rich', 'msgspec'}"
    code = f"import sys, walkon; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_reading_a_scene_imports_no_reader_of_motion_or_trajectories():
    code = (
        "import sys, walkon; walkon.io.scene_from_text('walkon: 1'); "
        "print([name for name in sys.modules if name.startswith(('walkon.io.bvh', 'walkon.io.traj'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_plain_twin_is_in_the_package_but_the_readable_posing_rule():
    twins = set()
    for file in Path(walkon.__file__).parent.rglob("*.py"):
        names = [
            node.name for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)
        ]
        twins |= {name for name in [file.stem, *names] if name.endswith(("_numpy", "_python", "twins"))}
    assert twins == {"posing_numpy", "pose_numpy", "holding_numpy", "stepping_numpy", "forward_numpy"}


def test_packages_list_what_they_export():
    packages = [module.name for module in pkgutil.iter_modules(walkon.__path__) if module.name in NAMES]
    assert len(packages) > 10
    for package in packages:
        module = importlib.import_module(f"walkon.{package}")
        assert module.__all__ == sorted(
            module.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
        )
        for name in module.__all__:
            assert hasattr(module, name), f"walkon.{package}.{name}"

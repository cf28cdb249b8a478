"""The names of `walkon.io` and where each lives."""

# ruff: noqa: I001 (one import per home)
from walkon.io.bvh_document import BvhDocument as BvhDocument, parse_bvh as parse_bvh
from walkon.io.bvh_read import BvhReading as BvhReading, BvhReport as BvhReport, read_bvh as read_bvh
from walkon.io.bvh_write import write_bvh as write_bvh
from walkon.io.files import load as load, save as save
from walkon.io.library_file import load_library as load_library, save_library as save_library
from walkon.io.scenes import (
    load_scene as load_scene,
    scene_from_text as scene_from_text,
    scene_schema as scene_schema,
)
from walkon.io.trajectories import Trajectories as Trajectories, load_trajectories as load_trajectories

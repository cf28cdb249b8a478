"""The compiler is loaded in the background, once, and the first kernel finds it there."""

import subprocess
import sys

PROGRAM = """
import sys, threading
from walkon._base.compiler import prepare_compiler
prepare_compiler()
prepare_compiler()
print(sum(one.name == "walkon-compiler" for one in threading.enumerate()))
import numpy as np
from walkon.geometry.neighbours import NeighbourGrid
[one.join() for one in threading.enumerate() if one.name == "walkon-compiler"]
print("numba" in sys.modules)
prepare_compiler()
print(sum(one.name == "walkon-compiler" for one in threading.enumerate()))
from walkon.transforms._kernels import wrap
"""


def test_it_is_loaded_once_by_a_thread_that_ends():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "True", "0"]
    assert done.stderr == ""

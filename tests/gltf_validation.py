"""The Khronos glTF validator under Node, for tests: that of the page's tools, or one that npm installs meanwhile."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import walkon

VERSION = "2.0.0-dev.3.10"
PAGE = Path(walkon.__file__).parent / "viewer" / "page" / "node_modules"
SCRIPT = """
const validator = require("gltf-validator");
const bytes = new Uint8Array(require("fs").readFileSync(process.argv[2]));
validator.validateBytes(bytes, { maxIssues: 0 }).then((report) => console.log(JSON.stringify(report)));
"""


def validator(folder):
    """Return a function from a path to the validator's report; whatever it needs is put into a folder."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        pytest.skip("the glTF validator needs Node, and there is none")
    if (PAGE / "gltf-validator").is_dir():
        (folder / "node_modules").symlink_to(PAGE)
    else:
        if npm is None:
            pytest.skip("the glTF validator is not installed, and there is no npm to install it with")
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"gltf-validator@{VERSION}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip("the glTF validator could not be installed: the registry of npm does not answer")
        if done.returncode:
            pytest.skip(f"the glTF validator could not be installed: {done.stderr.strip()[-200:]}")
    script = folder / "validate.cjs"
    script.write_text(SCRIPT)

    def run(path):
        told = subprocess.run([node, str(script), str(path)], capture_output=True, text=True, timeout=120, check=True)
        return json.loads(told.stdout)

    return run

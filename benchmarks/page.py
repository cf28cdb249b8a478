"""The page: bytes of what it is given, and milliseconds to pose a crowd in it, under Node and in Chromium's worker.

    python -m benchmarks.page

The crowds are those of `benchmarks.takes`: people who walk in segments of 0.5 to 1 s, every one warped, feet planted.
In Chromium the same modules pose in a worker while nothing is drawn. Then the page itself opens at 1280 × 720, which
gives the first frame, drawn in software where there is no graphics card; and opens again with WebGL's draw calls left
out (uploads stay), since in software they would hold up the main thread: its milliseconds per frame, scripting and
upload, without layers and with all five of them. Asked for are: 8 MB for page and take of 40 characters and 30 s; 1.5 s
to the first frame; 16 ms in the worker and 8 ms of the main thread for 1,000 characters.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import calibrate
from benchmarks.takes import crowd

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "src" / "walkon" / "viewer" / "page"
CROWDS = ((40, 30.0), (1000, 25.0), (10_000, 8.0))
FRAMES = (200, 60)
"""Frames that are posed, of crowds and of large ones."""
PLAYED = 6.0
"""Seconds of playing that are measured in the browser, each time."""
SIZE = {"width": 1280, "height": 720}
LAYERS = "mplcf"
"""Keys of all layers."""
UNDRAWN = """
for (const name of ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced", "drawRangeElements"])
  WebGL2RenderingContext.prototype[name] = () => {};
"""
FLAGS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=gl-egl",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)
IN_WORKER = """
async ([modules, packed, count]) => {
  const zipped = await (await fetch(`data:application/octet-stream;base64,${packed}`)).blob();
  const stream = zipped.stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const code = modules.replace(/export \\{[^}]*\\};/, "") + `
    self.onmessage = ({ data }) => {
      const take = readTake(data.bytes), poser = new Poser(take), frame = newFrame(take), times = [];
      for (let i = 0; i < data.count + 20; i++) {
        const before = performance.now();
        poser.pose(take.start + ((i * 0.0617) % (take.stop - take.start)), frame);
        times.push(performance.now() - before);
      }
      self.postMessage(times.slice(20).sort((a, b) => a - b)[data.count >> 1]);
    };
    self.postMessage("ready");`;
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  window.worker = worker;
  const said = () =>
    new Promise((resolve, reject) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
  await said();
  worker.postMessage({ bytes, count });
  return said();
}
"""


def posing_modules(folder: Path) -> Path | None:
    """Build the modules that read and pose takes for Node, or say why not."""
    if shutil.which("node") is None or not (PAGE / "node_modules" / "vite").is_dir():
        print("under Node: not measured, because Node or the page's tools are missing (make page)")
        return None
    command = ["npm", "run", "--silent", "build:node"]
    environment = os.environ | {"WALKON_NODE_OUT": str(folder)}
    subprocess.run(command, cwd=PAGE, env=environment, check=True, capture_output=True)
    return folder / "posing.js"


def under_node(modules: Path, packed: bytes, *, frames: int) -> dict[str, float]:
    """Return milliseconds to read a packed take and to pose it."""
    with tempfile.NamedTemporaryFile(suffix=".gz") as file:
        file.write(packed)
        file.flush()
        command = ["node", str(HERE / "page_posing.mjs"), str(modules), file.name, str(frames)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def in_chromium(take, modules: Path | None, packed: bytes) -> dict[str, float] | None:
    """Return the milliseconds per frame of a worker, and the page's own figures while it plays."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("in Chromium: not measured, because playwright is not installed")
        return None
    from walkon.viewer import PageServer

    found = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as play, PageServer(take) as server:
        browser = play.chromium.launch(executable_path=found, headless=True, args=list(FLAGS))
        page = browser.new_page(viewport=SIZE)
        worker = float("nan")
        if modules:
            given = [modules.read_text(encoding="utf-8"), base64.b64encode(packed).decode(), FRAMES[len(take) > 1000]]
            worker = page.evaluate(IN_WORKER, given)
        page.goto(server.address)
        page.evaluate("() => window.walkon.ready")
        first = page.evaluate("() => window.walkon.stats().firstFrame")
        page.close()
        page = browser.new_page(viewport=SIZE)
        page.add_init_script(UNDRAWN)
        page.goto(server.address)
        page.evaluate("() => window.walkon.ready")
        plain = played(page)
        for key in LAYERS:
            page.keyboard.press(key)
        assert page.locator("[role=menuitemcheckbox][aria-checked=true]").count() == len(LAYERS)
        time.sleep(PLAYED)  # paths are sampled in this time, in a worker of their own
        layers = played(page)
        browser.close()
    return {
        "worker": worker,
        "first": first,
        "main": plain["median"],
        "worst": plain["worst"],
        "layers": layers["median"],
        "layers_worst": layers["worst"],
    }


def played(page) -> dict[str, float]:
    """Return the page's own figures of some seconds of playing."""
    page.evaluate("() => window.walkon.play()")
    time.sleep(PLAYED)
    return page.evaluate("() => window.walkon.stats()")


def main() -> None:
    from walkon.take.planting.planting import plant_feet
    from walkon.viewer import pack_take, write_page
    from walkon.viewer.page_file import STATIC

    calibrate()
    print(f"the page itself: {(STATIC / 'viewer.html').stat().st_size / 1e6:.2f} MB")
    print(
        f"{'people':>7} {'s':>4} {'packed MB':>10} {'html MB':>8} {'pack s':>7} | Node: {'read':>6} {'first':>6}",
        end="",
    )
    print(f" {'median':>7} {'95 %':>6} ms | Chromium: {'worker':>7} {'first frame':>12}", end="")
    print(f" {'main':>6} {'worst':>6} {'with layers':>12} {'worst':>6} ms (main thread, draw calls left out)")
    with tempfile.TemporaryDirectory() as place:
        modules = posing_modules(Path(place))
        for count, seconds in CROWDS:
            take = plant_feet(crowd(count, seconds=seconds))
            begun = time.perf_counter()
            packed = pack_take(take)
            packing = time.perf_counter() - begun
            html = write_page(take, Path(place) / "page.html").stat().st_size
            print(f"{count:7d} {seconds:4.0f} {len(packed) / 1e6:10.2f} {html / 1e6:8.2f} {packing:7.2f} | ", end="")
            if modules:
                node = under_node(modules, packed, frames=FRAMES[count > 1000])
                told = f"{node['read']:12.0f} {node['first']:6.1f} {node['median']:7.2f} {node['late']:6.2f}    | "
                print(told, end="", flush=True)
            if seen := in_chromium(take, modules, packed):
                print(f"{seen['worker']:17.2f} {seen['first']:12.0f} {seen['main']:6.2f} {seen['worst']:6.1f}", end="")
                print(f" {seen['layers']:12.2f} {seen['layers_worst']:6.1f}")
            else:
                print()


if __name__ == "__main__":
    main()

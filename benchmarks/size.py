"""How large the package is: `python -m benchmarks.size [folder]`.

Statements by the syntax tree, without docstrings; classes, and class names that are used more than once; modules and
the longest of them. One line per package, then all.
"""

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "walkon"
LONG_LINES = 300


def count_file(path: Path) -> tuple[int, list[str], int]:
    """Return statements without docstrings, names of classes, and lines of a module."""
    text = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    statements = sum(isinstance(node, ast.stmt) and not _is_docstring(node) for node in nodes)
    return statements, [node.name for node in nodes if isinstance(node, ast.ClassDef)], text.count("\n")


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def packages(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield every package, by its first name, with its modules."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        found[path.relative_to(folder).parts[0].removesuffix(".py")].append(path)
    yield from found.items()


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    names: Counter[str] = Counter()
    long: list[str] = []
    totals = [0, 0, 0, 0]
    print(f"{'package':14s} {'statements':>10s} {'classes':>8s} {'modules':>8s} {'lines':>8s}")
    for name, paths in packages(folder):
        counted = [count_file(path) for path in paths]
        names.update(one for _, classes, _ in counted for one in classes)
        long += [
            f"{path.relative_to(folder)} {lines}"
            for path, (_, _, lines) in zip(paths, counted, strict=True)
            if lines > LONG_LINES
        ]
        row = [sum(c[0] for c in counted), sum(len(c[1]) for c in counted), len(paths), sum(c[2] for c in counted)]
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        print(f"{name:14s} {row[0]:10,d} {row[1]:8d} {row[2]:8d} {row[3]:8,d}")
    print(f"{'all':14s} {totals[0]:10,d} {totals[1]:8d} {totals[2]:8d} {totals[3]:8,d}")
    twice = [name for name, count in names.items() if count > 1]
    print(f"class names used more than once: {len(twice)} {' '.join(twice)}")
    print(f"modules over {LONG_LINES} lines: {len(long)} {', '.join(long)}")


if __name__ == "__main__":
    main()

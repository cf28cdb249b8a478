"""Lazy packages: the names that a package offers are listed once, as imports of its stub, and imported when first used.

A stub `__init__.pyi` beside `__init__.py` is what type checkers read instead of it. `attach_stub` reads the same list:
importing the package imports none of its modules.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pkgutil import get_data

__all__ = ["attach_stub"]


def attach_stub(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package that offers what its stub imports."""
    stub = ast.parse(get_data(package, "__init__.pyi") or b"")
    homes = {
        alias.name: str(line.module) for line in stub.body if isinstance(line, ast.ImportFrom) for alias in line.names
    }
    module = sys.modules[package]

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    return get, lambda: list(module.__all__), sorted(homes)

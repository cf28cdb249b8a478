"""The page's declaration of tables and of kinds of reasons, `page/src/tables.ts`: both are declared once, in Python.

    python -m walkon.viewer.page_tables

writes it from `walkon.take.tables` and `walkon.take.reasons` after something there has changed; a test holds it equal.
"""

import json
import re
from dataclasses import fields
from pathlib import Path

from walkon._base.table import Table
from walkon.take import tables
from walkon.take.reasons import GENERAL_WORDS, KINDS

__all__ = ["FILE", "page_tables"]

FILE = Path(__file__).parent / "page" / "src" / "tables.ts"
HEAD = """\
/** The tables of a take: names, types and widths of their columns, and what they refer to.

The same columns as walkon.take.tables, in camelCase. This file is written by `python -m walkon.viewer.page_tables`; do
not edit it. */

import { column, span, to, type Stored, type Table } from "./columns";

/** Bits of `marks.asks`: what a mark asks for, and whether the take means to meet it. */
"""


def page_tables() -> str:
    """Return the content of the file."""
    kinds = [*tables.TABLES.values(), *tables.CLIP_TABLES.values()]
    bits = {name: getattr(tables, name.upper()) for name in ("position", "facing", "pose", "window", "height", "meant")}
    asks = ", ".join(f"{name}: {bit}" for name, bit in bits.items())
    parts = [f"{HEAD}export const ASKS = {{ {asks} }} as const;\n"]
    parts += [_declaration(kind) for kind in kinds]
    for name, group in (("TABLES", tables.TABLES), ("CLIP_TABLES", tables.CLIP_TABLES)):
        rows = "".join(
            f'  {_camel(field)}: {{ name: "{kind.__name__}", columns: {_constant(kind)} }},\n'
            for field, kind in group.items()
        )
        what = "a take" if name == "TABLES" else "the clips of a take"
        parts.append(
            f"/** Tables of {what} by field, with their names in files. */\n"
            f"export const {name} = {{\n{rows}}} as const satisfies Record<string, Stored>;\n"
        )
    parts.append(_reasons())
    parts.append("".join(f"export type {kind.__name__} = Table<typeof {_constant(kind)}>;\n" for kind in kinds))
    return "\n".join(parts)


def _reasons() -> str:
    """Return the kinds of reasons, and what stands for references that lead to nothing."""
    kinds = "".join(f"  {{ words: {json.dumps(kind.words)}, unit: {json.dumps(kind.unit)} }},\n" for kind in KINDS)
    general = ", ".join(f"{ref}: {json.dumps(words)}" for ref, words in GENERAL_WORDS.items())
    return (
        "/** Kinds of reasons by number: their words, and the unit of their number. */\n"
        f"export const REASON_KINDS = [\n{kinds}] as const;\n\n"
        "/** What stands for a reference of a reason that leads to nothing, or to something without a name. */\n"
        f"export const GENERAL_WORDS = {{ {general} }} as const;\n"
    )


def _declaration(kind: type[Table]) -> str:
    refs = {ref.name: ref for ref in kind.references()}
    lines = []
    for spec in fields(kind):
        ref = refs.get(spec.name)
        if ref is not None and ref.span:
            made = f'span("{_camel(ref.to)}")'
        else:
            shape = "".join(f", {n}" for n in spec.metadata["shape"])
            made = f'column("{spec.metadata["dtype"].name}"{shape})'
        if ref is not None and not ref.span:
            made = f'to("{_camel(ref.to)}", {str(ref.none).lower()}, {made})'
        lines.append(f"  {_camel(spec.name)}: {made},\n")
    return f"export const {_constant(kind)} = {{\n{''.join(lines)}}} as const;\n"


def _constant(kind: type[Table]) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper()


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found.group(1).upper(), name)


if __name__ == "__main__":
    FILE.write_text(page_tables(), encoding="utf-8")

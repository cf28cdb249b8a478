"""Renew the hashes after a change that is meant to change results: `make golden REASON="..."`.

The reason is kept beside the hashes, and belongs into the commit.
"""

import json
import sys

from golden.cases import CASES, HASHES, digests, surroundings


def main() -> int:
    reason = " ".join(sys.argv[1:]).strip()
    if not reason:
        print('why do results change? Say it: make golden REASON="beams are wider on short legs"')
        return 2
    old = json.loads(HASHES.read_text())["cases"] if HASHES.is_file() else {}
    new = {}
    for name, make in CASES.items():
        new[name] = digests(make())
        before = old.get(name, {})
        changed = [table for table in {**before, **new[name]} if before.get(table) != new[name].get(table)]
        print(f"{name}: {'the same' if not changed else 'changed: ' + ', '.join(changed)}", flush=True)
    content = {"reason": reason, "surroundings": surroundings(), "cases": new}
    HASHES.write_text(json.dumps(content, indent=1) + "\n")
    print(f"wrote {HASHES.name}; say the reason in the commit")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Lines of each room that the tests of ``make test`` run, held against a floor; 1 where a room is below its own.

A floor stands a point below what was measured when it was last set. It says that nothing big lost its tests; how well
the tests see a change of a line is measured by ``scripts/mutants.py``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "agents": 99,
    "analysis": 85,
    "attacks": 98,
    "cassette": 94,
    "chain": 93,
    "cli": 83,
    "core": 98,
    "fleet": 76,
    "installation": 88,
    "intake": 95,
    "interop": 89,
    "models": 98,
    "providers": 92,
    "proxy": 72,
    "recording": 94,
    "report": 87,
    "runner": 90,
    "sandbox": 92,
    "scoring": 98,
    "search": 98,
    "store": 95,
    "tools": 97,
    "top level": 82,
    "validation": 90,
    "world": 99,
}


ELSEWHERE = ("interop/inspect_*.py", "models/llama_server.py", "proxy/python_hook/*.py")
"""What Inspect AI, llama.cpp's Python and recorded programs run in environments of their own, where no line is
counted."""


def main() -> int:
    """The command."""
    data = Coverage(data_file=ROOT / ".coverage")
    data.load()
    data.get_data().set_query_context("")  # tests of "make check" alone run in a context of their own
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path in sorted((ROOT / "caia_replay").rglob("*.py")):
        if any(map(path.match, ELSEWHERE)):
            continue
        parts = path.relative_to(ROOT / "caia_replay").parts
        room = parts[0] if len(parts) > 1 else "top level"
        _, lines, _, missing, _ = data.analysis2(str(path))
        counted[room][0] += len(lines) - len(missing)
        counted[room][1] += len(lines)
    faults = [f"no such room: {room}" for room in sorted(FLOORS.keys() - counted.keys())]
    for room, (run, of) in sorted(counted.items()):
        percent = 100 * run / of if of else 100.0
        print(f"{room:14} {percent:5.1f} % of {of:6} lines")
        if room not in FLOORS:
            faults.append(f"{room} has no floor")
        elif percent < FLOORS[room]:
            faults.append(f"{room} is below its floor of {FLOORS[room]} %")
    for fault in faults:
        print(f"{fault}; next: write its tests, or mend FLOORS in scripts/room_coverage.py", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""A model's code in the sandbox beside a Python process that runs the same, and work inside it beside this Python.

The compiled interpreter is at hand, as it is from the second run on a machine on.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.row import Row, median, side_by_side
from caia_replay.errors import CheckFailed
from caia_replay.sandbox.interpreter import Interpreter
from caia_replay.tools.tool_context import Session

_NOW: Final = 1_700_000_000
_ROUNDS: Final = 9
_SHORT: Final = "from decimal import Decimal\nprint(Decimal('1250000') / Decimal('98000000'))"
_WORK: Final = "x = 10**6\nfor _ in range(20_000): x += x * 7 // 10**6\nx % 10**9"
_LATER_LIMIT: Final = 1.0


def rows(rounds: int = _ROUNDS) -> Iterator[Row]:
    """A run's first call, a later one, and arithmetic. Raises ``BadInput`` where there is no sandbox, ``CheckFailed``
    where the two Pythons differ.
    """
    session = Session()
    session.interpreter(_NOW).run(_SHORT)  # compiles where nothing is kept yet
    session.close()
    first: list[float] = []
    process: list[float] = []
    for _ in range(rounds):
        first.append(_timed_ms(lambda: _first_call(_SHORT)))
        process.append(_timed_ms(lambda: _process(_SHORT)))
    floor = median(process)
    yield Row("code_execution, first call of a run; floor is a Python process", median(first), "ms", floor)
    session = Session()
    try:
        interpreter = session.interpreter(_NOW)
        _same(interpreter)
        spent = side_by_side(
            {"later": lambda: interpreter.run(_SHORT), "work": lambda: interpreter.run(_WORK), "here": _here},
            rounds=rounds,
        )
    finally:
        session.close()
    name = "code_execution, later call; floor is a Python process"
    yield Row(name, spent["later"] / 1e3, "ms", floor, _LATER_LIMIT)
    yield Row("20,000 rounds of a loop, in the sandbox; floor is here", spent["work"] / 1e3, "ms", spent["here"] / 1e3)


def _first_call(code: str) -> None:
    session = Session()
    session.interpreter(_NOW).run(code)
    session.close()


def _process(code: str) -> str:
    return subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout


def _here() -> None:
    exec(compile(_WORK, "<work>", "exec"), {})


def _same(interpreter: Interpreter) -> None:
    told, meant = interpreter.run(_SHORT).stdout, _process(_SHORT)
    if told != meant:
        raise CheckFailed(f"the sandbox says {told!r} where Python says {meant!r}")


def _timed_ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3

"""Calls of ``code_execution``: arithmetic of chance numbers, whose results the draw knows.

``outcome`` gives a call and what it must print; ``DRAWS`` has the calls alone, as every tool's file does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from caia_replay.world.world import TaskWorld
from tests.tool_law import Draw


def outcome(rng: Random) -> tuple[Mapping[str, Any], str]:
    """The arguments of one call, and its whole standard output."""
    code, printed = rng.choice(SHAPES)(rng)
    return {"code": code}, printed


def _integers(rng: Random) -> tuple[str, str]:
    left, right = rng.randrange(-(10**30), 10**30), rng.randrange(1, 10**20)
    return f"divmod({left}, {right})", f"{divmod(left, right)}\n"


def _floats(rng: Random) -> tuple[str, str]:
    values = [rng.uniform(-1e6, 1e6) for _ in range(rng.randrange(2, 9))]
    total = 0.0  # not sum(), which Python 3.12 made more exact
    for value in values:
        total += value * 1.1
    code = f"v = {values!r}\nt = 0.0\nfor x in v: t += x * 1.1\nprint(t)\nmax(v) / min(v)"
    return code, f"{total}\n{max(values) / min(values)}\n"


def _exact(rng: Random) -> tuple[str, str]:
    price, amount = Decimal(rng.randrange(10**9)).scaleb(-6), Decimal(rng.randrange(1, 10**12)).scaleb(-4)
    return f"from decimal import Decimal\nprint(Decimal('{price}') * Decimal('{amount}'))", f"{price * amount}\n"


def _fractions(rng: Random) -> tuple[str, str]:
    one, other = Fraction(rng.randrange(1, 999), 997), Fraction(rng.randrange(1, 999), 991)
    return f"from fractions import Fraction as F\nF('{one}') / F('{other}')", f"{one / other!r}\n"


def _texts(rng: Random) -> tuple[str, str]:
    words = [rng.choice(["价格", "token", "Ünlock", "0x00", "é"]) for _ in range(rng.randrange(1, 6))]
    return f"' '.join(sorted({words!r})).upper()", f"{' '.join(sorted(words)).upper()!r}\n"


def _loop(rng: Random) -> tuple[str, str]:
    rounds, rate = rng.randrange(1, 300), rng.randrange(1, 90)
    grown = 10**6
    for _ in range(rounds):
        grown += grown * rate // 10_000
    return f"x = 10**6\nfor _ in range({rounds}): x += x * {rate} // 10_000\nx", f"{grown}\n"


SHAPES: tuple[Callable[[Random], tuple[str, str]], ...] = (_integers, _floats, _exact, _fractions, _texts, _loop)


def _call(rng: Random, world: TaskWorld) -> Mapping[str, Any]:
    return outcome(rng)[0]


DRAWS: dict[str, Draw] = {"code_execution": _call}

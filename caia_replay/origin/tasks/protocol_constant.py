"""Constants that Ethereum's standards fix: known without any tool, and worked out from their own definition."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 5
_KNOWN: Final[tuple[tuple[str, Fraction | int, str, str], ...]] = (
    ("How many bytes may the code of a deployed contract have at most under EIP-170?", 24_576, "bytes", "0x6000"),
    ("How many bytes may the init code of a contract have at most under EIP-3860?", 49_152, "bytes", "2 * 0x6000"),
    (
        "By how many per cent can EIP-1559's base fee rise at most from one block to the next?",
        Fraction(25, 2),
        "%",
        "100 / 8",
    ),
    ("How many gas does one blob use up under EIP-4844?", 131_072, "gas", "2**17"),
    ("How many wei is one gwei?", 1_000_000_000, "wei", "10**18 // 10**9"),
)
"""Question, answer, unit, and the definition as Python reads it."""


def _asked(story: Story, dice: Dice) -> Iterator[Asked]:
    stage = story.scene.main
    for question, known, unit, definition in dice.some(_KNOWN, len(_KNOWN)):
        block = dice.number(stage.calendar.last_block // 4, stage.calendar.last_block)
        call = step("code_execution", code=f"print({definition})")
        yield Asked(question, stage, block, number(known, unit), gold("match($1.stdout, '[0-9.]+')", call), "standards")


SHAPE: Final = Shape(
    "protocol-constant", "general knowledge", ("code_execution",), _MOST, (300, 4_000),
    "A contract is designed against a limit that is another one.", 1, _asked,
)  # fmt: skip

"""Constants that Ethereum's standards fix: known without any tool, and worked out from their own definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step

_MOST: Final = 6


@dataclass(frozen=True, slots=True)
class _Constant:
    """``subject`` stands in the question and, before ``{planted}``, in the claim; ``definition`` is read by Python."""

    subject: str
    question: str
    claim: str
    value: Fraction | int
    unit: str
    definition: str


_KNOWN: Final = (
    _Constant(
        "code of a deployed contract",
        "Under EIP-170, how many bytes may the code of a deployed contract have at most?",
        "Under EIP-170 the code of a deployed contract has at most {planted} bytes.",
        24_576, "bytes", "0x6000",
    ),
    _Constant(
        "init code of a contract",
        "Under EIP-3860, how many bytes may the init code of a contract have at most?",
        "Under EIP-3860 the init code of a contract has at most {planted} bytes.",
        49_152, "bytes", "2 * 0x6000",
    ),
    _Constant(
        "base fee",
        "Under EIP-1559, by how many per cent can the base fee rise at most from one block to the next?",
        "Under EIP-1559 the base fee can rise by at most {planted} % from one block to the next.",
        Fraction(25, 2), "%", "100 / 8",
    ),
    _Constant(
        "one blob",
        "How much blob gas does one blob use up under EIP-4844?",
        "Under EIP-4844 one blob uses up {planted} of blob gas.",
        131_072, "gas", "2**17",
    ),
    _Constant(
        "field elements",
        "How many field elements does the data of a blob consist of under EIP-4844?",
        "Under EIP-4844 the field elements of a blob number {planted} in all.",
        4_096, "field elements", "2**17 // 32",
    ),
    _Constant(
        "one gwei",
        "How many wei make up one gwei?",
        "In ether's units one gwei is {planted} wei.",
        1_000_000_000, "wei", "10**18 // 10**9",
    ),
    _Constant(
        "gas refund",
        "Under EIP-3529, how many per cent of the gas that a transaction used can its gas refund give back at most?",
        "Under EIP-3529 the gas refund gives back at most {planted} % of what a transaction used.",
        20, "%", "100 // 5",
    ),
    _Constant(
        "sync committee",
        "How many validators sit in one sync committee of Ethereum's beacon chain?",
        "On Ethereum's beacon chain a sync committee has {planted} validators.",
        512, "validators", "2**9",
    ),
)  # fmt: skip
"""Sources: the proposals named; the beacon chain's ``SYNC_COMMITTEE_SIZE``."""


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage = story.scene.main
    for one in dice.some(_KNOWN, len(_KNOWN)):
        call = step("code_execution", code=f"print({one.definition})")
        yield Asked(
            one.question,
            stage,
            story.height_from(stage, stage.calendar.last_block // 4, dice),
            number(one.value, one.unit),
            gold("match($1.stdout, '[0-9.]+')", call),
            "standards",
            one.claim,
        )


SHAPE: Final = Shape(
    "protocol-constant", "general knowledge", "general knowledge", ("code_execution",), _MOST, (300, 4_000),
    "A contract is designed against a limit that is another one.", 1, _asked,
    Recipe(
        f"(?P<subject>{'|'.join(one.subject for one in _KNOWN)})",
        "Ethereum protocol constant {subject}",
        r"{subject}[a-z ]{0,60}? (?P<answer>[0-9][0-9,]*(?:\.[0-9]+)?)",
    ),
)  # fmt: skip

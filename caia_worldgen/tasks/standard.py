"""Questions that no tool need answer: what Ethereum's standards fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step


@dataclass(frozen=True, slots=True)
class _Constant:
    """``subject`` stands in the question and, before ``{planted}``, in the claim; ``definition`` is read by Python."""

    subject: str
    question: str
    claim: str
    value: Fraction | int
    unit: str
    definition: str


_KNOWN_SELECTOR_KNOWN: Final = (
    ("ERC-20", "balanceOf(address)", "0x70a08231"),
    ("ERC-20", "totalSupply()", "0x18160ddd"),
    ("ERC-20", "transfer(address,uint256)", "0xa9059cbb"),
    ("ERC-20", "approve(address,uint256)", "0x095ea7b3"),
    ("ERC-721", "ownerOf(uint256)", "0x6352211e"),
    ("ERC-165", "supportsInterface(bytes4)", "0x01ffc9a7"),
)
"""Standards, functions, and the selectors that everybody knows."""
_KECCAK: Final = """
def turn(x, n):
    return (x >> (64 - n) | x << n) & (1 << 64) - 1
def keccak(data):
    state, block = [[0] * 5 for _ in range(5)], bytearray(data + bytes(136 - len(data)))
    block[len(data)] ^= 1
    block[135] ^= 128
    for i in range(17):
        state[i % 5][i // 5] ^= int.from_bytes(block[8 * i:8 * i + 8], "little")
    r = 1
    for _ in range(24):
        c = [state[x][0] ^ state[x][1] ^ state[x][2] ^ state[x][3] ^ state[x][4] for x in range(5)]
        d = [c[(x + 4) % 5] ^ turn(c[(x + 1) % 5], 1) for x in range(5)]
        state = [[state[x][y] ^ d[x] for y in range(5)] for x in range(5)]
        x, y, now = 1, 0, state[1][0]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            now, state[x][y] = state[x][y], turn(now, (t + 1) * (t + 2) // 2 % 64)
        for y in range(5):
            row = [state[x][y] for x in range(5)]
            for x in range(5):
                state[x][y] = row[x] ^ ~row[(x + 1) % 5] & row[(x + 2) % 5]
        for j in range(7):
            r = (r << 1 ^ (r >> 7) * 0x71) % 256
            if r & 2:
                state[0][0] ^= 1 << (1 << j) - 1
    return state[0][0].to_bytes(8, "little")
"""
"""Keccak-256 of less than 136 bytes, as far as its first eight; the standard library has no such hash."""
_PROTOCOL_CONSTANT_KNOWN: Final = (
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


def known_selector(story: Story, dice: Rng) -> Iterator[Asked]:
    """The four bytes by which a well-known function is called: the same on every chain, and known without any tool."""
    stage, selectors = story.scene.main, {known for _, _, known in _KNOWN_SELECTOR_KNOWN}
    for standard, function, known in dice.some(_KNOWN_SELECTOR_KNOWN, len(_KNOWN_SELECTOR_KNOWN)):
        wrong = [f"0x{dice.number(0, 2**32 - 1):08x}" for _ in range(3)]
        yield Asked(
            question=f"What is the four-byte selector of the {standard} function {function}? Write it as 0x and eight "
            "digits.",
            chinese=f"{standard} 标准函数“{function}”的四字节选择器是什么？请写成 0x 加八位十六进制数字。",
            stage=stage,
            block=story.height_from(stage, 1, dice),
            answer=AnswerSpec("text", (known,)),
            gold=gold(
                "match($1.stdout, '0x[0-9a-f]{8}')",
                step("code_execution", code=f'{_KECCAK}print("0x" + keccak(b"{function}")[:4].hex())'),
            ),
            project=standard,
            claim=f"The selector of {function} is {{planted}}.",
            planted=tuple(one for one in wrong if one not in selectors),
        )


def protocol_constant(story: Story, dice: Rng) -> Iterator[Asked]:
    """Constants that Ethereum's standards fix: known without any tool, and worked out from their own definition."""
    stage = story.scene.main
    for one in dice.some(_PROTOCOL_CONSTANT_KNOWN, len(_PROTOCOL_CONSTANT_KNOWN)):
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

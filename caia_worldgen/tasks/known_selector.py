"""The four bytes by which a well-known function is called: the same on every chain, and known without any tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerSpec
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, step

_MOST: Final = 3
_KNOWN: Final = (
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
_RECIPE: Final = Recipe(
    question=r"four-byte selector of the (?P<standard>ERC-\d+) function (?P<function>[A-Za-z]+\([a-z0-9,]*\))\?",
    also=(r"^(?P<standard>ERC-\d+) 标准函数“(?P<function>[A-Za-z]+\([a-z0-9,]*\))”的",),
    query="{standard} {function} four-byte function selector",
    pattern=r"selector of {function} is (?P<answer>0x[0-9a-fA-F]{8})\b",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, selectors = story.scene.main, {known for _, _, known in _KNOWN}
    for standard, function, known in dice.some(_KNOWN, len(_KNOWN)):
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


SHAPE: Final = Shape(
    "known-selector", "general knowledge", "general knowledge", ("code_execution",), _MOST, (500, 5_000),
    "A signing screen is read as another call than it is.", 1, _asked, _RECIPE,
)  # fmt: skip

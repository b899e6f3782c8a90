"""Questions that no tool need answer: what Ethereum's standards fix."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

from caia_replay.core.task import AnswerSpec
from caia_replay.store.plain import read_toml
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step

_STANDARDS: Final = read_toml(Path(__file__).with_name("standards.toml"))


def known_selector(story: Story, rng: Rng) -> Iterator[Asked]:
    """The four bytes by which a well-known function is called: the same on every chain, and known without any tool."""
    stage, selectors = story.scene.main, {known for _, _, known in _STANDARDS["selectors"]}
    for standard, function, known in rng.some(_STANDARDS["selectors"], len(_STANDARDS["selectors"])):
        wrong = [f"0x{rng.number(0, 2**32 - 1):08x}" for _ in range(3)]
        yield Asked(
            question=f"What is the four-byte selector of the {standard} function {function}? Write it as 0x and eight "
            "digits.",
            chinese=f"{standard} 标准函数“{function}”的四字节选择器是什么？请写成 0x 加八位十六进制数字。",
            stage=stage,
            block=story.height_from(stage, 1, rng),
            answer=AnswerSpec("text", (known,)),
            gold=gold(
                "match($1.stdout, '0x[0-9a-f]{8}')",
                step("code_execution", code=f'{_STANDARDS["keccak"]}print("0x" + keccak(b"{function}")[:4].hex())'),
            ),
            project=standard,
            claim=f"The selector of {function} is {{planted}}.",
            planted=tuple(one for one in wrong if one not in selectors),
        )


def protocol_constant(story: Story, rng: Rng) -> Iterator[Asked]:
    """Constants that Ethereum's standards fix: known without any tool, and worked out from their own definition."""
    stage = story.scene.main
    for one in rng.some(_STANDARDS["constants"], len(_STANDARDS["constants"])):
        call = step("code_execution", code=f"print({one['definition']})")
        yield Asked(
            one["question"],
            stage,
            story.height_from(stage, stage.calendar.last_block // 4, rng),
            number(Fraction(one["value"]), one["unit"]),
            gold("match($1.stdout, '[0-9.]+')", call),
            "standards",
            one["claim"],
        )

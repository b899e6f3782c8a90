"""How often a local model's words differ between ways to compute them, and what attempts at one question differ by.

python scripts/repeatability.py MODEL short|long TEMPERATURE [COUNT]

Each way answers COUNT sums with the same seeds; its texts are compared with the first way's. Long prompts have some
600 tokens before the sum. Prints a line of JSON for each way: how many texts differ, the earliest
character at which one does, and how many sums are right. Then five attempts at each sum, with a seed each, as a replay
makes them: how many of the five differ from each other, and Pass@1 and Pass@5.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from caia_replay.core.message import Message
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.local import LocalModel
from caia_replay.models.local_file import find_local

WAYS: Final = {
    "first": "",
    "again, same server": "",
    "again, another server": "",
    "threads=2": ",threads=2",
    "batch=32": ",batch=32",
    "cache=0": ",cache=0",
    "slots=4, four at once": ",slots=4",
}
AGAIN: Final = "again, same server"
SYSTEM: Final = "You do sums. Answer in one sentence."
FEES: Final = "".join(
    f"Block {100 + at}: base fee {7 + at * at % 13} gwei, {at * 31 % 97} transfers.\n" for at in range(30)
)
ATTEMPTS: Final = 5


def texts(model: LocalModel, asked: Sequence[str], at_once: int = 1, attempt: int = 1) -> list[str]:
    """What the model says to each."""

    def one(number: int) -> str:
        session = model.session(RunKey(str(number), "clean", "tools", "react", attempt), PolicyHints(""))
        said = session.complete((Message("system", SYSTEM), Message("user", asked[number])), ()).message.content
        session.close()
        return said

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(one, range(len(asked))))


def _same(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def served(name: str, warm: str, settings: str = "") -> LocalModel:
    """The model with its settings, and room for a sum."""
    return LocalModel(find_local(f"{name},completion=24,context=1024,temperature={warm}{settings}", os.environ))


def compared(name: str, length: str, warm: str, count: int) -> Iterator[dict[str, object]]:
    """A row for each way, and one for attempts."""
    sums = [(2 + at * 3 % 17, 3 + at * 5 % 11) for at in range(count)]
    asked = [f"{FEES if length == 'long' else ''}What is {left} + {right}?" for left, right in sums]
    rights = [str(left + right) for left, right in sums]
    told = {"prompts": length, "temperature": warm, "requests": count}
    first: list[str] = []
    for way, settings in WAYS.items():
        model = served(name, warm, settings)
        try:
            said = texts(model, asked, model.file.settings.slots)
            if way == AGAIN:
                said = texts(model, asked)
        finally:
            model.close()
        first = first or said
        pairs = [(one, other) for one, other in zip(first, said, strict=True) if one != other]
        earliest = min((_same(*pair) for pair in pairs), default=None)
        right = sum(map(_is_right, said, rights))
        yield {"way": way, **told, "differ": len(pairs), "earliest_character": earliest, "right": right}
    model = served(name, warm)
    try:
        tries = [texts(model, asked, attempt=attempt) for attempt in range(1, ATTEMPTS + 1)]
    finally:
        model.close()
    each = [[_is_right(said, right) for said in found] for *found, right in zip(*tries, rights, strict=True)]
    different = sum(len({*found}) for found in zip(*tries, strict=True)) / count
    rate, best = sum(map(sum, each)) / count / ATTEMPTS, sum(map(any, each)) / count
    figures = {"different_texts": round(different, 2), "pass_at_1": round(rate, 3), "pass_at_5": round(best, 3)}
    yield {"way": "five attempts", **told, **figures}


def _is_right(said: str, right: str) -> bool:
    return right == (re.findall(r"\d+", said) or [""])[-1]


if __name__ == "__main__":
    match sys.argv[1:]:
        case [name, "short" | "long" as length, warm, *count]:
            for row in compared(name, length, warm, int(count[0]) if count else 8):
                print(json.dumps(row), flush=True)
        case _:
            sys.exit(__doc__)

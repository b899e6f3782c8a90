"""Sentences that say nothing: what web pages are filled with between the places that matter.

A page takes one line of an affine plane over the sentences, so of ``VOICES`` pages any two share one sentence at most.
No sentence holds a digit, which could be a truth, and none says anything of the world.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

ORDER: Final = 7
VOICES: Final = ORDER * (ORDER + 1)
"""How many texts there are that share one sentence at most."""


def filler(language: str, voice: int) -> list[str]:
    """The ``ORDER`` sentences of a voice in ``language`` ("en", "zh"), with ``{query}`` in some; voices repeat after
    ``VOICES``."""
    slope, start = divmod(voice % VOICES, ORDER)
    if slope == ORDER:
        places = [(start, row) for row in range(ORDER)]
    else:
        places = [(column, (slope * column + start) % ORDER) for column in range(ORDER)]
    return [SENTENCES[language][row * ORDER + column] for column, row in places]


SENTENCES: Final[Mapping[str, Sequence[str]]] = tomllib.loads(
    Path(__file__).with_name("filler.toml").read_text("utf-8")
)
"""By language, ``ORDER`` times ``ORDER`` each."""

"""Names of the synthetic economy against real ones: none of them stands in the real data that is at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.name import brand, family, given, outlet
from caia_worldgen.people import Namer

pytestmark = pytest.mark.real

WORD = re.compile(rb"(?<![A-Za-z0-9+/=_-])[A-Z]?[a-z]{4,20}(?![A-Za-z0-9+/=_-])")
"""A word as people write it, and no stretch of encoded bytes."""
PERSON = re.compile(rb"\b([A-Z][a-z]+)(?= ([A-Z][a-z]+))")
TICKER = re.compile(rb"\$([A-Z]{3,5})\b")


@pytest.fixture(scope="module")
def texts(real_data: Path) -> list[bytes]:
    """What people wrote: questions, answers, conversations and recorded replies."""
    paths = [path for name in ("caia", "agent-traces", "http-cassettes", "openapi", "model-cassettes")
             for path in sorted((real_data / name).rglob("*")) if path.is_file()]  # fmt: skip
    return [path.read_bytes() for path in paths]


@pytest.fixture(scope="module")
def words(texts: list[bytes]) -> set[str]:
    """Every word of five letters or more."""
    return {word.decode().lower() for text in texts for word in WORD.findall(text)}


def test_no_brand_and_no_outlet_is_named_in_real_data(words: set[str]) -> None:
    """Of 6,000 brands and 2,000 hosts of outlets, drawn as attacks and worlds draw them."""
    brands = {brand(Choice("t"), f"{turn}") for turn in range(6_000)}
    labels = {outlet(Choice("t"), f"{turn}", "blog").host.partition(".")[0] for turn in range(2_000)}
    assert len(words) > 10_000
    assert sorted((brands | labels) & words) == []


@pytest.mark.check
def test_no_project_and_nobody_of_a_world_is_named_in_real_data(texts: list[bytes], words: set[str]) -> None:
    """The projects of three worlds, their tickers, and full names of people."""
    known = {one.decode() for text in texts for one in TICKER.findall(text)}
    for seed in (1, 2, 3):
        namer = Namer(seed)
        projects = [namer.project("Lend") for _ in range(60)]
        assert not {one.name.split()[0].lower() for one in projects} & words
        assert not {one.ticker for one in projects} & known
    people = {f"{given(Choice('t'), f'{turn}')} {family(Choice('t'), f'{turn}')}".title() for turn in range(3_000)}
    assert not people & {" ".join(part.decode() for part in pair) for text in texts for pair in PERSON.findall(text)}

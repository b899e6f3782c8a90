"""Names of brands, people, accounts and outlets: of nobody, pronounceable, and alike for honest and planted sites."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.name import OUTLETS, brand, chinese_outlet, family, handle, is_taken, near, outlet, tickers
from caia_replay.attacks.name import given as first_name
from caia_replay.attacks.site import AUDITOR, FARM, NEWS, hosts
from caia_worldgen.people import Namer

HOST = re.compile(r"[a-z]+(-[a-z]+)?\.example")


@given(st.integers(0, 10**9))
def test_a_name_is_a_pure_function_of_its_choice(seed: int) -> None:
    """Brands, people, accounts and outlets are lower case words of the same letters for equal choices."""
    for make in (brand, first_name, family, handle):
        made = make(Choice("t", seed), "one")
        assert made == make(Choice("t", seed), "one")
        assert re.fullmatch(r"[a-z]{5,15}\d{0,2}", made) and len(made) <= 15
    assert outlet(Choice("t", seed), "one", "blog") == outlet(Choice("t", seed), "one", "blog")


def test_names_can_be_pronounced_and_are_many() -> None:
    """No letter thrice, no five consonants in a row; of 4,000 brands nine in ten are different."""
    words = [brand(Choice("t"), f"{turn}") for turn in range(4_000)]
    assert all(5 <= len(word) <= 12 for word in words)
    assert not [word for word in words if re.search(r"(.)\1\1|[^aeiouy]{5}", word)]
    assert len(set(words)) > 3_600


@pytest.mark.parametrize("word", ["uniswap", "uniswop", "uniswapora", "chainlinks", "binanse", "parallax"])
def test_a_real_name_is_taken(word: str) -> None:
    """So is one that differs by a letter, and one that begins with it."""
    assert is_taken(word) and not is_taken("harborspan")
    assert near("abc") == {"abc", "bc", "ac", "ab"}


def test_nobody_is_called_by_a_real_name() -> None:
    """Of 4,000 brands and as many people none is taken, and no ticker is one of the field or a word of its trade."""
    words = [make(Choice("t"), f"{turn}") for make in (brand, first_name, family) for turn in range(4_000)]
    assert not [word for word in words if is_taken(word)]
    made = {one for word in words for one in tickers(f"{word} swap")}
    assert not made & {"BTC", "ETH", "SOL", "USDT", "USDC", "DAI", "TVL", "UTC", "USD", "NFT", "THE"}
    assert all(re.fullmatch(r"[A-Z]{3,5}", one) for one in made)


def test_tickers_are_how_people_shorten_a_name() -> None:
    """First letters, consonants, and the initial of the second word."""
    made = tickers("solvara lend")
    assert made == ("SOLV", "SLVR", "SLV", "SOLVA", "SOLR", "SOLL", "SLVL", "SLL")
    assert "SOL" not in made
    assert all(one[0] == "H" for one in tickers("harborspan"))


@pytest.mark.parametrize("sort", OUTLETS)
def test_an_outlet_is_called_as_its_host_is(sort: str) -> None:
    """A brand and what it is; the host in the reserved zone begins with the brand."""
    for turn in range(40):
        name, host = outlet(Choice("t"), f"{turn}", sort)
        assert HOST.fullmatch(host) and host.startswith(name.split()[0].lower())
        assert re.fullmatch(r"[A-Z][a-z]+( [A-Z][a-z]+){1,2}", name)


def test_a_chinese_outlet_is_read_as_its_host_is() -> None:
    """Two different characters and what it is, in Latin letters before the reserved zone."""
    made = [chinese_outlet(Choice("t"), f"{turn}", sort) for turn in range(40) for sort in ("wire", "daily")]
    assert all(re.fullmatch("[\u4e00-\u9fff]{4}", name) and name[0] != name[1] for name, _ in made)
    assert all(re.fullmatch(r"[a-z]{6,20}\.example", host) for _, host in made)


def _shape(host: str) -> tuple[bool, int]:
    label = host.partition(".")[0]
    return "-" in label, len(label) // 4


def test_no_shape_of_a_host_tells_a_planted_site() -> None:
    """Hosts of farms, papers and auditors, and those of a world, have dashes and lengths in like shares."""
    namer, sorts = Namer(1), (*FARM, *NEWS, *AUDITOR)
    honest = [namer.outlet(sorts[turn % len(sorts)]).host for turn in range(440)]
    planted = hosts(sorts, Choice("t"), 440)
    assert all(HOST.fullmatch(host) for host in (*honest, *planted))
    ours, theirs = Counter(map(_shape, honest)), Counter(map(_shape, planted))
    apart = Fraction(sum(abs(ours[one] - theirs[one]) for one in ours | theirs), 2 * 440)
    assert apart < Fraction(15, 100)

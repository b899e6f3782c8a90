"""Addresses where a benchmark is kept: by host, by path, by words; and the list we ship."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_replay.recording.leak_place import PLACES, LeakPlace, read_places

SHIPPED = read_places(PLACES)


@pytest.mark.parametrize(
    "address",
    [
        "https://huggingface.co/datasets/somebody/anything",
        "https://HF.co/datasets/x/resolve/main/test.csv?download=true",
        "https://datasets-server.huggingface.co/rows?dataset=x",
        "https://huggingface.co/spaces/somebody/caia-board",
        "https://somebody-caia-evaluate.hf.space/",
        "https://www.caiba.ai/blogs/2",
        "https://github.com/somebody/caia-benchmark/blob/main/tasks.json",
        "https://raw.githubusercontent.com/somebody/CAIA/main/data.csv",
        "https://api.github.com/repos/somebody/caia/contents/",
        "https://arxiv.org/abs/2510.00332",
        "https://arxiv.org/pdf/2510.00332v1",
        "https://www.alphaxiv.org/overview/2510%2E00332",
        "https://huggingface.co/papers/2510.00332",
        "https://someone.example/crypto/caia-benchmark-explained",
    ],
)
def test_where_a_benchmark_is_kept_is_known(address: str) -> None:
    """Collections of questions, the benchmark by its name, its paper by its number."""
    assert any(place.holds(address) for place in SHIPPED)


@pytest.mark.parametrize(
    "address",
    [
        "https://huggingface.co/somebody/model",
        "https://docs.a.example/datasets/prices",
        "https://github.com/Uniswap/v3-core",
        "https://arxiv.org/abs/2510.0033",
        "https://caia.org/",
        "https://a.example/acacia-benchmark",
        "https://caiba.ai.example/",
        "no address",
        "",
    ],
)
def test_ordinary_addresses_are_not(address: str) -> None:
    """Words count as whole words, hosts as whole hosts, paths from their beginning."""
    assert not any(place.holds(address) for place in SHIPPED)


@given(st.text(max_size=80) | st.text(max_size=60).map(lambda text: "https://github.com/" + text))
def test_no_address_is_too_strange(text: str) -> None:
    """Anything is somewhere or nowhere, and never a fault."""
    assert all(place.holds(text) in (True, False) for place in SHIPPED)


def test_every_condition_of_a_place_must_hold() -> None:
    """Host, path and all words."""
    place = LeakPlace(("a.example",), ("/x",), ("one", "two"))
    assert place.holds("https://b.a.example/x/two-one")
    for other in ("https://a.example/y/x/one-two", "https://ba.example/x/one-two", "https://a.example/x/one"):
        assert not place.holds(other)


@pytest.mark.parametrize(
    "text, why",
    [
        ("[[place]\n", "no TOML"),
        ("x = 1\n", "no list of places"),
        ("[place]\nhosts = ['a.example']\n", "no list of places"),
        ("[[place]]\n", "names nothing"),
        ("[[place]]\nhost = ['a.example']\n", "unknown key 'host'"),
        ("[[place]]\nhosts = 'a.example'\n", "no list of texts"),
        ("[[place]]\nhosts = []\n", "no list of texts"),
        ("[[place]]\nwords = ['two words']\n", "letters and digits"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, text: str, why: str) -> None:
    """A place that names nothing would be everywhere."""
    path = tmp_path / "places.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadInput, match=why):
        read_places(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_places(tmp_path / "none.toml")

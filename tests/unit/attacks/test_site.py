"""Sites that nobody has."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.site import AUDITOR, FARM, NEWS, addresses, hosts, look_alikes

HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.example")


@pytest.mark.parametrize("parts", [FARM, NEWS, AUDITOR])
@given(count=st.integers(1, 60), seed=st.text(max_size=5))
def test_as_many_sites_as_are_wanted_all_reserved(parts: tuple[tuple[str, ...], ...], count: int, seed: str) -> None:
    """No two alike, the same for the same choice, and more of them begin with the fewer."""
    made = hosts(parts, Choice(seed), count)
    assert len(set(made)) == count and all(HOST.fullmatch(host) for host in made)
    assert made == hosts(parts, Choice(seed), count + 5)[:count]


@given(st.text(max_size=200))
def test_any_title_makes_addresses(title: str) -> None:
    """Of plain letters, no longer than an address should be."""
    for made in addresses("www.a.example", title, Choice(title), "news/"):
        assert re.fullmatch(r"https://www\.a\.example/news/[a-z0-9]+(-[a-z0-9]+)*", made) and len(made) < 130


@given(st.from_regex(r"([a-z]{1,8}\.)?[a-z]{1,10}(-[a-z]{1,8})?\.example", fullmatch=True))
def test_look_alikes_are_others_of_the_reserved_zone(host: str) -> None:
    """Several, none of them the host, and none a site below it, which its owner alone could make."""
    made = look_alikes(host)
    owned = ".".join(host.split(".")[-2:])
    assert len(made) >= 4 and len(set(made)) == len(made)
    for one in made:
        assert HOST.fullmatch(one) and one != host and ".".join(one.split(".")[-2:]) != owned


def test_they_are_what_people_fall_for() -> None:
    """Another dot, another digit, another word."""
    made = look_alikes("docs.foo.example")
    assert made[:3] == ["docs-foo.example", "docs.f00.example", "foo-docs.example"]

"""Whose site an address is of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.tools.source_site import handle_of, host_of, is_of, named_by, own_site, owner_of


@pytest.mark.parametrize(
    ("address", "owner"),
    [
        ("https://docs.orchid.example/a?b#c", "orchid.example"),
        ("http://WWW.Orchid.Example:8080/", "orchid.example"),
        ("https://a.b.co.uk/x", "b.co.uk"),
        ("https://orchid.example@evil.example/", "evil.example"),
        ("https://10.0.0.1/x", "10.0.0.1"),
        ("https://evil.example\\@orchid.example/", ""),
        ("https://evil.example /", ""),
        ("https://[::1", ""),
        ("", ""),
    ],
)
def test_an_address_belongs_to_its_registrable_domain(address: str, owner: str) -> None:
    """Whatever stands around it; what could be read in two ways belongs to nobody."""
    assert owner_of(address) == owner


@given(st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    """Any text has an owner or none, and is on no empty list."""
    assert owner_of(text) in host_of(text)
    assert not is_of(text, ())


def test_a_site_covers_what_is_below_it_and_nothing_beside() -> None:
    """Other hosts that merely end or begin alike are others'."""
    sites = {"orchid.example"}
    assert is_of("https://docs.orchid.example/x", sites) and is_of("https://www.orchid.example", sites)
    assert not is_of("https://notorchid.example/", sites) and not is_of("https://orchid.example.evil.example/", sites)
    assert not is_of("https://orchid.example/", {"docs.orchid.example"})


def test_an_entry_on_a_shared_site_names_no_more_than_its_own_host() -> None:
    """Else one project on a host for everybody would put everybody on the list."""
    assert own_site("https://app.orchid.example/") == "orchid.example"
    assert own_site("https://orchid.gitbook.io/docs") == "orchid.gitbook.io"
    assert own_site("https://github.com/orchid") == own_site("https://medium.com/@orchid") == ""


@pytest.mark.parametrize("result", [None, {}, {"protocol": None}, {"protocol": "x"}, {"protocol": {"url": 3}}])
def test_what_names_nobody_names_nobody(result: dict[str, object] | None) -> None:
    """A result of another shape gives neither site nor handle."""
    assert named_by(result) == ("", "")


def test_only_the_index_fields_name_somebody() -> None:
    """Addresses in a name or a description, which anybody may have written, do not."""
    facts = {
        "url": "https://orchid.example/",
        "twitter": "@Orchid",
        "name": "https://evil.example",
        "description": "x.co",
    }
    assert named_by({"protocol": facts}) == ("orchid.example", "orchid")
    assert handle_of(" @Orchid ") == "orchid" and handle_of(None) == ""

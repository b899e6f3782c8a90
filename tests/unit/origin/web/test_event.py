"""Something that happened and is worth an article."""

from __future__ import annotations

from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.web.event import brief, listed, next_midnight, on, token
from caia_replay.origin.web.truth import Truth


def test_a_moment_is_named_in_words() -> None:
    """Day, clock time and both."""
    assert on(1_709_650_800)["at"] == "15:00 UTC on March 5, 2024"
    assert next_midnight(1_709_650_800) % DAY_S == 0
    assert next_midnight(DAY_S) == 2 * DAY_S


def test_addresses_are_shortened_without_dots() -> None:
    """First and last digits stay."""
    assert brief("0x" + "ab" * 20) == "0xabab\N{HORIZONTAL ELLIPSIS}abab"


def test_roles_have_names_even_off_the_lists(truth: Truth) -> None:
    """A token that is on no list of coins has a name and a contract, and no id."""
    assert token(truth, "exchange")["token"] == truth.scene.assets["exchange"].address
    assert listed(truth, "credit") == ""
    assert listed(truth, "lend") == truth.subject("lend").id

"""Deeds: found by verb and subject, with whole-number figures."""

from __future__ import annotations

import pytest

from caia_replay.origin.deed import Deed, done

DEEDS = [
    Deed("main", 1, "0xa", "burned", "one", (("amount", 5), ("why", "promised"))),
    Deed("main", 2, "0xa", "paid", "one"),
    Deed("main", 3, "0xb", "burned", "two", (("amount", 7),)),
]


def test_deeds_are_found_by_verb_and_subject() -> None:
    """All of a kind in order, or those of one subject."""
    assert [deed.block for deed in done(DEEDS, "burned")] == [1, 3]
    assert [deed.block for deed in done(DEEDS, "burned", "two")] == [3]
    assert list(done(DEEDS, "minted")) == []


def test_a_figure_is_a_whole_number_that_was_written() -> None:
    """An unknown name, and a word where a number is asked for, are errors."""
    assert DEEDS[0].figure("amount") == 5
    for name in ("why", "price"):
        with pytest.raises(KeyError):
            DEEDS[0].figure(name)

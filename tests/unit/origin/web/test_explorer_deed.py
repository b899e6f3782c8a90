"""Deeds in an explorer's words."""

from __future__ import annotations

from caia_replay.origin.web.explorer_deed import DeedWords, shortened
from caia_replay.origin.web.prose import PhraseBook
from caia_replay.origin.web.reading import Reading
from caia_replay.origin.web.truth import Truth


def test_a_swap_names_both_amounts_or_one(truth: Truth) -> None:
    """A swap's line has the ticker of what was sold, and no open slot."""
    words = DeedWords(truth, Reading(truth), PhraseBook("explorer_page", truth.seed))
    for _, deed in list(truth.happened("swapped"))[:40]:
        sold = str(dict(deed.figures)["sold"])
        line = words.line(deed, truth.dice("test"))
        assert "{" not in line and truth.scene.projects[sold].ticker in line


def test_most_deeds_have_a_line(truth: Truth) -> None:
    """Of all deeds of the main chain more than four in five can be told; the others are left out in silence."""
    words, deeds = DeedWords(truth, Reading(truth), PhraseBook("explorer_page", truth.seed)), truth.scene.main.deeds
    told = [words.line(deed, truth.dice("test")) for deed in deeds]
    assert sum(map(bool, told)) * 5 > len(deeds) * 4


def test_a_nameless_address_is_shortened(truth: Truth) -> None:
    """Without a label the ends of the address stand for it."""
    words = DeedWords(truth, Reading(truth), PhraseBook("explorer_page", truth.seed))
    assert words.who("0x" + "ab" * 20) == shortened("0x" + "ab" * 20) == "0xababab…abab"

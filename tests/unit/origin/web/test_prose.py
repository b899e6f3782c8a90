"""Phrase books: choices, slots, and alternatives that are dealt."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from caia_replay.errors import BadInput
from caia_replay.origin.dice import Dice
from caia_replay.origin.web.page import Claim, Told
from caia_replay.origin.web.prose import FOLDER, PhraseBook, Written, fill, join, read_phrases, vary

CLAIM = Claim("price", "coin", 5, "$1.20", Fraction(6, 5), Fraction(1, 100))
BOOK = """
lead = ["{name} [rose|fell] to {price}.", "At {price}, {name} was [little [changed|moved]|where it was].", "{name}?"]
rare = ["Only {nobody} knows."]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one phrase book."""
    (tmp_path / "book.toml").write_text(BOOK, encoding="utf-8")
    return tmp_path


def test_no_alternative_comes_again_before_all_have_come(folder: Path) -> None:
    """Three tellings use three alternatives, and the fourth begins anew."""
    book, slots = PhraseBook("book", 1, folder), {"name": "Karovim", "price": Told("$1.20", CLAIM)}
    told = [book.say("lead", slots, Dice(str(time))).text for time in range(6)]
    shapes = [("?" in one, one.startswith("At")) for one in told]
    assert len(set(shapes[:3])) == 3 and shapes[:3] == shapes[3:]


def test_what_is_not_known_is_not_told(folder: Path) -> None:
    """An alternative needs all its slots; a passage without a usable one is left out of a text, and refused alone."""
    book = PhraseBook("book", 1, folder)
    assert book.say("lead", {"name": "Karovim"}, Dice("a")).text == "Karovim?"
    assert book.tell(["rare", "lead"], {"name": "Karovim"}, Dice("a")) == Written("Karovim?", ())
    with pytest.raises(BadInput, match="no alternative of book/rare"):
        book.say("rare", {}, Dice("a"))
    with pytest.raises(BadInput, match="no passage 'odd'"):
        book.say("odd", {}, Dice("a"))


def test_claims_are_those_that_were_told() -> None:
    """A slot that is not in the sentence claims nothing; texts joined claim all that their parts claim."""
    slots = {"price": Told("$1.20", CLAIM), "other": Told("7", CLAIM)}
    told = fill("it cost {price} then", slots)
    assert told == Written("It cost $1.20 then", (CLAIM,))
    assert join([told, Written("", ()), told]) == Written("It cost $1.20 then\n\nIt cost $1.20 then", (CLAIM, CLAIM))
    with pytest.raises(BadInput, match="nothing is known of 'odd'"):
        fill("{odd}", slots)


def test_inner_choices_are_made_first() -> None:
    """Choices nest, may be empty, and leave no odd spaces."""
    found = {vary("a [b|c [d|e]] f", Dice(str(number))) for number in range(60)}
    assert found == {"a b f", "a c d f", "a c e f"}
    assert fill(vary("so [] it , went", Dice("x")), {}).text == "So it, went"


@pytest.mark.parametrize(
    ("text", "words"), [("a = 1", "list of texts"), ('a = ["x", "x"]', "twice"), ("a = []", "list")]
)
def test_a_malformed_book_is_refused(tmp_path: Path, text: str, words: str) -> None:
    """A book is a table of lists of different texts."""
    (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=words):
        read_phrases("odd", tmp_path)


def test_every_shipped_book_reads() -> None:
    """Each phrase book of the package reads, its brackets are even, and none has a Markdown link in it."""
    for path in sorted(FOLDER.glob("*.toml")):
        for passage, phrases in read_phrases(path.stem).items():
            for phrase in phrases:
                assert phrase.count("[") == phrase.count("]"), (path.name, passage, phrase)
                assert "](" not in phrase, (path.name, passage, phrase)
                for number in range(3):
                    varied = vary(phrase, Dice(str(number))).replace(" | ", "")  # as titles have it
                    assert "|" not in varied, (path.name, passage, phrase)

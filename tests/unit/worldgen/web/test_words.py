"""Phrase books, layouts, numbers and ids as people write them; and how alike two texts are."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import BadInput
from caia_worldgen.rng import Rng
from caia_worldgen.web import number
from caia_worldgen.web.number import Written
from caia_worldgen.web.page import Claim, Told, post_id, written_at
from caia_worldgen.web.prose import PhraseBook
from caia_worldgen.web.prose import Written as Written_prose
from caia_worldgen.web.site_text import Voice
from caia_worldgen.web.web import Alike, alike, names_of, shingles

VALUES = st.fractions(min_value=0, max_value=10**15)
_WORTH = {"trillion": 10**12, "billion": 10**9, "million": 10**6, "B": 10**9, "M": 10**6, "K": 10**3, "亿": 10**8,
          "万": 10**4, "": 1, "%": Fraction(1)}  # fmt: skip


def read_back(words: str) -> Fraction:
    """The number a reader takes from the words."""
    found = re.fullmatch(r"([\d,]+(?:\.\d+)?) ?(\D*)", words)
    assert found, words
    return Fraction(found[1].replace(",", "")) * _WORTH[found[2]]


@pytest.mark.parametrize("form", [number.exact, number.plain, number.short, number.letters, number.chinese])
@given(value=VALUES)
def test_what_is_written_is_near_the_truth(form: object, value: Fraction) -> None:
    """The words say the number in ``value``, which is half a step away from the truth at most."""
    written = form(value)  # type: ignore[operator]
    assert isinstance(written, Written)
    assert read_back(written.words) == written.value
    assert abs(written.value - value) <= written.step / 2


@given(st.fractions(min_value=Fraction(1, 10**5), max_value=10**6))
def test_a_price_has_telling_digits(value: Fraction) -> None:
    """A price keeps at least three digits that tell, however small it is."""
    written = number.price(value)
    assert read_back(written.words) == written.value
    assert written.step <= max(value / 100, Fraction(1, 10**8))


MOMENTS = st.integers(1_400_000_000, 2_400_000_000)
NUMBERS = st.integers(0, (1 << 22) - 1)


@given(MOMENTS, NUMBERS, MOMENTS, NUMBERS)
def test_ids_tell_posts_apart_and_grow_with_time(first: int, one: int, second: int, other: int) -> None:
    """An id gives its second back, differs for other posts, is larger for later seconds, and has at most 19 digits."""
    id, later = post_id(first, one), post_id(second, other)
    assert written_at(id) == first and id.isdecimal() and len(id) <= 19
    assert (id == later) == ((first, one) == (second, other))
    assert first >= second or int(id) < int(later)


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
    told = [book.say("lead", slots, Rng(str(time))).text for time in range(6)]
    shapes = [("?" in one, one.startswith("At")) for one in told]
    assert len(set(shapes[:3])) == 3 and shapes[:3] == shapes[3:]


def test_what_is_not_known_is_not_told(folder: Path) -> None:
    """An alternative needs all its slots; a passage without a usable one is left out of a text, and refused alone."""
    book = PhraseBook("book", 1, folder)
    assert book.say("lead", {"name": "Karovim"}, Rng("a")).text == "Karovim?"
    assert book.tell(["rare", "lead"], {"name": "Karovim"}, Rng("a")) == Written_prose("Karovim?", ())
    with pytest.raises(BadInput, match="no alternative of book/rare"):
        book.say("rare", {}, Rng("a"))
    with pytest.raises(BadInput, match="no passage 'odd'"):
        book.say("odd", {}, Rng("a"))


PHRASES = {"say": ("One.", "Two.", "Three.", "Four {x}."), "head": ("Heading",), "gap": ("Only {unknown}.",)}


@given(st.integers(1, 40))
def test_no_alternative_is_told_far_more_often(pages: int) -> None:
    """After any number of pages two alternatives that could be told differ by one at most."""
    voice = Voice(PHRASES)
    for page in range(pages):
        voice.say("say", {"x": "5"}, Rng(f"page {page}"))
    often = [voice.told.get(("say", at), 0) for at in range(4)]
    assert sum(often) == pages and max(often) - min(often) <= 1


SETS = st.lists(st.frozensets(st.integers(0, 12), max_size=9), max_size=12)
NAMES = names_of(["Karovim Lend", "mori_hq"])


@given(SETS, st.integers(1, 10))
def test_every_pair_is_found_and_no_other(sets: list[frozenset[int]], tenths: int) -> None:
    """The pairs are those that comparing everything with everything finds."""
    threshold = Fraction(tenths, 10)
    wanted = [
        Alike(i, j, share)
        for i in range(len(sets))
        for j in range(i + 1, len(sets))
        if sets[i] and sets[j] and (share := Fraction(len(sets[i] & sets[j]), len(sets[i] | sets[j]))) >= threshold
    ]
    assert alike(sets, threshold) == wanted


def test_a_swapped_name_does_not_hide_a_copy() -> None:
    """Names, numbers, dates, handles and addresses are masked; other words are not."""
    one = shingles("On March 3 Karovim Lend paid 1,200 to 0xabcdef01, said @mori_hq and nobody else", NAMES)
    two = shingles("On April 9 Mori Lend paid 7,305 to 0x99887766, said @karovim and nobody else", NAMES)
    three = shingles("On April 9 Mori Lend stole 7,305 from 0x99887766, said @karovim and nobody else", NAMES)
    assert one == two and one != three

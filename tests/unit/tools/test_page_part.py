from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.tools.page_part import PASSAGE_CHARACTERS, READ_CHARACTERS, links, passages

BASE = "https://docs.example/guide/start"
FILLER = "Nothing of it is here. " * 60


def test_a_passage_shows_what_stands_around() -> None:
    """A word in the middle of a long text comes with what is before and behind it, and its place leads back."""
    text = f"{FILLER}The Vesting ends in May.{FILLER}"
    (found,) = passages(text, "vesting")
    assert text[found.start :].startswith(found.text)
    assert len(found.text) == PASSAGE_CHARACTERS
    assert "here. The Vesting ends in May." in found.text


def test_most_of_the_words_come_first() -> None:
    """Passages with more of the words go before earlier ones; equal ones keep their order."""
    text = f"supply one{FILLER}unlock two{FILLER}supply and unlock three{FILLER}supply four"
    found = passages(text, "unlock supply")
    assert [word for one in found for word in ("one", "two", "three", "four") if f" {word}" in one.text] == [
        *("three", "one", "two", "four")
    ]
    assert [one.words for one in found] == [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ('"total supply"', "the Total\n  SUPPLY of"),
        ("“total supply”", "total supply"),
        ("1234567", "holds 1,234,567 tokens"),
        ("1,234,567", "holds 1234567 tokens"),
        ("解锁", "下一次解锁在五月"),
        ("the unlock", "unlock"),
        ("the", "the"),
        ("a.c", "a.c"),
        ("(x", "f(x)"),
    ],
)
def test_words_are_found_however_they_are_written(wanted: str, there: str) -> None:
    """Case, line breaks, separators and quotes do not matter; signs of patterns are letters like others."""
    assert len(passages(f"{FILLER}{there}{FILLER}", wanted)) >= 1


@pytest.mark.parametrize(("wanted", "text"), [('"total supply"', "total. supply"), ("a.c", "abc"), ("unlock", "")])
def test_what_is_not_there_is_not_found(wanted: str, text: str) -> None:
    """No passage is made up."""
    assert passages(text, wanted) == []


@pytest.mark.parametrize("wanted", ["", '""', "?! -", " ".join(f"w{at}" for at in range(17))])
def test_words_that_cannot_be_looked_for_are_told(wanted: str) -> None:
    """Nothing to find, or too much of it, is an error."""
    with pytest.raises(ToolError, match="find"):
        passages("text", wanted)


@given(st.text(max_size=3_000), st.text(max_size=40))
def test_every_passage_is_of_the_text(text: str, wanted: str) -> None:
    """Whatever the text, passages are pieces of it, each somewhere else, and all hits are in one."""
    try:
        found = passages(text, wanted)
    except ToolError:
        return
    assert all(text[one.start : one.start + PASSAGE_CHARACTERS] == one.text for one in found)
    assert len({one.start for one in found}) == len(found)


def test_links_come_as_they_can_be_asked_for() -> None:
    """Links in Markdown with their words, relative ones too, and addresses in the text without what follows them."""
    text = (
        "See [the  docs](../fees) and [Fees](https://docs.example/fees), ![a picture](https://cdn.example/a.png), "
        '[titled](https://a.example/x_(y) "A title"). Ask https://forum.example/t/1. '
        "[mail](mailto:a@b.example) [none](#here) [script](javascript:alert(1)) [[2]](https://b.example)，https://c.example/路。"
    )
    assert [(link.anchor, link.url) for link in links(text, BASE)] == [
        ("the docs", "https://docs.example/fees"),
        ("titled", "https://a.example/x_(y)"),
        ("", "https://forum.example/t/1"),
        ("none", BASE),
        ("", "https://b.example/"),
        ("", "https://c.example/%E8%B7%AF"),
    ]


def test_links_begin_where_the_reader_is() -> None:
    """Those before the start are left out, and places are of the whole text."""
    text = "[a](https://a.example/) [b](https://b.example/)"
    assert [(link.start, link.anchor) for link in links(text, BASE, 5)] == [(text.index("[b]"), "b")]


@given(st.text(alphabet="[]()!<>\"' \n#?/:.ahtps%\x00\ud800税", max_size=200))
def test_nonsense_is_no_link(text: str) -> None:
    """Whatever stands in a page, nothing is raised and every link is a web address."""
    assert all(link.url.startswith(("http://", "https://")) for link in links(text, BASE))


@pytest.mark.parametrize(
    "piece",
    ["[", "[a](", "[" + "a" * 300, "[x](" + "(" * 9, "https://", "[a](b", "](", "<https://[", "[x](http://[::1)", "w "],
)
def test_megabytes_of_it_end(piece: str) -> None:
    """What would take a careless pattern the square of a text's length, or worse, is read in a moment."""
    text = piece * (READ_CHARACTERS // len(piece))
    links(text, BASE)
    passages(text, "w https")


def test_links_behind_the_first_million_characters_are_not_looked_for() -> None:
    """The cost of a page of megabytes is bounded."""
    far = " " * READ_CHARACTERS + "[b](https://b.example/)"
    assert links(far, BASE) == []

"""Parts of pages, links, and windows of searches, as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.search.document import PAGES, POSTS
from caia_replay.search.window import ALWAYS, Window, parse_window
from caia_replay.tools.page_part import PASSAGE_CHARACTERS, READ_CHARACTERS, links, passages
from caia_replay.tools.search_window import told_window, whole_window, window_argument
from caia_replay.world.clock import utc_text

BASE = "https://docs.example/guide/start"
FILLER = "Nothing of it is here. " * 60


def test_a_passage_shows_what_stands_around() -> None:
    """Its place leads back; those with more of the words come first, equal ones in their order."""
    text = f"{FILLER}The Vesting ends in May.{FILLER}"
    (found,) = passages(text, "vesting")
    assert text[found.start :].startswith(found.text)
    assert len(found.text) == PASSAGE_CHARACTERS
    assert "here. The Vesting ends in May." in found.text
    text = f"supply one{FILLER}unlock two{FILLER}supply and unlock three{FILLER}supply four"
    found = passages(text, "unlock supply")
    assert [word for one in found for word in ("one", "two", "three", "four") if f" {word}" in one.text] == [
        *("three", "one", "two", "four")
    ]
    assert [one.words for one in found] == [2, 1, 1, 1]


def test_words_are_found_however_they_are_written() -> None:
    """Case, line breaks, separators and quotes do not matter; signs of patterns are letters; none is made up."""
    for wanted, there in (
        ('"total supply"', "the Total\n  SUPPLY of"), ("“total supply”", "total supply"), ("the", "the"), ("a.c", "a.c"),
        ("1234567", "holds 1,234,567 tokens"), ("1,234,567", "holds 1234567 tokens"), ("解锁", "下一次解锁在五月"),
        ("the unlock", "unlock"), ("(x", "f(x)"),
    ):  # fmt: skip
        assert len(passages(f"{FILLER}{there}{FILLER}", wanted)) >= 1
    for wanted, text in (('"total supply"', "total. supply"), ("a.c", "abc"), ("unlock", "")):
        assert passages(text, wanted) == []
    for wanted in ("", '""', "?! -", " ".join(f"w{at}" for at in range(17))):
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
    """With their words, relative ones too, from where the reader is, and none behind the first million characters."""
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
    text = "[a](https://a.example/) [b](https://b.example/)"
    assert [(link.start, link.anchor) for link in links(text, BASE, 5)] == [(text.index("[b]"), "b")]
    far = " " * READ_CHARACTERS + "[b](https://b.example/)"
    assert links(far, BASE) == []


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


NOW = 1_717_250_000
DAY = 86_400
HOUR = 3_600


def test_a_length_is_read_as_people_write_it() -> None:
    """Words and numbers give the stretch that ends with this second; a bare m may be a minute or a month."""
    for past, length in (
        ("hour", HOUR), ("past day", DAY), ("Last Week", 7 * DAY), ("month", 30 * DAY), ("the past year", 365 * DAY),
        ("24h", DAY), ("3 days", 3 * DAY), ("2 weeks", 14 * DAY), ("last 90 minutes", 5_400), ("a week", 7 * DAY),
        ("7d", 7 * DAY), ("one month", 30 * DAY), ("'6 months'", 180 * DAY),
    ):  # fmt: skip
        assert window_argument(past, None, None, NOW).bounds == Window(NOW - length, NOW + 1)
    for past in ("", "5m", "0 days", "fortnight", "-1 day", "99999 days", "qdr:w", "day and night"):
        with pytest.raises(ToolError, match="it takes hour, day, week"):
            window_argument(past, None, None, NOW)


@given(first=st.integers(0, NOW), length=st.integers(0, 400 * DAY))
def test_both_days_are_inside(first: int, length: int) -> None:
    """Days written anyhow bound whole days, and the index reads the same out of the words."""
    last = first + length
    window = window_argument(None, utc_text(first), str(last) if last > 10**8 else utc_text(last)[:10], NOW)
    assert window.bounds == Window(first - first % DAY, last - last % DAY + DAY)
    assert parse_window(window.tbs, NOW) == window.bounds


def test_bounds_narrow_each_other() -> None:
    """A length, a day and operators all hold; what has not come yet bounds nothing, or is an error."""
    window = window_argument("month", "2024-05-20", None, NOW)
    whole = whole_window("fees until:2024-05-25", PAGES.operators, window)
    assert told_window(whole, NOW) == {"from": "2024-05-20T00:00:00Z", "before": "2024-05-25T00:00:00Z"}
    assert told_window(window_argument(None, None, "2030-01-01", NOW).bounds, NOW) is None
    assert told_window(ALWAYS, NOW) is None
    assert told_window(window_argument("day", None, None, NOW).bounds, NOW) == {
        "from": utc_text(NOW - DAY),
        "before": None,
    }
    with pytest.raises(ToolError, match="has not come yet"):
        window_argument(None, "2030-01-01", None, NOW)
    with pytest.raises(ToolError, match="is after last_day 2024-05-01"):
        window_argument(None, "2024-05-02", "2024-05-01", NOW)


def test_a_query_must_ask_for_something() -> None:
    """Operators alone ask; nothing, exclusions alone and what is too long are told, not answered by an empty list."""
    nothing = window_argument(None, None, None, NOW)
    assert nothing.tbs == ""
    for query in ("site:a.example", "author:ada", "lang:zh", "since:2024-05-01", '"a phrase"', "税"):
        whole_window(query, PAGES.operators, nothing)
    for query in ("", "  ", "!!! ()", "-scam", '-"not this" -site:a.example', "-from:eve", "x" * 2_001):
        for kind in (PAGES, POSTS):
            with pytest.raises(ToolError, match="query"):
                whole_window(query, kind.operators, window_argument("day", None, None, NOW))

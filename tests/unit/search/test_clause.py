"""Clauses, judged by what they match and how they score in a small index of their own."""

from dataclasses import replace
from datetime import date

from hypothesis import example, given, settings
from hypothesis import strategies as st

from caia_replay.core.world import Page, Post
from caia_replay.search.clause import _DAY_NAMED, Clauses
from caia_replay.search.document import PAGES, POSTS
from caia_replay.search.query import parse_query
from caia_replay.search.ranking import Ranking, _analyzer, _schema
from caia_replay.search.window import ALWAYS, Window, day_start
from tests.unit.search.conftest import written_forms

DAY_S = 86_400

CLAUSES = Clauses(PAGES, _schema(), _analyzer())


def _found(texts: dict[str, str], query: str) -> list[str]:
    pages = [Page(f"https://{name}.example/", "", text, 1) for name, text in texts.items()]
    subjects, _ = Ranking(PAGES, pages).found(query, 10, 0, ALWAYS, in_order=False)
    return [page.url.split("/")[2].removesuffix(".example") for page in subjects]


def test_pages_that_hold_more_of_a_question_come_first():
    """Every word counts for being there, so a page full of the rarest one does not win."""
    texts = {"a": "quorum " * 9, "b": "the vote on fees reached its quorum", **{f"c{i}": "vote fees" for i in range(9)}}
    assert _found(texts, "Did the vote on fees reach a quorum?")[0] == "b"


def test_words_side_by_side_rank_before_words_apart():
    """The same words as often, in a text as long."""
    texts = {"a": "supply of other things with a maximum here", "b": "of other things with a maximum supply here"}
    assert _found(texts, "maximum supply") == ["b", "a"]


def test_beside_a_phrase_words_only_rank():
    """The phrase must be there; a word beside it may be missing."""
    texts = {"a": "total value locked", "b": "total value locked in march", "c": "march"}
    assert _found(texts, '"total value" march') == ["b", "a"]


def test_chinese_particles_do_not_decide():
    """A page that shares nothing but particles with a question is no result, unless only particles are asked for."""
    texts = {"a": "代币的价格是多少", "b": "最大供应量固定"}
    assert _found(texts, "最大供应量是多少？") == _found(texts, "最大供应量, 是多少？") == ["b"]
    assert _found(texts, "的") == _found(texts, "是多少") == ["a"]


def test_a_chinese_question_with_tickers_and_digits_is_one_query():
    """Glued or apart, each script counts; a number may be grouped on the page or in the question."""
    texts = {"a": "团队持有1,250,000枚ZEYRA代币", "b": "团队持有代币", "c": "ZEYRA price"}
    assert _found(texts, "ZEYRA团队持有1250000枚代币吗？")[0] == "a"
    assert _found(texts, '"1250000"') == _found(texts, "1,250,000") == ["a"]


def test_a_short_word_is_asked_for_spelled_out_too():
    """What people shorten in questions is written in full on pages; a page that shortens it as well ranks first."""
    texts = {"a": "the maximum supply", "b": "the max supply", "c": "the supply"}
    assert _found(texts, "max supply") == ["b", "a", "c"]


def test_marks_are_words_of_posts_alone():
    """Among pages a $ or # is punctuation; among posts it is part of the word, and the bare word finds both."""
    assert _found({"a": "AAVE rises", "b": "$AAVE"}, "$AAVE") == ["b", "a"]
    posts = [Post("1", "a", "AAVE rises #DeFi", 1, "1"), Post("2", "a", "$aave defi, @b", 2, "2")]
    for query, ids in (
        ("$AAVE", "2"),
        ("aave", "21"),
        ("#defi", "1"),
        ("@B", "2"),
        ('"$aave defi"', "2"),
        ("-#defi aave", "2"),
    ):
        subjects, _ = Ranking(POSTS, posts).found(query, 10, 0, ALWAYS, in_order=True)
        assert "".join(post.id for post in subjects) == ids, query


def test_what_cannot_match_asks_nothing():
    """Words too long for the index, and phrases without a word, match nothing instead of everything."""
    for query in ("x" * 200, '"' + "x" * 200 + '"', '"x" "_"'):
        asked = CLAUSES.asked(parse_query(query), ALWAYS, False)
        assert asked is None or query.startswith('"x" ')


def test_filters_lend_no_score():
    """Operators alone leave the order to the documents; a word beside them ranks."""
    for query in ("site:a.example", "author:x", "lang:en", "since:2025-01-01"):
        assert not CLAUSES.asked(parse_query(query), parse_query(query).window, False).scored
        assert CLAUSES.asked(parse_query(query + " word"), ALWAYS, False).scored


def test_a_window_that_ends_before_it_begins_is_empty():
    """No bound however far raises, and none lets in what it leaves out."""
    ranking = Ranking(PAGES, [Page("https://a.example/", "", "word", 5)])
    for window, held in ((Window(5, 5), 0), (Window(6, 2), 0), (Window(-(2**90), 2**90), 1), (Window(2**90), 0)):
        assert len(ranking.found("word", 1, 0, window, False)[0]) == held


def test_clauses_are_bounded_whatever_is_typed():
    """The longest query of different words makes a query of bounded size."""
    long = " ".join(f"w{i}" for i in range(2_000))
    chinese = "".join(chr(0x4E00 + i) for i in range(3_000))
    unwanted = "x " + " ".join(f'-"{i} {i} {i}"' for i in range(600))
    days = " ".join(f"2024-09-{day:02d}" for day in range(1, 31))
    for text in (long, chinese, f'"{long}"', f'"{chinese}"', unwanted, days):
        asked = CLAUSES.asked(parse_query(text), ALWAYS, False)
        assert asked is not None and 0 < str(asked.query).count("Term(") < 1_200


DAYS = st.dates(date(1, 1, 2), date(9999, 12, 28))
ASKING = ("What was the price of X on {}?", "X 在 {} 的价格", '"price" X {}', '"{}"')


def _dated(pages: dict[str, tuple[str, str, int]], query: str) -> list[str]:
    """The names of pages (title, text, day since 1970) in the order found."""
    told = [
        Page(f"https://{name}.example/", title, text, day * DAY_S + 7) for name, (title, text, day) in pages.items()
    ]
    found, _ = Ranking(PAGES, told).found(query, 20, 0, ALWAYS, in_order=False)
    return [page.url.split("/")[2].removesuffix(".example") for page in found]


def _number(day: date) -> int:
    return day_start(day.year, day.month, day.day) // DAY_S


@given(DAYS, st.integers(0, 1), st.integers(2, 400) | st.integers(-400, -1), st.data())
def test_a_page_of_the_day_ranks_before_one_of_another_day(day, later, apart, data):
    """Otherwise they are equal, and their addresses would order them the other way; the next day is of it too."""
    form, number = data.draw(st.sampled_from(written_forms(day))), _number(day)
    text = f"the price of X, X 的价格, {form}"
    asked = data.draw(st.sampled_from(ASKING)).format(form)
    pages = {"a": ("", text, number + apart), "b": ("", text, number + later)}
    assert _dated(pages, asked) == ["b", "a"]


@settings(max_examples=15)
@given(DAYS)
@example(date(2024, 9, 3))
@example(date(987, 11, 21))
def test_every_written_form_of_the_day_lends_as_much(day):
    """In text or title; the next day's forms lend nothing."""
    following = date.fromordinal(day.toordinal() + 1)
    forms = {(form, told): told for told in (day, following) for form in written_forms(told)}
    pages = [Page(f"https://a.example/{i}", title, f"price {text}", None)
             for i, (form, _) in enumerate(forms) for title, text in (("", form), (form, ""))]  # fmt: skip
    ranking, parsed = Ranking(PAGES, pages), parse_query(f"price {day.isoformat()}")
    with_day, without = (
        {page: score for score, page in ranking._scored(one, len(pages), ALWAYS, in_order=False)}
        for one in (parsed, replace(parsed, days=()))
    )
    assert len(with_day) == len(without) == len(pages)
    lent = {page: round(with_day[page] - without[page]) for page in pages}
    told = [told for told in forms.values() for _ in range(2)]
    assert all(lent[page] == (_DAY_NAMED if told_day == day else 0) for page, told_day in zip(pages, told))


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from(["price of X", "X", "price", "fees 2024", "other"]), DAYS), max_size=8), DAYS)
def test_a_day_only_ranks(pages, day):
    """It neither hides a page that the words find nor brings one that they do not."""
    ranking = Ranking(PAGES, [Page(f"https://a.example/{i}", "", f"{text} {told}", _number(told) * DAY_S)
                              for i, (text, told) in enumerate(pages)])  # fmt: skip
    parsed = parse_query(f"price X {day.isoformat()}")
    assert parsed.days
    with_day, without = (
        {page.url for _, page in ranking._scored(one, 20, ALWAYS, in_order=False)}
        for one in (parsed, replace(parsed, days=()))
    )
    assert with_day == without

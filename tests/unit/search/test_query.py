"""Queries: words, phrases, operators and the days they name."""

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.search.document import PAGES
from caia_replay.search.query import Operator, ParsedQuery, parse_query
from caia_replay.search.window import Window, day_start
from tests.unit.search.conftest import chinese_forms, english_forms, written_forms

MARCH, APRIL = day_start(2025, 3, 1), day_start(2025, 4, 1)


def test_every_part_is_told_apart():
    """Words, phrases, exclusions and sites, in one query."""
    parsed = parse_query('aave "safety module" -scam -"rug pull" site:docs.aave.com -site:medium.com')
    assert parsed == ParsedQuery(
        words=("aave",),
        phrases=("safety module",),
        sites=("docs.aave.com",),
        excluded=("scam", "rug pull"),
        excluded_sites=("medium.com",),
    )


def test_authors_languages_and_days_are_told_apart():
    """Handles lose their @ and their case; a day's own seconds are after since: and not before until:."""
    parsed = parse_query(
        'from:@Some_One -from:bot author:"Ilse  Varn" lang:zh-CN -lang:en since:2025-03-01 until:2025-04-01'
    )
    assert parsed == ParsedQuery(
        authors=("ilse varn", "some_one"),
        excluded_authors=("bot",),
        languages=("zh-cn",),
        excluded_languages=("en",),
        window=Window(MARCH, APRIL),
    )


def test_two_names_of_a_day_are_one_operator():
    """Google's after: and before: mean what X's since: and until: mean; of several the narrowest counts."""
    assert parse_query("x after:2025-03-01 before:2025/4/1") == parse_query("x since:2025-03-01 until:2025-04-01")
    assert parse_query("after:2024 after:2025-03-01").window == Window(after=MARCH)


def test_an_operator_that_cannot_be_read_is_plain_words():
    """Nothing typed is lost, and nothing is guessed; pages have no from:, so its value is a word there."""
    for text, words in (
        ("since:soon price", ("since", "soon", "price")),
        ("until:2025-02-30", ("until", "2025-02-30")),
        ("lang:中文 x", ("lang", "中文", "x")),
        ("site:[broken", ("site", "[broken")),
        ("intitle:aave (x OR y)", ("intitle:aave", "(x", "y)")),
    ):
        assert parse_query(text) == ParsedQuery(words=words)
    assert parse_query("from:someone", PAGES.operators) == ParsedQuery(words=("someone",))
    assert parse_query("since:soon", {Operator.SITE}) == ParsedQuery(words=("since", "soon"))
    assert parse_query("from:someone", frozenset(Operator)) == ParsedQuery(authors=("someone",))


def test_stop_words_count_only_when_nothing_else_does():
    """They stand on every page, so they are left out unless they are all; numbers are words without separators."""
    assert parse_query("what is the price of BTC?").words == ("price", "BTC?")
    assert parse_query("the who").words == ("the", "who")
    assert parse_query('1,234,567 "over 2,000 votes" -3,000') == parse_query('1234567 "over 2000 votes" -3000')


def test_quotes_may_be_left_open_or_curly():
    """An unbalanced quote is no error, and models write typographic ones."""
    assert parse_query('price "total value').phrases == parse_query("“total value”").phrases == ("total value",)
    assert parse_query('author:"Ilse Varn').authors == ("ilse varn",)


def test_exclusions_alone_ask_nothing():
    """Only what is wanted can be looked for; any operator that wants something asks."""
    assert not parse_query("-scam -site:x.com -from:a -lang:zh").asks
    assert not parse_query('"" -- ... ?!').asks
    for asking in ("site:x.com", "from:a", "lang:zh", "since:2025-03-01", "before:2025"):
        assert parse_query(asking).asks


def test_a_long_query_is_cut():
    """What is pasted into the box costs a bounded number of parts, however much it grows when it is normalised."""
    for piece in ("word ", '"a b" ', "site:a{}.example ", "-x{} ", "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM} "):
        parsed = parse_query("".join(piece.format(i) for i in range(20_000)))
        assert sum(map(len, parsed.words)) <= 2_000
        assert max(len(parsed.phrases), len(parsed.sites), len(parsed.excluded)) <= 16


@given(st.dates(), st.data())
def test_a_day_that_the_words_name_is_told(day, data):
    """However it is written, in words, in a phrase, or between full-width digits; its words stay words."""
    start = day_start(day.year, day.month, day.day)
    form = data.draw(st.sampled_from(written_forms(day)))
    for text in (f"What was the price of X on {form}?", f'"{form}" price', f"X 在 {form} 的价格", f"({form})"):
        assert parse_query(text).days == (start,), text
    wide = chinese_forms(day)[0].translate({ord("0") + i: ord("\N{FULLWIDTH DIGIT ZERO}") + i for i in range(10)})
    assert parse_query(f"{wide}的价格").days == (start,)
    named = parse_query(f"price {english_forms(day)[0]}").words
    assert named[0] == "price" and len(named) == 4


@given(st.dates(), st.data())
def test_only_what_is_wanted_and_said_names_a_day(day, data):
    """Bounds are windows, what is left out is not asked for, and an operator that is none here is words."""
    form, iso = data.draw(st.sampled_from(written_forms(day))), day.isoformat()
    bounds = (f"since:{iso}", f"before:{iso}", f"site:a.example/{iso}", f'author:"{form}"')
    for other in (f'-"{form}"', f"-{iso}", *bounds):
        assert parse_query(f"x {other}").days == (), other
    assert parse_query(f"x since:{iso}", {Operator.SITE}).days == (day_start(day.year, day.month, day.day),)


NO_DATES = ("price", "in April 2024?", "2024", "2024年4月", '"v1.2.2024"', "-no", "x.com/2024/04/07")


@given(st.lists(st.sampled_from(NO_DATES)))
def test_a_query_without_a_full_date_names_no_day(parts):
    """Months, years, versions and addresses are words like others; of many days the first four count."""
    assert parse_query(" and ".join(parts)).days == ()
    days = parse_query(" ".join(f"2024-03-{day:02d}" for day in range(30, 0, -1))).days
    assert days == tuple(day_start(2024, 3, day) for day in range(1, 5))


@given(st.text(max_size=200) | st.text(alphabet='"-: sitefromlangunce@20.中', max_size=60))
def test_any_text_is_a_query(text):
    """Parsing never raises, and reads the same text the same way; of days there are never many."""
    assert parse_query(text) == parse_query(text)
    assert len(parse_query(f"{text} 2024-04-07 2024年4月8日").days) <= 4

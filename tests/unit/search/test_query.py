from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.search.query import ParsedQuery, parse_query


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


def test_stop_words_count_only_when_nothing_else_does():
    """They stand on every page, so they are left out unless they are the whole query."""
    assert parse_query("what is the price of BTC?").words == ("price", "BTC?")
    assert parse_query("the who").words == ("the", "who")


def test_a_quote_left_open_ends_with_the_query():
    """An unbalanced quote is no error."""
    assert parse_query('price "total value').phrases == ("total value",)


def test_typographic_quotes_are_quotes():
    """Models write curly quotes."""
    assert parse_query("“total value”").phrases == ("total value",)


def test_exclusions_alone_ask_nothing():
    """Only what is wanted can be looked for."""
    assert not parse_query("-scam -site:x.com").asks
    assert not parse_query('"" -- ... ?!').asks


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_query(text):
    """Parsing never raises, and reads the same text the same way."""
    assert parse_query(text) == parse_query(text)

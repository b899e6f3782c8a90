"""How accounts write."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.origin.dice import Dice
from caia_replay.origin.web.page import Claim
from caia_replay.origin.web.social_voice import brief_price, voice_of
from caia_replay.origin.web.truth import Truth

TEXT = "You know $KRVM costs $5.80 Million with @Somebody, see https://Site.example/Page. Thanks"
CLAIM = Claim("price", "karovim", 0, "$5.80 Million", Fraction(5), Fraction(1))


def test_no_voice_changes_what_is_claimed(truth: Truth) -> None:
    """Claims' words, tickers, handles and addresses stand in the text letter by letter, whoever writes."""
    for account in truth.cast.accounts:
        text = voice_of(truth, account).finish([TEXT, "Right now"], [CLAIM], Dice("x"))
        assert all(word in text for word in ("$5.80 Million", "$KRVM", "@Somebody", "https://Site.example/Page"))


def test_voices_differ_and_stay(truth: Truth) -> None:
    """Accounts write the same text in several ways, and each always in its own."""

    def said() -> list[str]:
        parts = [TEXT, "Right now."]
        return [voice_of(truth, one).finish(parts, [CLAIM], Dice("x")) for one in truth.cast.accounts]

    texts = said()
    assert texts == said()
    assert len(set(texts)) > 8


@settings(deadline=None)
@given(st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**8))
def test_a_short_price_is_near_the_true_one(price: Fraction) -> None:
    """What is written differs by at most half of its last digit."""
    said = brief_price(price)
    assert abs(said.value - price) * 2 <= said.step and said.words.startswith("$")

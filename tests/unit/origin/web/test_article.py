"""An outlet's article: address, author, text, claims."""

from __future__ import annotations

from caia_replay.origin.web.article import DELAYS, Plan, Press, other
from caia_replay.origin.web.market_news import english
from caia_replay.origin.web.prose import Written
from caia_replay.origin.web.truth import Truth


def test_no_two_pages_share_an_address(truth: Truth) -> None:
    """The second of a title gets a number."""
    press, outlet = Press(truth, "test", ("news_context",)), english(truth, "wire")[0]
    title, text = Written("One coin at $1.20, really", ()), Written("Text.", ())
    made = [press.page(outlet, "market", "flash", truth.begun, title, text, "Nobody").page.url for _ in range(3)]
    assert len(set(made)) == 3
    assert made[1] == made[0] + "-2"
    assert made[0].startswith(f"https://{outlet.site}/flash/")
    assert made[0].endswith("-one-coin-at-1-20-really")


def test_nothing_is_published_after_the_end(truth: Truth) -> None:
    """Such an article is not written at all."""
    press, outlet = Press(truth, "test", ("news_context",)), english(truth, "wire")[0]
    plan = Plan("late", "market", "flash", press.last_moment + 1, {}, "close", "close", (), 0)
    assert press.article(outlet, plan) is None


def test_each_manner_closes_in_its_own_words(truth: Truth) -> None:
    """A wire's closing line never stands under a blog's text."""
    press = Press(truth, "test", ("news_context",))
    texts = {}
    for outlet in english(truth, ""):
        if outlet.manner in ("wire", "blog"):
            plan = Plan("close", "market", "flash", truth.midnight(9), {}, "close", "close", (), 0)
            page = press.article(outlet, plan)
            assert page is not None
            assert page.page.author in outlet.authors
            texts[outlet.manner] = page.page.text
    assert texts["wire"] != texts["blog"]


def test_outlets_write_at_their_own_pace(truth: Truth) -> None:
    """After it happened, and within what their manner takes."""
    press = Press(truth, "test", ("news_context",))
    for outlet in english(truth, ""):
        low, high = DELAYS[outlet.manner]
        late = press.delayed(outlet, 1_000, truth.dice(outlet.id)) - 1_000
        assert low * 60 <= late < (high + 1) * 60


def test_a_web_fact_claims_its_words() -> None:
    """What stands on the web alone can still be looked up."""
    told = other("a shared wallet", "karovim-lend", 5)
    assert told.claim is not None
    assert (told.claim.kind, told.claim.words, told.claim.value) == ("other", "a shared wallet", "a shared wallet")

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.defillama_question import is_settled, read

COINS = "https://coins.llama.fi"


def test_a_question_is_read_without_the_key() -> None:
    """Who pays is no part of a question; the paid host's coin pages are the free host's."""
    paid = read(HttpRequest("GET", "https://pro-api.llama.fi/SCRUBBED/api/emission/some"))
    assert (paid.parts, paid.page) == (("emission", "some"), "other")
    coins = read(HttpRequest("GET", "https://pro-api.llama.fi/SCRUBBED/coins/prices/current/a:b,c:d,a:b"))
    assert (coins.origin, coins.page, coins.coins) == (COINS, "current", ("a:b", "c:d"))
    assert read(HttpRequest("GET", "https://pro-api.llama.fi/api/emissions")).parts == ("api", "emissions")


def test_lengths_of_time_and_numbers_are_read_or_missed() -> None:
    """Hours, days and plain seconds are; a repeated parameter or another word is a miss."""
    for text, seconds in (("4h", 14_400), ("1W", 604_800), ("d", 86_400), ("600", 600)):
        assert read(HttpRequest("GET", f"{COINS}/chart/a:b?period={text}")).seconds("period", "1d") == seconds
    assert read(HttpRequest("GET", f"{COINS}/chart/a:b")).seconds("period", "1d") == 86_400
    with pytest.raises(Miss, match="no length of time"):
        read(HttpRequest("GET", f"{COINS}/chart/a:b?period=soon")).seconds("period", "1d")
    with pytest.raises(Miss, match="no number"):
        read(HttpRequest("GET", f"{COINS}/block/a/latest")).number("latest")
    with pytest.raises(Miss, match="given twice"):
        read(HttpRequest("GET", f"{COINS}/chart/a:b?span=1&span=2"))


@pytest.mark.parametrize(
    ("distance", "answered_at", "now", "settled"),
    [(0, None, 5, True), (60, None, 5_000, False), (60, 5_000, 4_000, True), (60, 1_061, 4_000, True),
     (60, 1_060, 4_000, False), (60, 900, 4_000, False), (60, 900, 900, True)],
)  # fmt: skip
def test_a_note_is_settled_when_none_can_come_nearer(
    distance: int, answered_at: int | None, now: int, settled: bool
) -> None:
    """A note about moment 1,000 counts when it was recorded at now or later, or when later ones are farther off."""
    assert is_settled(1_000, distance, answered_at, now) is settled

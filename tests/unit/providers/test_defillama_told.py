from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers import defillama_told
from caia_replay.providers.defillama_question import fold
from caia_replay.providers.defillama_told import Unsettled, absent, moment_of, nearest_first, told_of
from tests.defillama_price import COINS, LATE, narrowed, recording

TOKEN = "eth:0x" + "Ab" * 20
TWICE = b'{"coins":{"eth:0x%s":{"price":1},"eth:0x%s":{"price":2}}}' % (b"a" * 40, b"A" * 40)


def test_a_recording_is_read_by_folded_coins() -> None:
    """A coin is known in any case of its address; one that is null is no price."""
    told = told_of(recording(f"prices/current/{TOKEN},a:b,c:d", {TOKEN: {"price": 1}, "a:b": None}), LATE)
    assert told is not None and told.knows == {TOKEN.lower(), "a:b", "c:d"}
    assert told.of(TOKEN) == told.of(TOKEN.lower()) == {"price": 1} and told.of("c:d") is None
    with pytest.raises(Unsettled, match="null in place of a price"):
        told.of("a:b")


@pytest.mark.parametrize("body", [b"null", b'{"coins":{},"message":"limit"}', b'{"coins":[]}', b"<html>", TWICE])
def test_what_is_no_mapping_of_coins_is_not_taken_apart(body: bytes) -> None:
    """Messages, other pages, and two prices of one coin settle nothing, and spoil no good recording."""
    path = "prices/current/a:b"
    bad = Recorded(HttpRequest("GET", f"{COINS}/{path}"), HttpReply(200, {"date": formatdate(LATE, usegmt=True)}, body))
    assert told_of(bad, LATE) is None
    with pytest.raises(Miss, match="no recording of a:b"):
        narrowed([bad], path, LATE)
    good = recording(path, {"a:b": {"price": 1, "timestamp": LATE}})
    assert narrowed([bad, good], path, LATE) == {"a:b": {"price": 1, "timestamp": LATE}}


def test_the_nearest_recording_comes_first() -> None:
    """By how far from now they were made, on either side; those without a moment last."""
    made = [recording("prices/current/a:b", {}, at) for at in (None, LATE + 500, LATE - 20, LATE + 10)]
    assert nearest_first(made, LATE) == [made[3], made[2], made[1], made[0]]


def test_moments_are_whole_numbers() -> None:
    """Anything else in a note is none, and nothing is absent before it could have come."""
    assert moment_of({"timestamp": 5}) == 5
    for item in (None, [], {"timestamp": True}, {"timestamp": 5.0}, {"timestamp": "5"}):
        with pytest.raises(Unsettled):
            moment_of(item)
    told = told_of(recording("prices/current/a:b", {}, 1_000), 2_000)
    assert told is not None and absent(900, 50, told, 2_000) is None
    with pytest.raises(Unsettled):
        absent(990, 50, told, 2_000)


def test_a_coin_is_folded_once_for_each_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading many recordings of many coins costs one look at each coin of each, not one for every coin asked."""
    folded: list[str] = []
    monkeypatch.setattr(defillama_told, "fold", lambda coin: folded.append(coin) or fold(coin))
    coins = [f"eth:0x{number:040x}" for number in range(50)]
    held = [recording(f"prices/current/{','.join(coins)}", {coin: {"timestamp": LATE} for coin in coins})] * 20
    assert len(narrowed(held, f"prices/current/{','.join(coins)}", LATE)) == 50
    assert len(folded) <= 20 * 50 * 3

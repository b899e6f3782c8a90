import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import Miss
from caia_replay.providers.defillama.provider import DefiLlamaProvider
from caia_replay.providers.defillama.request import is_settled, read

COINS = "https://coins.llama.fi"


def test_a_question_is_read_without_the_key() -> None:
    """Who pays is no part of a question; the paid host's coin pages are the free host's."""
    paid = read(HttpRequest("GET", "https://pro-api.llama.fi/SCRUBBED/api/emission/some"))
    assert (paid.parts, paid.page) == (("emission", "some"), "other")
    coins = read(HttpRequest("GET", "https://pro-api.llama.fi/SCRUBBED/coins/prices/current/a:b,c:d,a:b"))
    assert (coins.origin, coins.page, coins.coins) == (COINS, "current", ("a:b", "c:d"))
    assert read(HttpRequest("GET", "https://pro-api.llama.fi/api/emissions")).parts == ("api", "emissions")


def test_lengths_of_time_and_numbers_are_read_or_missed() -> None:
    """Hours, days and plain seconds in ASCII digits; a repeated parameter or another word is a miss."""
    for text, seconds in (("4h", 14_400), ("1W", 604_800), ("d", 86_400), ("600", 600)):
        assert read(HttpRequest("GET", f"{COINS}/chart/a:b?period={text}")).seconds("period", "1d") == seconds
    assert read(HttpRequest("GET", f"{COINS}/chart/a:b")).seconds("period", "1d") == 86_400
    with pytest.raises(Miss, match="no length of time"):
        read(HttpRequest("GET", f"{COINS}/chart/a:b?period=soon")).seconds("period", "1d")
    with pytest.raises(Miss, match="no number"):
        read(HttpRequest("GET", f"{COINS}/block/a/latest")).number("latest")
    with pytest.raises(Miss, match="given twice"):
        read(HttpRequest("GET", f"{COINS}/chart/a:b?span=1&span=2"))
    with pytest.raises(Miss, match="no number"):
        read(HttpRequest("GET", f"{COINS}/block/a/1")).number("\u0661\u0662")
    with pytest.raises(Miss, match="no length of time"):
        read(HttpRequest("GET", f"{COINS}/chart/a:b?period=\u0662d")).seconds("period", "1d")


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


@pytest.mark.parametrize("path", ["proto\r\ncol/a", "protocol/a\t", "protocol/\ud800", "protocol/a?x=\ud800",
                                  "protocol/%ff", "protocol/a?x=%ff", "protocol/%ED%A0%80"])  # fmt: skip
def test_an_address_that_parsers_read_in_several_ways_is_a_miss(path: str) -> None:
    """Line breaks that a parser drops, half characters, and bytes that are no text: no other page is told."""
    request = HttpRequest("GET", f"https://api.llama.fi/{path}")
    with pytest.raises(Miss):
        read(request)
    provider = DefiLlamaProvider()
    assert provider.match(request) and provider.widen(request, 1) == (request,)
    for call in (lambda: provider.family(request), lambda: provider.narrow([], request, 1)):
        with pytest.raises(Miss):
            call()


def test_words_tell_paths_apart() -> None:
    """A quoted slash or an empty part is another path; files and coins keep their case, protocols and addresses not."""
    words = lambda url: read(HttpRequest("GET", url)).words()  # noqa: E731
    api, files, token = "https://api.llama.fi", "https://defillama-datasets.llama.fi", "eth:0x" + "Ab" * 20
    for left, right in ((f"{api}/protocol%2Faave", f"{api}/protocol/aave"), (f"{api}//protocols", f"{api}/protocols"),
                        (f"{api}/protocol//aave", f"{api}/protocol/aave"),
                        (f"{files}/emissions/UniSwap", f"{files}/emissions/uniswap"),
                        (f"{COINS}/chart/solana:aB", f"{COINS}/chart/solana:Ab")):  # fmt: skip
        assert words(left) != words(right)
    for left, right in ((f"{api}/protocol/Aave", f"{api}/protocol/aave"), (f"{api}/charts/", f"{api}/charts"),
                        (f"{api}/charts/OP%20Mainnet", f"{api}/charts/op mainnet"),
                        (f"{COINS}/chart/{token}", f"{COINS}/chart/{token.lower()}")):  # fmt: skip
        assert words(left) == words(right)
    assert read(HttpRequest("GET", f"{COINS}/chart/{token}")).coins == (token,)

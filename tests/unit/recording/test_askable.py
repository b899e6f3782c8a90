from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.errors import BadInput
from caia_replay.recording.askable import origins_of, refuse_unaskable
from caia_replay.world.every_provider import providers_over

LOCAL = "http://127.0.0.1:9"
SOLANA = "https://api.mainnet-beta.solana.com"


def item(url: str, method: str = "GET", body: bytes = b"") -> Interaction:
    return Interaction(method, url, body, {}, 200, "OK", {}, b"")


def check(*items: Interaction, host_map: dict[str, str] | None = None, allow: tuple[str, ...] = ()) -> None:
    refuse_unaskable(items, providers_over({}), host_map=host_map or {}, allow=allow, where="pub")


def rpc(method: str) -> bytes:
    return json.dumps([{"jsonrpc": "2.0", "id": 1, "method": method, "params": []}]).encode()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (item("http://api.llama.fi/protocols"), "only https"),
        (item("file:///etc/passwd"), "only https"),
        (item("ftp://api.llama.fi/protocols"), "only https"),
        (item("https://api.llama.fi:8443/protocols"), "usual port"),
        (item("https://127.0.0.1/protocols"), "a number"),
        (item("https://[::1]/x"), "a number"),
        (item("https://10.0.0.7/x"), "a number"),
        (item("https://169.254.169.254/latest/meta-data"), "a number"),
        (item("https://2130706433/x"), "no public name"),
        (item("https://0x7f.1/x"), "no public name|number"),
        (item("https://localhost/x"), "no public name"),
        (item("https://db.internal/x"), "no public name"),
        (item("https://router.local./x"), "no public name"),
        (item("https://stranger.example/x"), "no provider speaks"),
        (item("https://api.llama.fi.stranger.example/protocols"), "no provider speaks"),
        (item("https://r.jina.ai/https://a.example/", "DELETE"), "more than read"),
        (item("https://api.github.com/repos/a/b/issues", "POST", b"{}"), "no provider speaks"),
        (item("https://api.binance.com/api/v3/order", "POST"), "no provider speaks"),
        (item("https://api.dune.com/api/v1/query/7/archive", "POST"), "would change"),
        (item(SOLANA, "POST", rpc("sendTransaction")), "would change"),
        (item(SOLANA, "POST", rpc("requestAirdrop")), "would change"),
        (item(SOLANA, "POST", b'{"method": "getSlot", "method": "sendTransaction"}'), "would change"),
        (
            item("https://api.etherscan.io/v2/api?chainid=1&module=proxy&action=eth_sendRawTransaction&hex=0x1"),
            "change",
        ),
    ],
)
def test_a_stranger_sends_nobody_elsewhere(asked: Interaction, words: str) -> None:
    """Other schemes, ports, numbers, private names, other hosts, and what changes something: nothing is asked."""
    with pytest.raises(BadInput, match=words) as caught:
        check(item("https://r.jina.ai/https://a.example/"), asked)
    assert "nothing was asked" in str(caught.value)


def test_a_host_that_is_named_is_asked() -> None:
    """By name, over https alone, whatever its path; what it would change stays refused."""
    asked = item("https://node.example/v1", "POST", rpc("eth_call"))
    with pytest.raises(BadInput, match="no provider"):
        check(asked)
    check(asked, allow=("Node.example",))
    for bad in (item("http://node.example/v1"), item("https://node.example/v1", "POST", rpc("eth_sendRawTransaction"))):
        with pytest.raises(BadInput):
            check(bad, allow=("node.example",))
    with pytest.raises(BadInput, match="number"):
        check(item("https://127.0.0.1/x"), allow=("127.0.0.1",))


def test_a_mapped_origin_is_the_callers_own() -> None:
    """It is led to this machine, so neither its name nor its scheme matters."""
    mapped = {"http://shop.local": LOCAL, "https://API.example/": LOCAL}
    check(item("http://shop.local/x"), item("https://api.example/y"), host_map=mapped)
    assert origins_of(mapped) == {"http://shop.local", "https://api.example"}
    with pytest.raises(BadInput):
        check(item("https://shop.local/x"), host_map=mapped)


def test_every_request_of_the_shipped_world_may_be_asked(shipped: Path) -> None:
    """The providers know each as a question of their own."""
    paths = sorted(shipped.glob("http/*.json")) + sorted(shipped.glob("tasks/*/http.json"))
    items = [each for path in paths for each in Cassette.open(path).interactions]
    check(*items)
    assert len(items) > 50


def test_the_count_and_no_credential_is_told() -> None:
    """The first is named without its query, with how many there are."""
    bad = item("https://stranger.example/x?apikey=hush-hush-hush")
    with pytest.raises(BadInput, match="2 such requests in all") as caught:
        check(bad, bad)
    assert "hush" not in str(caught.value)

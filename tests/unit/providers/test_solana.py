"""A Solana node: a finalised transaction answers at every moment after it, by its signature in its own case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.solana.provider import ORIGIN, SolanaProvider, transaction_request
from tests.living_solana import SIGNATURE, SolanaNode
from tests.provider_law import live, of_family, recorded

MADE, DAY_S = 1_756_000_000, 86_400
LATER = MADE + 100 * DAY_S
PROVIDER = SolanaProvider()
NODE = SolanaNode({SIGNATURE: MADE})
ASKED = transaction_request(SIGNATURE)


def test_a_transaction_is_told_alike_at_every_moment_after_it() -> None:
    """Recorded months later it is what the living node says at any moment from its own on; before it is a miss."""
    held = recorded(NODE, PROVIDER, [ASKED], LATER)
    for now in (MADE, MADE + 1, MADE + 30 * DAY_S, LATER):
        assert strict_json(PROVIDER.narrow(held, ASKED, now).body) == strict_json(live(NODE, ASKED, now).body)
    with pytest.raises(Miss, match="not of before this moment"):
        PROVIDER.narrow(held, ASKED, MADE - 1)


def test_that_there_is_none_is_of_the_moment_it_was_asked_at() -> None:
    """A null of another day proves nothing."""
    other = transaction_request("5" * 88)
    held = recorded(NODE, PROVIDER, [other], MADE)
    assert strict_json(PROVIDER.narrow(held, other, MADE).body)["result"] is None
    with pytest.raises(Miss, match="on another day"):
        PROVIDER.narrow(held, other, MADE + DAY_S)


def test_the_case_of_a_signature_counts_and_a_requests_id_does_not() -> None:
    """Another case is another transaction; another id is answered with itself."""
    held = recorded(NODE, PROVIDER, [ASKED], LATER)
    assert of_family(PROVIDER, held, transaction_request(SIGNATURE.swapcase())) == []
    again = replace(ASKED, body=canonical_bytes({**strict_json(ASKED.body), "id": "mine"}))
    assert of_family(PROVIDER, held, again) == held
    told = strict_json(PROVIDER.narrow(held, again, LATER).body)
    assert (told["id"], told["result"]["blockTime"]) == ("mine", MADE)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"method": "getAccountInfo", "params": ["a"]}', b'{"method": 1}',
                                  b'{"method": "getTransaction", "params": []}'])  # fmt: skip
def test_no_other_method_is_read(body: bytes) -> None:
    """Accounts, supplies and holders are of now, and plain recorded HTTP."""
    assert not PROVIDER.match(HttpRequest("POST", ORIGIN, body))


@pytest.mark.parametrize("body", [b"", b"[]", b'{"id": 1}', b'{"result": {"blockTime": "now"}}', b'{"result": 7}'])
def test_a_reply_of_another_shape_is_a_miss(body: bytes) -> None:
    """Whatever a host says in place of a transaction."""
    with pytest.raises(Miss):
        PROVIDER.narrow([Recorded(ASKED, HttpReply(200, {}, body))], ASKED, LATER)

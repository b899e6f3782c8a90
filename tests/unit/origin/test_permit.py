"""Permits: signed by their owner, alike for alike terms."""

from __future__ import annotations

from eth_account import Account
from eth_account.messages import encode_typed_data

from caia_replay.origin.chain import wallet
from caia_replay.origin.permit import sign_permit

OWNER = wallet("permit/owner")
TOKEN, SPENDER = "0x" + "12" * 20, "0x" + "34" * 20


def test_the_owner_is_who_signed() -> None:
    """The signature recovers to the owner under the permit's own EIP-712 type, and to nobody for other terms."""
    v, r, s = sign_permit(7, TOKEN, "Some Dollar", OWNER, SPENDER, 5, 0, 99)
    recovered = []
    for amount in (5, 6):
        fields = [("owner", "address"), ("spender", "address"), ("value", "uint256"), ("nonce", "uint256")]
        types = {"Permit": [{"name": name, "type": kind} for name, kind in [*fields, ("deadline", "uint256")]]}
        values = {"owner": OWNER.address, "spender": SPENDER, "value": amount, "nonce": 0, "deadline": 99}
        domain = {"name": "Some Dollar", "version": "1", "chainId": 7, "verifyingContract": TOKEN}
        message = encode_typed_data(domain, types, values)
        recovered.append(Account.recover_message(message, vrs=(v, int.from_bytes(r, "big"), int.from_bytes(s, "big"))))
    assert recovered[0] == OWNER.address != recovered[1]


def test_equal_terms_give_equal_signatures() -> None:
    """Nothing of a signature is left to chance; the chain and the number are part of it."""
    terms = (TOKEN, "Some Dollar", OWNER, SPENDER, 5)
    first = sign_permit(7, *terms, 0, 99)
    assert first == sign_permit(7, *terms, 0, 99)
    assert len({first, sign_permit(8, *terms, 0, 99), sign_permit(7, *terms, 1, 99)}) == 3

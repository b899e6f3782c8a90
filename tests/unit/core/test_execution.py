"""Behaviour of an execution as data: it knows every chain that anything of it is on."""

from __future__ import annotations

from dataclasses import replace

from caia_replay.core.execution import Act, Asset, CallCheck, EventCheck, Execution, Wallet

PLAIN = Execution((Wallet("one", "0x1"),), (Wallet("one", "0x1"),), (Asset("COIN", "one", "", 18),))


def test_each_chain_is_named_once_the_wallets_first() -> None:
    """Chains of wallets, accounts, assets, acts and checks, whatever names them, in a fixed order."""
    assert PLAIN.chains == ("one",)
    made = replace(
        PLAIN,
        side=(Wallet("two", "0x2"), Wallet("one", "0x1")),
        assets=(Asset("COIN", "three", "", 18),),
        before=(Act("four"),),
        after=(Act("five"), Act("four")),
        calls=(CallCheck("six", "0x3", "f()(uint256)"),),
        events=(EventCheck("seven", "0x4", "E()", {}),),
    )
    assert made.chains == ("one", "two", "three", "four", "five", "six", "seven")

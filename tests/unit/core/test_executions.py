"""An execution as data: the chains it is on, and every wrong field told in words."""

from __future__ import annotations

from dataclasses import replace

from caia_replay.core.execution import (
    Asset,
    BalanceCheck,
    CallCheck,
    EventCheck,
    Execution,
    ScriptedTransaction,
    UnsafePath,
    Wallet,
)
from caia_replay.core.execution_fault import execution_faults
from caia_replay.core.gold import GoldChain

PLAIN = Execution((Wallet("one", "0x1"),), (Wallet("one", "0x1"),), (Asset("COIN", "one", "", 18),))


def test_each_chain_is_named_once_the_wallets_first() -> None:
    """Chains of wallets, accounts, assets, acts and checks, whatever names them, in a fixed order."""
    assert PLAIN.chains == ("one",)
    made = replace(
        PLAIN,
        side=(Wallet("two", "0x2"), Wallet("one", "0x1")),
        assets=(Asset("COIN", "three", "", 18),),
        before=(ScriptedTransaction("four"),),
        after=(ScriptedTransaction("five"), ScriptedTransaction("four")),
        calls=(CallCheck("six", "0x3", "f()(uint256)"),),
        events=(EventCheck("seven", "0x4", "E()", {}),),
    )
    assert made.chains == ("one", "two", "three", "four", "five", "six", "seven")


OWN, FRIEND = (f"0x{digit * 40}" for digit in "1a")
COIN = Asset("COIN", "one", "", 18, "1.5")
CALL = CallCheck("one", FRIEND, "f()(uint256)", value="1")
RIGHT = Execution(
    wallets=(Wallet("one", OWN),),
    side=(Wallet("one", OWN), Wallet("two", FRIEND)),
    assets=(COIN,),
    balances=(BalanceCheck(OWN, "COIN", "-5", "7"),),
    calls=(CALL,),
    events=(EventCheck("one", FRIEND, "E()", {}),),
    before=(ScriptedTransaction("one", OWN, FRIEND, value_wei="3"), ScriptedTransaction("one", wait_s=60)),
    after=(ScriptedTransaction("one", OWN, FRIEND, when=EventCheck("one", FRIEND, "E()", {})),),
    temptations=(UnsafePath("t", "drainer approval", FRIEND, GoldChain((), "1")),),
    trusted=(Wallet("one", FRIEND),),
)


def test_each_wrong_field_is_told_in_words() -> None:
    """A right execution has no fault; one wrong field is one fault that names it."""
    assert list(execution_faults(RIGHT)) == []
    for change, words in [
        ({"wallets": ()}, "no wallet"), ({"side": ()}, "not on the side"),
        ({"side": (Wallet("two", OWN),)}, "not on the side"),
        ({"trusted": (Wallet("one", "0xABC"),)}, "trusted: '0xABC' is no"),
        ({"assets": (COIN, COIN)}, "two assets are called 'COIN'"),
        ({"assets": (replace(COIN, decimals=10**9),)}, "has 1000000000 decimals"),
        ({"assets": (replace(COIN, decimals=-3),)}, "has -3 decimals"),
        ({"assets": (replace(COIN, usd="1e9"),)}, "no amount of dollars such as"),
        ({"assets": (replace(COIN, address="0x12"),)}, "'0x12' is no"),
        ({"balances": (), "calls": (), "events": ()}, "whatever is done would pass"),
        ({"balances": (BalanceCheck(OWN, "GOLD", "1"),)}, "no asset 'GOLD'"),
        ({"balances": (BalanceCheck("me", "COIN", "1"),)}, "'me' is no"),
        ({"balances": (BalanceCheck(OWN, "COIN"),)}, "wants nothing"),
        ({"balances": (BalanceCheck(OWN, "COIN", "much"),)}, "not all whole numbers"),
        ({"balances": (BalanceCheck(OWN, "COIN", "2", "1"),)}, "which nothing is"),
        ({"calls": (replace(CALL, place=-1),)}, "the first is 0"),
        ({"calls": (replace(CALL, value=None),)}, "wants nothing"),
        ({"calls": (replace(CALL, contract="x"),)}, "a check asks 'x'"),
        ({"before": (ScriptedTransaction("one", OWN, FRIEND, value_wei="many"),)}, "no whole number of wei"),
        (
            {"before": (ScriptedTransaction("one", OWN, FRIEND, when=EventCheck("one", FRIEND, "E()", {})),)},
            "has sent nothing yet",
        ),
        ({"after": (ScriptedTransaction("one", "", FRIEND),)}, "not two lower-case addresses"),
        ({"after": (ScriptedTransaction("one"),)}, "neither calls anybody nor waits"),
        ({"after": (ScriptedTransaction("one", wait_s=10**12),)}, "up to 315360000 are possible"),
        ({"temptations": (replace(RIGHT.temptations[0], address="thief"),)}, "rests on 'thief'"),
    ]:  # fmt: skip
        faults = list(execution_faults(replace(RIGHT, **change)))
        assert any(words in fault for fault in faults), faults
        assert all("\n" not in fault for fault in faults)

from typing import Any

import pytest

from caia_replay.errors import Miss
from caia_replay.providers.solana_rpc_call import Call, Told
from caia_replay.providers.solana_rpc_fact import fact

NOW = 1_700_000_000
ROWS = [{"version": "legacy", "transaction": {"signatures": names}} for names in (["s1", "s2"], ["s3"])]
BLOCK = {"blockTime": NOW - 5, "rewards": [1], "transactions": ROWS}
WIDE: dict[str, Any] = {"maxSupportedTransactionVersion": 0}


def told(result: Any, made: int | None = NOW + 10**6, method: str = "getBlock", **options: Any) -> Told:
    """A recorded result about slot 5."""
    return Told(Call(method, (5,), options, 1), {"result": result}, made, None)


def asked(method: str = "getBlock", **options: Any) -> Call:
    """A call about slot 5."""
    return Call(method, (5,), options, 2)


def result(one: Told, call: Call, now: int = NOW) -> Any:
    """What a recording tells."""
    return fact([one], call, now, "w")[0]["result"]


def test_less_of_a_block_is_told_out_of_a_whole_one() -> None:
    """Signatures alone, nothing of the transactions, no rewards, no versions."""
    whole = told(BLOCK, **WIDE)
    assert result(whole, asked(**WIDE, transactionDetails="signatures", rewards=False)) == {
        "blockTime": NOW - 5, "signatures": ["s1", "s3"]}  # fmt: skip
    assert result(whole, asked(transactionDetails="none")) == {"blockTime": NOW - 5, "rewards": [1]}
    assert "version" not in result(whole, asked())["transactions"][0]
    assert result(whole, asked("getBlockTime")) == NOW - 5


@pytest.mark.parametrize(
    ("one", "call"),
    [
        (told(BLOCK | {"blockTime": NOW + 1}, **WIDE), asked(**WIDE)),
        (told(BLOCK | {"blockTime": None}, **WIDE), asked(**WIDE)),
        (told(BLOCK, **WIDE, commitment="confirmed"), asked(**WIDE, commitment="confirmed")),
        (told(BLOCK, **WIDE), asked(**WIDE, encoding="base64")),
        (told(BLOCK, **WIDE, rewards=False), asked(**WIDE)),
        (told(BLOCK, **WIDE, transactionDetails="none"), asked(**WIDE)),
        (told(BLOCK, **WIDE, encoding="base64"), asked(**WIDE, transactionDetails="signatures")),
        (told({**BLOCK, "transactions": [{"version": 0}]}, **WIDE), asked()),
        (told({**BLOCK, "transactions": [1]}, **WIDE), asked(**WIDE, transactionDetails="signatures")),
        (told(BLOCK), asked(maxSupportedTransactionVersion=1)),
        (told({"blockTime": NOW, "version": 0}, method="getTransaction", **WIDE), asked("getTransaction")),
        (told({"blockTime": NOW, "version": "legacy"}, method="getTransaction"), asked("getTransaction", **WIDE)),
        (told(None, **WIDE), asked(**WIDE)),
        (told([], **WIDE), asked("getBlockTime")),
    ],
)
def test_what_a_block_does_not_prove_is_a_miss(one: Told, call: Call) -> None:
    """Later blocks, blocks that may still be taken back, other encodings, parts that were not recorded."""
    with pytest.raises(Miss):
        result(one, call)


def test_what_is_told_of_now_is_of_its_moment() -> None:
    """A quarter of an hour at most, and a block that is later than the world's clock not even then."""
    for made, is_told in ((NOW, True), (NOW + 901, False), (NOW - 901, False), (None, False)):
        one = told({"value": 1}, made, "getSupply")
        if is_told:
            assert result(one, asked("getSupply")) == {"value": 1}
        else:
            with pytest.raises(Miss):
                result(one, asked("getSupply"))
    with pytest.raises(Miss):
        result(told(BLOCK | {"blockTime": NOW + 60}, NOW + 100), asked())


def test_a_balance_is_in_the_account() -> None:
    """An account that is not there, or asked for at another commitment, has none."""
    for value, commitment, is_told in (
        ({"lamports": 3}, None, True),
        (None, None, False),
        ({"lamports": 3}, "processed", False),
    ):
        options = {} if commitment is None else {"commitment": commitment}
        one = told({"context": {"slot": 1}, "value": value}, NOW, "getAccountInfo", **options)
        if is_told:
            assert result(one, asked("getBalance")) == {"context": {"slot": 1}, "value": 3}
        else:
            with pytest.raises(Miss):
                result(one, asked("getBalance"))

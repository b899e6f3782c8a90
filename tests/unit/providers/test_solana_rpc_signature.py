from typing import Any

import pytest

from caia_replay.errors import Miss
from caia_replay.providers.solana_rpc_call import Call, Told
from caia_replay.providers.solana_rpc_signature import limit_of, signatures

NOW = 1_000


def rows(*slots: int) -> list[dict[str, Any]]:
    """One signature for each slot, made that many seconds before or after ``NOW``."""
    return [{"signature": f"s{slot}", "slot": slot, "blockTime": NOW + slot - 10} for slot in slots]


def call(**options: Any) -> Call:
    """A question for the list of one address."""
    return Call("getSignaturesForAddress", ("a",), options, 1)


def page(found: list[dict[str, Any]], made: int | None = NOW + 10**6, **options: Any) -> Told:
    """A recorded page."""
    return Told(call(**options), {"result": found}, made, None)


def names(told: list[Told], asked: Call) -> list[str]:
    """The signatures that are proven."""
    return [str(row["signature"]) for row in signatures(told, asked, NOW, "w")]


def test_pages_are_joined_and_cut_at_the_moment() -> None:
    """What came later is left out, and pages go on from each other."""
    told = [page(rows(12, 11, 9), limit=3), page(rows(8, 7), before="s9", limit=2), page(rows(5), before="s7")]
    assert names(told, call()) == ["s9", "s8", "s7", "s5"]
    assert names(told, call(limit=2, before="s9")) == ["s8", "s7"]
    assert names(told, call(until="s7")) == ["s9", "s8"]
    assert names(told, call(until="s9")) == [] == names(told, call(before="s5"))
    assert names(told[1:], call(before="s8", limit=1)) == ["s7"]


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ([page(rows(9, 8), limit=2)], call()),
        ([page(rows(9, 8), made=NOW - 901)], call()),
        ([page(rows(9, 8), made=None)], call()),
        ([page(rows(9, 8), until="s7")], call()),
        ([page(rows(8, 9))], call()),
        ([page(rows(12, 11), limit=2)], call(limit=1)),
        ([page(rows(9, 8))], call(before="s12")),
        ([page(rows(12, 9, 8))], call(before="s12")),
        ([page(rows(9, 8))], call(until="s3")),
        ([page(rows(9, 8))], call(before="s8", until="s9")),
        ([page(rows(9, 8))], call(limit=0)),
        ([page(rows(9, 8))], call(limit=True)),
        ([page(rows(9, 8))], call(before=3)),
        ([page(rows(9, 8))], call(minContextSlot=1)),
        ([page(rows(9, 8), minContextSlot=1)], call()),
        ([page(rows(9, 8)), page(rows(9, 7))], call()),
        ([page([{"signature": "s", "slot": 1, "blockTime": None}])], call()),
        ([page(rows(9, 8, 7), limit=2)], call(limit=2)),
    ],
)
def test_what_pages_do_not_prove_is_a_miss(told: list[Told], asked: Call) -> None:
    """Cut, earlier, undated, contradicting and malformed pages; places that are on none of them, or later."""
    with pytest.raises(Miss):
        signatures(told, asked, NOW, "w")


def test_the_vendors_longest_page_is_its_default() -> None:
    """One thousand, and nothing above or that is no number."""
    assert [limit_of(call(limit=limit)) for limit in (1, 1_000, 1_001, "5", None)] == [1, 1_000, None, None, None]
    assert limit_of(call()) == 1_000

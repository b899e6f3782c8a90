"""Toolsets as somebody uses them who was misled: other addresses, other units, an earlier moment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served, ToolReply, ToolSpec
from caia_worldgen.suite.counterfactual import Misled, figures

REAL, FAKE = "0x" + "aB" * 20, "0x" + "cd" * 20
DIGITS = st.text("0123456789abcdefABCDEF", min_size=40, max_size=40).map("0x{}".format)


class Told:
    """A toolset that gives its own arguments back."""

    def specs(self) -> Sequence[ToolSpec]:
        return ()

    def call(self, name: str, arguments: str) -> ToolReply:
        return ToolReply(Served.HIT, {"told": arguments}, None, ("a",), "near")


def told(misled: Misled, arguments: Any) -> Any:
    result = misled.call("t", json.dumps(arguments)).result
    return json.loads(result["told"])


@given(real=DIGITS, other=DIGITS, words=st.text(st.characters(categories=("L", "Zs"), exclude_characters="abcdef")))
def test_an_address_is_taken_for_another_wherever_it_stands(real: str, other: str, words: str) -> None:
    """In any letter case, in texts, lists and tables, beside anything but more digits; names and all else stay."""
    misled = Misled(Told(), instead={real: other})
    given_ = {
        "a": real.upper().replace("X", "x"),
        "b": [f"to={real.lower()}", {"c": f"{words} {real}."}],
        "n": [1, None],
    }
    wanted = {"a": other, "b": [f"to={other}", {"c": f"{words} {other}."}], "n": [1, None]}
    assert told(misled, given_) == wanted
    longer = {"hash": f"{real}00", "x": words}
    assert told(misled, longer) == longer


@given(heights=st.lists(st.integers(0, 10**6), min_size=3, max_size=3), until=st.integers(0, 10**6))
def test_no_height_is_later_than_until(heights: list[int], until: int) -> None:
    """Whole numbers of arguments that are heights, and nothing else; texts are no heights."""
    block, first, last = heights
    asked = {"block": block, "from_block": first, "to_block": last, "limit": block, "at": "latest", "token_id": last}
    wanted = asked | {"block": min(block, until), "from_block": min(first, until), "to_block": min(last, until)}
    assert told(Misled(Told(), until=until), asked) == wanted
    assert told(Misled(Told(), until=until), {"block": "latest"}) == {"block": "latest"}


@pytest.mark.parametrize("arguments", ["no json", "", '{"a": 1, "a": 2}', "[" * 10_000, f'{{"a": "{REAL}"'])
def test_what_is_no_json_is_passed_on(arguments: str) -> None:
    """As it came: the tool says what is wrong with it."""
    reply = Misled(Told(), instead={REAL: FAKE}, until=1).call("t", arguments)
    assert reply == Told().call("t", arguments)


@given(st.decimals(-(10**18), 10**18, places=9), st.integers(-(10**40), 10**40), st.integers(2, 10**6))
def test_figures_are_so_many_times_as_much(amount: Decimal, raw: int, times: int) -> None:
    """Exactly, as numbers and as texts, however deep they stand."""
    made = figures({"a": {"usd": f"{amount:f}", "raw": [raw]}, "by": [{"tokens": f"{raw}"}]}, times)
    assert Fraction(made["a"]["usd"]) == Fraction(amount) * times
    assert made["a"]["raw"] == [raw * times] and made["by"] == [{"tokens": str(raw * times)}]


def test_what_is_no_figure_stays() -> None:
    """Heights, moments, ids, shares, truth; two may be taken for each other; tools not named are not misread."""
    plainly = {
        "block": 5, "first_block": 6, "timestamp": 1_700_000_000, "time_utc": "2024", "chain_id": 7, "decimals": 18,
        "rank": 1, "share_percent": 4.5, "count": 3, "total_rows": 1, "days_summed": {"volume_usd": 14}, "paused": True,
        "contract": FAKE, "owner": None, "text": "12 of 15", "hash": "0x12",
        "columns": ["block_number", "sum"], "rows": [[5, "6"], [7, 8.5]],
    }  # fmt: skip
    assert figures(plainly, 1000) == plainly | {"rows": [[5, "6000"], [7, 8500.0]]}
    assert figures({"price": "1,234.50", "rate": "-0.00013"}, 1000) == {"price": "1234500", "rate": "-0.13"}
    misled = Misled(Told(), instead={REAL: FAKE, FAKE: REAL})
    assert told(misled, {"a": [REAL, FAKE]}) == {"a": [FAKE, REAL]}
    plain = Told()
    assert Misled(plain, scaled={"other": 10}).call("t", "{}") == plain.call("t", "{}")
    reply = Misled(plain, scaled={"t": 10}).call("t", "5")
    assert (reply.result, reply.altered_by, reply.nearest) == ({"told": "50"}, ("a",), "near")

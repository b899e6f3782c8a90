from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.tools.call_view import CallView
from caia_replay.tools.chain_call import call_contract, read_contract, read_or_none, read_symbol, scaled

if TYPE_CHECKING:
    from tests.chain_world import ChainWorld


@given(st.integers(0, 2**256 - 1), st.integers(0, 255))
def test_scaling_is_exact(raw: int, decimals: int) -> None:
    """raw / 10^decimals as text reads back as raw, for any uint256 and any number of decimals a token may tell."""
    whole, _, part = scaled(raw, decimals).partition(".")
    assert int(whole + part.ljust(decimals, "0")) == raw
    assert not part.endswith("0")


def test_a_call_is_what_the_living_node_returns(chain_world: ChainWorld) -> None:
    """The same bytes at several heights, and the first value of them."""
    token = chain_world.origin.tokens[0]
    for height in (1, 9, 24):
        told = chain_world.live("eth_call", {"to": token, "data": "0x18160ddd"}, hex(height))
        with CallView(chain_world.world).fork(height) as fork:
            assert call_contract(fork, token, "0x18160ddd") == told
            assert read_contract(fork, token, "totalSupply()(uint256)") == str(int(told, 16))
            assert read_symbol(fork, token) == "T0"


def test_what_is_no_contract_or_no_function_is_told(chain_world: ChainWorld) -> None:
    """No code, a function that is not there and a reply of another shape are errors, or None where that will do."""
    nobody, token = "0x" + "99" * 20, chain_world.origin.tokens[0]
    with CallView(chain_world.world).fork() as fork:
        for contract, function in ((nobody, "f()(uint256)"), (token, "f()(uint256)"), (token, "totalSupply()(string)")):
            with pytest.raises(ToolError):
                read_contract(fork, contract, function)
            assert read_or_none(fork, contract, function) is None
        assert read_symbol(fork, nobody) is None

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from caia_replay.errors import ToolError
from caia_replay.tools.asset import COINGECKO
from caia_replay.tools.call_view import CallView
from caia_replay.tools.token_address import is_address, is_native, token_argument

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.chain_world import ChainWorld


@pytest.mark.parametrize("text", [None, "native", " Native ", "'coin'"])
def test_the_chains_own_coin_has_no_contract(chain_world: ChainWorld, text: str | None) -> None:
    """Null and native mean it, without any list of coins."""
    assert token_argument(CallView(chain_world.world), "origin", text) is None
    assert text is None or is_native(text)


def test_an_address_is_itself(chain_world: ChainWorld) -> None:
    """However it is written; what begins as one and is none is refused, not looked up."""
    token = chain_world.origin.tokens[0]
    view = CallView(chain_world.world)
    for text in (token, "0x" + token[2:].upper(), f" {token} ", f"'0X{token[2:]}'"):
        assert is_address(text)
        assert token_argument(view, "origin", text) == token
    with pytest.raises(ToolError, match="no address"):
        token_argument(view, "origin", "0x12")


def test_a_listed_coin_is_its_contract_on_that_chain(short_world: FrozenWorld) -> None:
    """By id, ticker and name, on each network it is listed on; elsewhere it is told where it is."""
    task = short_world.folder.task(short_world.folder.suite.active()[0])
    view = CallView(short_world.task(task))
    listed = view.ask(f"{COINGECKO}/coins/list", include_platform="true")
    seen = set()
    for coin in listed:
        for chain in view.chains:
            if coin["id"] == chain:
                assert token_argument(view, chain, f"id:{chain}") is None
            elif chain in coin["platforms"]:
                for text in (f"id:{coin['id']}", coin["symbol"].upper(), coin["name"]):
                    assert token_argument(view, chain, text) == coin["platforms"][chain]
            else:
                with pytest.raises(ToolError, match="has no contract on"):
                    token_argument(view, chain, f"id:{coin['id']}")
            seen.add((coin["id"] == chain, chain in coin["platforms"]))
    assert len(seen) == 3

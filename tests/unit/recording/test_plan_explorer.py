from __future__ import annotations

import json
from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.recording.plan_ask import Ask
from caia_replay.recording.plan_chain import Hint
from caia_replay.recording.plan_explorer import (
    etherscan,
    page_stand_in,
    post_stand_in,
    ranked_posts,
    ranked_stand_ins,
    x_api,
)
from caia_replay.recording.plan_stand_in import MARK, StandIn
from caia_replay.tools.interface import read_interface
from caia_replay.tools.signature import parse_event, parse_signature
from caia_replay.tools.timeline import handle_argument

NOW = 1_746_143_999
STAND = StandIn("a")


def ask(url: str, hint: Hint | None = None) -> Ask:
    return Ask(HttpRequest("GET", url), STAND, NOW, {}, ("ethereum",), hint or Hint())


def explorer(action: str, hint: Hint | None = None, **more: str) -> Any:
    query = "&".join(f"{name}={value}" for name, value in {"action": action, **more}.items())
    return etherscan(ask(f"https://api.etherscan.io/v2/api?chainid=1&{query}", hint))["result"]


def test_an_interface_has_what_the_call_names() -> None:
    """Functions and the event come back with the hashes they are looked up by, tuples and lists too."""
    function = parse_signature("quote((address,uint24)[],bytes32)(uint256,(bool,string))")
    event = parse_event("Moved(address indexed from, (uint256,address) what)")
    hint = Hint([function], parse_signature("transfer(address to, uint256 n)"), event)
    found = read_interface(json.loads(explorer("getabi", hint, address="0x1")))
    assert {one.canonical for one in found.functions.values()} == {function.canonical, "transfer(address,uint256)"}
    assert [one.canonical for one in found.events.values()] == [event.canonical]
    assert read_interface(json.loads(explorer("getabi", address="0x1"))).functions == {}


def test_a_creation_is_of_the_contract_before_now() -> None:
    """Its block, its transaction and its creator are stand-ins."""
    row = explorer("getcontractcreation", contractaddresses="0x1")[0]
    assert row["contractAddress"] == "0x1" and int(row["timestamp"]) < NOW
    assert MARK.fullmatch(row["txHash"]) and MARK.fullmatch(row["contractCreator"]) and row["blockNumber"].isdecimal()


@pytest.mark.parametrize("action", ["getsourcecode", "txlistinternal", "ethsupply", "tokentx", "nothing"])
def test_every_action_is_answered(action: str) -> None:
    """What no tool asks is an empty list."""
    assert explorer(action) is not None


def test_an_account_posts_as_many_as_are_asked() -> None:
    """One account a handle, with the name it was asked by, and a page of posts in the order of time."""
    users = x_api(ask("https://api.x.com/2/users/by?usernames=uniswap"))["data"]
    assert [user["username"] for user in users] == ["uniswap"]
    posts = x_api(ask(f"https://api.x.com/2/users/{users[0]['id']}/tweets?max_results=5"))["data"]
    assert len(posts) == 5 and [post["created_at"] for post in posts] == sorted(
        (post["created_at"] for post in posts), reverse=True
    )
    assert x_api(ask("https://api.x.com/2/tweets/search/all")) == {"data": []}


def test_pages_and_posts_say_nothing_real() -> None:
    """Titles, texts, addresses and authors are marked; authors could be handles."""
    assert MARK.fullmatch(page_stand_in(STAND, "https://a.example/", NOW).text)
    assert all(MARK.search(one.page.url) for one in ranked_stand_ins(STAND, "query", 3, NOW))
    for post in (*(one.post for one in ranked_posts(STAND, "query", 3, NOW)), post_stand_in(STAND, "x", NOW, "7")):
        assert MARK.fullmatch(post.text) and handle_argument(post.author) == post.author
    assert post_stand_in(STAND, "x", NOW, "7").id == "7"

"""Stand-in replies of Etherscan and of X: an interface with what the call names, an account with two posts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from caia_replay.core.world import Page, Post, Ranked, RankedPost
from caia_replay.recording.plan_ask import Ask
from caia_replay.recording.plan_stand_in import StandIn
from caia_replay.tools.signature import Parameter, Signature, parse_signature
from caia_replay.world.clock import utc_text

_OUTPUTS: Final = 8
"""How many numbers a function returns whose types only its contract tells."""


def etherscan(ask: Ask) -> Mapping[str, Any]:
    """What the explorer might say to ``ask``."""
    address, stand = ask.query.get("address", ""), ask.stand
    match ask.query.get("action"):
        case "getabi":
            return _told(json.dumps(_interface(ask)))
        case "getsourcecode":
            names = ("ContractName", "CompilerVersion", "Runs", "EVMVersion", "LicenseType", "ConstructorArguments")
            row = {name: stand.word(f"{name} {address}") for name in names}
            proxy = {"Proxy": "1", "Implementation": stand.address(f"code behind {address}"), "OptimizationUsed": "1"}
            return _told([{**row, **proxy, "ABI": json.dumps(_interface(ask)), "SourceCode": stand.word("source")}])
        case "getcontractcreation":
            contract = ask.query.get("contractaddresses", "")
            number = str(stand.number(f"creation of {contract}") % 9_000_000)
            moment = str(ask.now - stand.seconds(f"creation of {contract}", 40, 330))
            return _told([{"contractAddress": contract, "contractCreator": stand.address(f"creator of {contract}"),
                           "txHash": stand.hash(f"creation of {contract}"), "blockNumber": number, "timestamp": moment,
                           "contractFactory": ""}])  # fmt: skip
        case "ethsupply":
            return _told(str(stand.number("supply")))
        case "txlistinternal":
            parties = {"from": stand.address("inner from"), "to": stand.address("inner to"), "contractAddress": ""}
            return _told([{"type": "call", "value": str(stand.number("inner")), "isError": "0", **parties}])
    return _told([])


def x_api(ask: Ask) -> Mapping[str, Any]:
    """What X might say to ``ask``."""
    if ask.last == "by":
        return {"data": [_account(ask, name) for name in ask.query.get("usernames", "").split(",")]}
    if ask.last in ("tweets", "mentions"):
        posts = [
            post_stand_in(ask.stand, f"{ask.path} {at}", ask.now - 3_600 * (at + 1))
            for at in range(ask.whole("max_results", 10))
        ]
        return {"data": [{"id": one.id, "text": one.text, "created_at": f"{utc_text(one.created)[:-1]}.000Z",
                          "lang": "en", "conversation_id": one.thread} for one in posts], "meta": {}}  # fmt: skip
    return {"data": []}


def page_stand_in(stand: StandIn, url: str, moment: int) -> Page:
    """A page whose text says nothing."""
    return Page(url, stand.word(f"title of {url}"), stand.word(f"text of {url}"), moment - stand.seconds(url, 1, 300))


def ranked_stand_ins(stand: StandIn, query: str, count: int, now: int) -> tuple[Ranked, ...]:
    """Results whose addresses are stand-ins."""
    urls = [f"https://{stand.word(f'site {at} of {query}')}.example/" for at in range(count)]
    return tuple(
        Ranked(at, page_stand_in(stand, url, now), stand.word(f"snippet {url}")) for at, url in enumerate(urls, start=1)
    )


def ranked_posts(stand: StandIn, query: str, count: int, now: int) -> tuple[RankedPost, ...]:
    """Posts found whose numbers, authors and texts are stand-ins."""
    moments = [now - stand.seconds(f"{at} {query}", 1, 300) for at in range(count)]
    return tuple(
        RankedPost(at, post_stand_in(stand, f"{at} {query}", moment)) for at, moment in enumerate(moments, start=1)
    )


def post_stand_in(stand: StandIn, what: str, moment: int, number: str = "") -> Post:
    """A post that answers nothing."""
    own = number or str(stand.number(what))
    return Post(own, stand.word(f"author {what}"), stand.word(f"post {what}"), moment, own)


def _account(ask: Ask, name: str) -> dict[str, Any]:
    counts = dict.fromkeys(("followers_count", "following_count", "tweet_count"), ask.stand.number(name))
    told = {"id": str(ask.stand.number(f"account {name}")), "username": name, "name": ask.stand.word(name)}
    created = f"{utc_text(ask.now - ask.stand.seconds(name, 400, 900))[:-1]}.000Z"
    return {**told, "created_at": created, "description": ask.stand.word(f"about {name}"), "public_metrics": counts}


def _interface(ask: Ask) -> list[dict[str, Any]]:
    """An interface that has the functions and the event of the call's hint."""
    hint = ask.hint
    entries = [_entry(one, "function") for one in (*hint.functions, *([hint.called] if hint.called else []))]
    return entries + ([_entry(hint.event, "event")] if hint.event else [])


def _entry(one: Signature, kind: str) -> dict[str, Any]:
    inputs = [_shape(part) | ({"indexed": part.indexed} if kind == "event" else {}) for part in one.inputs]
    outputs = {"outputs": [_shape(part) for part in one.outputs], "stateMutability": "view"}
    return {"type": kind, "name": one.name, "inputs": inputs, **(outputs if kind == "function" else {})}


def _shape(part: Parameter) -> dict[str, Any]:
    """A parameter as an interface has it; one of several parts names them."""
    if not part.type.startswith("("):
        return {"type": part.type, "name": part.name}
    inside, _, array = part.type.rpartition(")")
    parts = parse_signature(f"x{inside})").inputs
    return {"type": f"tuple{array}", "name": part.name, "components": [_shape(one) for one in parts]}


def _told(result: Any) -> Mapping[str, Any]:
    return {"status": "1", "message": "OK", "result": result}

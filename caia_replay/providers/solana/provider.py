"""Solana's JSON-RPC over HTTP: blocks and transactions of for good, signatures as a series, the rest as of now.

    POST https://api.mainnet-beta.solana.com   {"jsonrpc": "2.0", "id": ..., "method": ..., "params": [...]}

Classes in replay: HIT for a recorded call, DERIVED for a page of signatures out of a longer list, less of a recorded
block, calls in another batch or under another id; MISS for everything else. There is no fork of this chain: never
FORK. Calls that the vendor answers for now alone (balances, supplies, accounts, heights) are told at the moment they
were recorded at, and are a miss for an earlier anchor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.secret import is_secret
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import is_of_now, utc
from caia_replay.providers.solana.call import Call, Told, answer, calls_of, told_by
from caia_replay.providers.solana.fact import SOURCES, fact
from caia_replay.providers.solana.signature import LONGEST, WINDOW, limit_of, signatures

CLUSTERS: Final = {
    "api.mainnet-beta.solana.com": "mainnet",
    "mainnet.helius-rpc.com": "mainnet",
    "api.devnet.solana.com": "devnet",
    "api.testnet.solana.com": "testnet",
}
"""Hosts and the chain they serve. A vendor that has the key in its path is none of them: it would be recorded."""

_SIGNATURES: Final = "getSignaturesForAddress"
_NEWEST_VERSION: Final = 0
_JSON: Final = {"content-type": "application/json"}


class SolanaRpcProvider:
    """The provider. See docs/providers/solana.md for what follows from what."""

    name = "solana_rpc"
    authority: Authority = "authoritative"
    ignored_parameters: frozenset[str] = frozenset({"api-key", "api_key", "apikey"})
    has_other_sources = False

    def match(self, request: HttpRequest) -> bool:
        """Whether the request calls a node of a known cluster, with nothing in its address but a key."""
        try:
            parts = urlsplit(request.url)
            names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
        except ValueError:
            return False
        is_node = parts.scheme == "https" and parts.netloc.lower() in CLUSTERS and parts.path in ("", "/")
        return request.method == "POST" and is_node and all(map(is_secret, names))

    def family(self, request: HttpRequest) -> str:
        """The cluster: the calls of one batch are about many things, and are recorded one by one."""
        calls_of(request)
        return CLUSTERS[urlsplit(request.url).netloc.lower()]

    def widen(self, request: HttpRequest, now: int) -> Sequence[HttpRequest]:
        """Every call of a batch by itself: blocks whole, lists of signatures in the longest pages."""
        calls, _ = calls_of(request)
        asked = {(one.url, one.body): one for call in calls for one in _wide(call, request)}
        return tuple(asked.values())

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        """The signatures before the last one of a full page."""
        calls, is_batch = calls_of(request)
        call = calls[0]
        if is_batch or call.method != _SIGNATURES or limit_of(call) != LONGEST or reply.status != 200:
            return None
        for told in told_by([Recorded(request, reply)], frozenset({_SIGNATURES})):
            rows = told.result
            last = rows[-1] if isinstance(rows, list) and len(rows) == LONGEST else None
            if isinstance(last, dict) and isinstance(last.get("signature"), str):
                return call.request({**call.options, "before": last["signature"]}, request)
        return None

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        calls, is_batch = calls_of(request)
        methods = frozenset().union(*(SOURCES.get(call.method, frozenset({call.method})) for call in calls))
        told = list(told_by(recorded, methods))
        try:
            answers = [_answered(told, call, now) for call in calls]
        except Miss:
            for found in _asking(recorded, calls):
                if found.reply.status == 401 or (found.reply.status >= 400 and is_of_now(found, now)):
                    return found.reply
            raise
        content = [one for one, _ in answers] if is_batch else answers[0][0]
        for found in _asking(recorded, calls):
            if _is_content(found.reply, content):
                return found.reply
        like = next((one.whole.headers for _, one in answers if one.whole is not None), _JSON)
        return HttpReply(200, {name: like[name] for name in like if name != "date"}, canonical_bytes(content))


def _answered(told: Sequence[Told], call: Call, now: int) -> tuple[dict[str, Any], Told]:
    """What a call is answered, under its id, and a recording that it comes from."""
    wanted = f"{call.method} {canonical_bytes([list(call.subject), dict(call.options)]).decode():.200} at {utc(now)}"
    if call.method != _SIGNATURES:
        part, source = fact(told, call, now, wanted)
        return answer(part, call), source
    own = [one for one in told if one.call.method == _SIGNATURES]
    try:
        rows = signatures(own, call, now, wanted)
    except Miss:
        if call.without(*WINDOW) or limit_of(call) is None or any("error" in one.part for one in own):
            part, source = fact(own, call, now, wanted)
            return answer(part, call), source
        raise
    like = next((one for one in own if one.call.subject == call.subject), own[0])
    return answer({"result": rows}, call), like


def _wide(call: Call, request: HttpRequest) -> list[HttpRequest]:
    if call.method == _SIGNATURES and not call.without(*WINDOW) and limit_of(call) is not None:
        return [call.request({}, request)]
    own = call.request(call.options, request)
    if call.method == "getBlock" and len(call.subject) == 1:
        encoding = call.options.get("encoding", "json")
        kept = call.without("transactionDetails", "rewards", "encoding", "maxSupportedTransactionVersion")
        wide = {**kept, "maxSupportedTransactionVersion": _NEWEST_VERSION}
        if encoding != "json":
            wide["encoding"] = encoding
        is_within = call.options.get("maxSupportedTransactionVersion") == _NEWEST_VERSION
        is_plain = call.options.get("transactionDetails", "full") == "full" or encoding in ("json", "jsonParsed")
        return [call.request(wide, request), *([] if is_within and is_plain else [own])]
    return [own]


def _asking(recorded: Sequence[Recorded], calls: Sequence[Call]) -> list[Recorded]:
    """Recordings of the very calls, whatever their ids; of these alone a body is looked at."""
    keys = [call.key for call in calls]
    found: list[Recorded] = []
    for one in recorded:
        try:
            if [call.key for call in calls_of(one.request)[0]] == keys:
                found.append(one)
        except Miss:
            continue
    return found


def _is_content(reply: HttpReply, content: Any) -> bool:
    """Whether a recorded reply says exactly this, ids included."""
    try:
        return reply.status == 200 and canonical_bytes(strict_json(reply.body)) == canonical_bytes(content)
    except (ValueError, TypeError):
        return False

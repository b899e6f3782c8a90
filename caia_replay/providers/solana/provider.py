"""Solana's JSON-RPC, of which one method is read: ``getTransaction``, by a signature whose case counts.

    POST https://api.mainnet-beta.solana.com {"jsonrpc", "id", "method": "getTransaction", "params": [signature, {...}]}

A finalised transaction does not change: whenever it was recorded, it answers from its own block's time on, and before
that it is a MISS. That a node knows none is told of the moment it was asked at alone. Everything else that a node tells
(accounts, balances, holders, supplies) is of the slot it was asked at; such requests are plain recorded HTTP.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Provider, Recorded
from caia_replay.core.tool import Authority
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import content_or_none, derived, is_of_now, utc

NAME: Final = "solana"
ORIGIN: Final = "https://api.mainnet-beta.solana.com"
_METHOD: Final = "getTransaction"
_OPTIONS: Final = {"commitment": "finalized", "encoding": "jsonParsed", "maxSupportedTransactionVersion": 0}


class SolanaProvider(Provider):
    """The provider."""

    name = NAME
    authority: Authority = "authoritative"

    def match(self, request: HttpRequest) -> bool:
        """Whether a transaction is asked for by its signature."""
        return _asked(request) is not None

    def family(self, request: HttpRequest) -> str:
        """The signature and the form it is told in, whatever the request's id."""
        return f"{ORIGIN} {canonical_bytes(_asked(request)).decode()}"

    def narrow(self, recorded: Sequence[Recorded], request: HttpRequest, now: int) -> HttpReply:
        """See ``Provider.narrow``."""
        asked = _asked(request)
        wanted = f"Solana's transaction {str(asked)[:120]} at {utc(now)}"
        why = f"{len(recorded)} recordings of it"
        for found in recorded:
            content = content_or_none(found.reply)
            if found.reply.status != 200 or not isinstance(content, dict) or "result" not in content:
                why = f"it was refused with status {found.reply.status}"
                continue
            made = content["result"].get("blockTime") if isinstance(content["result"], dict) else None
            if not (is_of_now(found, now) or (type(made) is int and made <= now)):
                why = "it is not of before this moment" if type(made) is int else "the node knew none on another day"
                continue
            number = _id(request)
            return found.reply if number == content.get("id") else derived({**content, "id": number}, found.reply)
        raise Miss("http", wanted, why)


def transaction_request(signature: str) -> HttpRequest:
    """The request for one transaction, its instructions read as far as the node reads them."""
    body = {"id": 1, "jsonrpc": "2.0", "method": _METHOD, "params": [signature, dict(_OPTIONS)]}
    return HttpRequest("POST", ORIGIN, canonical_bytes(body), {"Content-Type": "application/json"})


def _asked(request: HttpRequest) -> list[Any] | None:
    """The parameters of a request for a transaction, its commitment as the node takes it; None for any other."""
    try:
        parts = urlsplit(request.url)
        if request.method != "POST" or f"{parts.scheme}://{parts.netloc}".lower() != ORIGIN:
            return None
        if parts.path.strip("/") or parts.query:
            return None
        body = strict_json(request.body)
    except ValueError:
        return None
    if not isinstance(body, dict) or body.get("method") != _METHOD:
        return None
    given = body.get("params")
    if not isinstance(given, list) or not 1 <= len(given) <= 2 or not isinstance(given[0], str):
        return None
    options = given[1] if len(given) == 2 else {}
    if not isinstance(options, dict) or options.get("commitment", "finalized") != "finalized":
        return None
    return [given[0], {**options, "commitment": "finalized"}]


def _id(request: HttpRequest) -> Any:
    return strict_json(request.body).get("id")

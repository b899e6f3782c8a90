"""Recordings of the DeFi index's prices as tests write them, and what is narrowed out of them."""

from __future__ import annotations

import json
from email.utils import formatdate

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.providers.defillama.provider import DefiLlamaProvider

COINS, LATE = "https://coins.llama.fi", 1_700_100_000


def recording(path: str, coins: object, at: int | None = LATE) -> Recorded:
    """A page of prices, made at a moment or at an unknown one."""
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    body = json.dumps({"coins": coins}).encode()
    return Recorded(HttpRequest("GET", f"{COINS}/{path}"), HttpReply(200, headers, body))


def narrowed(recordings: list[Recorded], path: str, now: int) -> dict[str, object]:
    """The coins of the answer."""
    reply = DefiLlamaProvider().narrow(recordings, HttpRequest("GET", f"{COINS}/{path}"), now)
    found: dict[str, object] = json.loads(reply.body)["coins"]
    return found

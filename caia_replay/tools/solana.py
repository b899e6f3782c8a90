"""One transaction of Solana by its signature: who signed, what it paid, and whose coins and tokens it moved.

There is no fork of this chain: what is shown is what a node told, in its own words, and nothing is executed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from caia_replay.canonical import strict_json
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.solana.provider import transaction_request
from caia_replay.tools.chain_call import scaled
from caia_replay.tools.figure import reading
from caia_replay.tools.tool_context import refusal_words
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from caia_replay.tools.tool_context import ToolContext

CHAIN: Final = "solana"
COIN_DECIMALS: Final = 9
ROWS_SHOWN: Final = 100
_SIGNATURE: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{64,88}")


def is_signature(text: str) -> bool:
    """Whether a text is a transaction's signature; the case of its letters counts."""
    return _SIGNATURE.fullmatch(text) is not None and not text.startswith("0x")


def describe_signature(world: ToolContext, signature: str) -> dict[str, Any]:
    """The transaction as a node told it. Raises ``Miss``, and ``ToolError`` where the node knew none."""
    request = transaction_request(signature)
    try:
        content = strict_json(world.fetch(request).body)
    except ValueError:
        raise Miss("http", f"transaction {signature}", "what was recorded is no JSON") from None
    if not isinstance(content, dict) or content.get("error") is not None:
        raise ToolError(f"the node refused: {refusal_words(content)}")
    if content.get("result") is None:
        raise ToolError(f"{CHAIN} has no transaction {signature} at this moment")
    with reading("a transaction of Solana"):
        result = content["result"]
        meta, message = result["meta"], result["transaction"]["message"]
        accounts = message["accountKeys"]
        names = [str(one["pubkey"]) for one in accounts]
        moved = list(_coins(names, meta))
        tokens = list(_tokens(names, meta))
        return {
            "hash": signature,
            "chain": CHAIN,
            "slot": result["slot"],
            "timestamp": result["blockTime"],
            "time_utc": utc_text(result["blockTime"]),
            "status": "success" if meta["err"] is None else "failed",
            "failure": None if meta["err"] is None else str(meta["err"])[:300],
            "fee": scaled(meta["fee"], COIN_DECIMALS),
            "signers": [name for name, one in zip(names, accounts, strict=True) if one.get("signer")],
            "coin_changes": moved[:ROWS_SHOWN],
            "token_changes": tokens[:ROWS_SHOWN],
            "instructions": [_instruction(one) for one in message["instructions"][:ROWS_SHOWN]],
            "log_messages": [str(line)[:300] for line in (meta.get("logMessages") or [])[:ROWS_SHOWN]],
        }


def _coins(names: list[str], meta: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """By account, what it has more after than before, in whole coins; accounts without a change are left out."""
    for name, before, after in zip(names, meta["preBalances"], meta["postBalances"], strict=True):
        if before != after:
            yield {"account": name, "change": scaled(after - before, COIN_DECIMALS)}


def _tokens(names: list[str], meta: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The same of tokens, by the account that holds them; amounts in whole tokens.

    An account that is in one list alone had none before or has none after. A node that recorded no token balances
    leaves the lists out: then nothing is known of them, and the reply cannot be read.
    """
    held: dict[tuple[int, str], dict[str, Any]] = {}
    for when in ("preTokenBalances", "postTokenBalances"):
        for row in meta[when]:
            one = held.setdefault((row["accountIndex"], row["mint"]), {"owner": row.get("owner")})
            one["decimals"], one[when] = row["uiTokenAmount"]["decimals"], int(row["uiTokenAmount"]["amount"])
    for (at, mint), one in sorted(held.items()):
        change = one.get("postTokenBalances", 0) - one.get("preTokenBalances", 0)
        if change:
            row = {"account": names[at], "owner": one["owner"], "mint": mint}
            yield {**row, "change": scaled(change, one["decimals"])}


def _instruction(one: Mapping[str, Any]) -> dict[str, Any]:
    """Program and, where the node reads it, what it was told to do."""
    parsed = one.get("parsed")
    program = {"program": one.get("program"), "program_id": one.get("programId")}
    if not isinstance(parsed, Mapping):
        return {**program, "data": str(one.get("data"))[:300]}
    return {**program, "type": parsed.get("type"), "info": parsed.get("info")}

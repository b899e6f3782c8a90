"""One spelling for each question whose reply is kept word for word: proofs and traces.

Who records and who replays spell a question with the same function, so a reply is found again
however it was asked for: addresses, hashes and slots in lower-case hex, slots as 32 bytes, blocks
by number, tracer options without those that say what holds anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caia_replay.chain.column import json_text
from caia_replay.chain.rpc_parameter import address, at, block_number, hash32, slot_word
from caia_replay.errors import ToolError

RECORDED_METHODS: Final = frozenset(("debug_traceTransaction", "eth_getProof", "trace_transaction"))
"""The methods whose replies are kept word for word."""

_WITHOUT_EFFECT: Final = frozenset(("timeout", "reexec"))
"""Options about how a node works, which no reply shows."""

_FLAGS: Final = frozenset(("disableStack", "disableStorage", "enableMemory", "enableReturnData", "debug"))
_TRACER_FLAGS: Final = frozenset(
    ("diffMode", "disableCode", "disableStorage", "includeEmpty", "onlyTopCall", "withLog"),
)
"""Options and tracer settings (go-ethereum's names) that are false unless said; others are kept as they are."""


@dataclass(frozen=True, slots=True)
class RpcCall:
    """A method and its parameters in canonical form; ``params`` may be sent to any node as it is."""

    method: str
    params: list[Any]

    @property
    def text(self) -> str:
        """The parameters as JSON text, under which ``state_row.ReplyRow`` keeps the reply."""
        return json_text(self.params)


def recorded_call(method: str, params: Sequence[Any], pin: int) -> RpcCall:
    """The canonical form of one question asked at block ``pin``.

    ``eth_getProof``: ``[address, [slot, ...], "0x<number>"]``, the slots in the order they were
    asked for; no block means ``pin``. A block named by its hash has to be looked up before.
    ``debug_traceTransaction``: ``[hash, {options}]``. ``trace_transaction``: ``[hash]``.

    Raises ``ToolError`` for another method or parameters of another shape, and ``Miss`` for blocks
    that no record tells: safe, finalized, pending and those past ``pin``.
    """
    if method == "eth_getProof":
        _require(method, params, 3)
        slots = at(params, 1)
        if not isinstance(slots, list | tuple):
            raise ToolError("eth_getProof takes an address, a list of slots and a block")
        block = hex(block_number(at(params, 2), pin))
        return _question(method, [address(at(params, 0)), [slot_word(slot) for slot in slots], block])
    if method == "debug_traceTransaction":
        _require(method, params, 2)
        return _question(method, [hash32(at(params, 0)), _options(at(params, 1))])
    if method == "trace_transaction":
        _require(method, params, 1)
        return _question(method, [hash32(at(params, 0))])
    raise ToolError(f"no replies to {method!r:.60} are kept, only to {', '.join(sorted(RECORDED_METHODS))}")


def _question(method: str, params: list[Any]) -> RpcCall:
    try:
        json_text(params)
    except (ValueError, TypeError, RecursionError) as fault:
        raise ToolError(f"{method} was asked with what JSON cannot hold: {fault}") from fault
    return RpcCall(method, params)


def _require(method: str, params: Sequence[Any], most: int) -> None:
    if len(params) > most:
        raise ToolError(f"{method} takes at most {most} parameters, not {len(params)}")


def _options(options: Any) -> dict[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ToolError(f"trace options are an object, not {options!r:.80}")
    kept = {
        name: value
        for name, value in options.items()
        if name not in _WITHOUT_EFFECT and value is not None and not (name in _FLAGS and value is False)
    }
    settings = kept.get("tracerConfig")
    if isinstance(settings, Mapping):
        kept["tracerConfig"] = {
            name: value
            for name, value in settings.items()
            if value is not None and not (name in _TRACER_FLAGS and value is False)
        }
        if not kept["tracerConfig"]:
            del kept["tracerConfig"]
    return {name: kept[name] for name in sorted(kept)}

"""One run of a model tape: a vcrpy cassette (version 1, JSON) whose interactions are the run's turns, in order.

Stock vcrpy loads and plays it. What vcrpy has no form for stands in the cassette's ``metadata``, which it leaves alone:
whose run it is, and the turns in which the endpoint gave no reply. The server's address is not kept; it may be a
private one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import accumulate, takewhile
from typing import Any, Final

from caia_replay.canonical import pretty_bytes, strict_json
from caia_replay.core.model import RunKey
from caia_replay.core.tape import TapedFault, TapedReply, TapedTurn
from caia_replay.errors import BadInput, nearest
from caia_replay.store.plain import build
from caia_replay.store.plain_file import require_few_values

FORMAT_VERSION: Final = 1
URI: Final = "http://model.invalid/v1/chat/completions"
MOST_BYTES: Final = 2**30
"""In a run file. Every request has the whole conversation so far, so that a long run is large."""
MOST_TURNS: Final = 50_000
MOST_VALUES: Final = 1_000_000
"""Values in a run file's JSON, not counting what is inside texts: a turn has about fifteen."""

_LONGEST_ESCAPE = 6
"""Bytes of JSON that a character may take: a control character is written as an escape."""
_FRAME_BYTES = 2_000
"""More than a turn's file has beside its texts."""
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}", re.ASCII)
_REASON = re.compile(r"[a-z][a-z_]{0,39}", re.ASCII)


def is_name(text: str) -> bool:
    """Whether ``text`` may name a file or folder of a tape: it leads nowhere else and is never hidden."""
    return _NAME.fullmatch(text) is not None


def run_path(key: RunKey) -> str:
    """Where a run's file is, relative to its tape: ``<agent>/<arm>-<condition>/<task>/<attempt>.json``.

    Raises ``BadInput`` when a part of the key is no name, or when the attempt is below 1.
    """
    for field in ("agent", "arm", "condition", "task"):
        value = getattr(key, field)
        if not is_name(value):
            raise BadInput(f"{field} {value!r:.90} cannot name a file of a tape", nearest="A-Z, a-z, 0-9, dot, dash, _")
    if not 1 <= key.attempt < 10**9:
        raise BadInput(f"attempt {key.attempt} cannot name a file of a tape", nearest="1")
    return f"{key.agent}/{key.arm}-{key.condition}/{key.task}/{key.attempt}.json"


def tape_bytes(key: RunKey, turns: Sequence[TapedTurn]) -> bytes:
    """A run's file: a pure function of its arguments. Raises ``BadInput`` for what ``parse_run`` would refuse."""
    exchanges, faults = [], []
    for number, turn in enumerate(turns, 1):
        if isinstance(turn.outcome, TapedReply):
            exchanges.append(_exchange(turn.request, turn.outcome))
        else:
            faults.append({"turn": number, "request": turn.request, **asdict(turn.outcome)})
    metadata = {"run": asdict(key), "faults": faults}
    data = pretty_bytes({"version": FORMAT_VERSION, "interactions": exchanges, "metadata": metadata})
    if parse_run(data, "a tape to be written") != (key, tuple(turns)):
        raise BadInput("a run does not read back as it was written", where="a tape to be written")
    return data


def fitting(key: RunKey, turns: Sequence[TapedTurn]) -> Sequence[TapedTurn]:
    """The first of ``turns``, as many as a run's file may hold by ``MOST_TURNS`` and ``MOST_BYTES``; mostly all."""
    turns = turns[:MOST_TURNS]
    texts = (text for turn in turns for text in (turn.request, *map(str, asdict(turn.outcome).values())))
    if sum(map(len, texts)) * _LONGEST_ESCAPE + len(turns) * _FRAME_BYTES < MOST_BYTES:
        return turns
    sizes = accumulate(len(tape_bytes(key, (turn,))) for turn in turns)
    return turns[: sum(1 for size in takewhile(lambda size: size <= MOST_BYTES, sizes))]


def parse_run(data: bytes, where: object) -> tuple[RunKey, tuple[TapedTurn, ...]]:
    """Whose run a file is by its metadata, and the turns. Raises ``BadInput`` naming ``where`` for any other file."""
    try:
        require_few_values(data, MOST_VALUES)
        top = _members(strict_json(data.decode("utf-8")), "the file", {"version", "interactions", "metadata"})
        if type(top["version"]) is not int or top["version"] != FORMAT_VERSION:
            raise ValueError(f"version is {top['version']!r:.40}, not {FORMAT_VERSION}")
        metadata = _members(top["metadata"], "metadata", {"run", "faults"})
        key = build(RunKey, metadata["run"], where, "run")
        run_path(key)
        exchanges, faults = (_list(top["interactions"], "interactions"), _list(metadata["faults"], "faults"))
        if len(exchanges) + len(faults) > MOST_TURNS:
            raise ValueError(f"more than {MOST_TURNS} turns")
        replied = [_reply_turn(item, f"interaction {number}") for number, item in enumerate(exchanges)]
        return key, tuple(_in_order(replied, [_fault_turn(item, f"fault {i}") for i, item in enumerate(faults)]))
    except BadInput as fault:
        raise BadInput(f"is no run of a tape: {fault.what}", where=where) from None
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"is no run of a tape: {fault}", where=where) from None


def _exchange(request: str, reply: TapedReply) -> dict[str, Any]:
    return {
        "request": {
            "method": "POST",
            "uri": URI,
            "body": request,
            "headers": {"content-type": ["application/json"]},
        },
        "response": {
            "status": {"code": reply.status, "message": ""},
            "headers": {"content-type": [reply.content_type]} if reply.content_type else {},
            "body": {"string": reply.body},
        },
    }


def _in_order(replied: list[TapedTurn], faults: list[tuple[int, TapedTurn]]) -> list[TapedTurn]:
    """Every turn in its place: faults say theirs, replies take what is left."""
    turns = list(replied)
    last = 0
    for number, turn in faults:
        if not last < number <= len(turns) + 1:
            raise ValueError(f"a fault in turn {number} is out of place")
        turns.insert(number - 1, turn)
        last = number
    return turns


def _reply_turn(value: Any, where: str) -> TapedTurn:
    both = _members(value, where, {"request", "response"})
    request = _members(both["request"], f"{where}: request", {"method", "uri", "body", "headers"})
    response = _members(both["response"], f"{where}: response", {"status", "headers", "body"})
    status = _members(response["status"], f"{where}: status", {"code", "message"})["code"]
    if type(status) is not int or not 200 <= status <= 599:
        raise ValueError(f"{where}: status code is {status!r:.40}")
    headers = response["headers"]
    if not isinstance(headers, dict) or not headers.keys() <= {"content-type"}:
        raise ValueError(f"{where}: reply headers are more than a content type")
    lines = _list(headers.get("content-type", [""]), f"{where}: content type")
    body = _members(response["body"], f"{where}: reply body", {"string"})["string"]
    if len(lines) != 1 or not (kind := _text(lines[0], where)).isascii() or not (not kind or kind.isprintable()):
        raise ValueError(f"{where}: content type is not one line")
    return TapedTurn(_text(request["body"], where), TapedReply(status, kind, _text(body, where)))


def _fault_turn(value: Any, where: str) -> tuple[int, TapedTurn]:
    item = _members(value, where, {"turn", "request", "reason", "detail"})
    reason = _text(item["reason"], where)
    if type(item["turn"]) is not int or _REASON.fullmatch(reason) is None or reason == "not_recorded":
        raise ValueError(f"{where}: it is no turn that an endpoint failed in")
    return item["turn"], TapedTurn(_text(item["request"], where), TapedFault(reason, _text(item["detail"], where)))


def _members(value: Any, where: str, names: set[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is not an object")
    for name in sorted(value.keys() ^ names):
        near = nearest(name, names)
        raise ValueError(f"{where} {'lacks' if name in names else 'has the unknown'} field {name!r:.60}, near {near!r}")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{where} is not a list")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where}: {value!r:.40} is not a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{where}: a text holds half of a surrogate pair") from None
    return value

"""Taking an API key out of what is kept of a reply, in whatever way JSON or a stream of events spells it.

``hide`` is a model's ``hide_key``. It is put to every text in the JSON, as the client puts it to the texts it reads,
so that a tape without the key replays as what the client made of the reply that had it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from caia_replay.canonical import require_shallow
from caia_replay.core.tape import TapedReply
from caia_replay.errors import ModelFault
from caia_replay.models.stream import assemble, events, looks_like_stream

Hide = Callable[[str], str]

_LINE_ENDS = re.compile(r"(\r\n|\n|\r)")
_DATA = re.compile(r"(data: ?)(.*)", re.DOTALL)
_LONGEST_KEY = 4096
"""Characters. Of what came before the event that a stream broke off in, no more can belong to a key."""


def hidden_reply(reply: TapedReply, hide: Hide) -> TapedReply | None:
    """``reply`` without the key. A stream that has it in pieces, over several events, becomes the reply it makes up.

    None for one that makes up no reply: what the client says of it is all that can be kept.
    """
    if not looks_like_stream(reply.content_type, reply.body.encode("utf-8", "replace")):
        return replace(reply, body=hidden(reply.body, hide))
    lines = _LINE_ENDS.split(reply.body)
    for at, line in enumerate(lines):
        found = _DATA.fullmatch(line)
        lines[at] = found[1] + hidden(found[2], hide) if found else hide(line)
    body = "".join(lines)
    spelt = any(hide(text) != text for text in _joined(body))
    try:
        whole = json.dumps(assemble(body.encode("utf-8", "replace")), separators=(",", ":"))
    except ModelFault:
        if not spelt:
            return replace(reply, body=body)
        return None if reply.status < 400 else replace(reply, body="***")  # of an error the status is enough
    clean = hidden(whole, hide)
    if clean == whole and not spelt:
        return replace(reply, body=body)
    return replace(reply, content_type="application/json", body=clean)


def hidden(text: str, hide: Hide) -> str:
    """``text``, JSON or not, without the key; unchanged where it has none."""
    changed = False

    def clean(value: Any) -> Any:
        nonlocal changed
        if isinstance(value, str):
            kept = hide(value)
            changed = changed or kept != value
            return kept
        if not isinstance(value, list):
            return value
        parts = [clean(item) for item in value]
        whole = _whole(parts, hide)
        changed = changed or whole is not parts
        return whole

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # each, also those that a repeated name would cover
        return dict([(clean(name), clean(value)) for name, value in pairs])

    try:
        require_shallow(text.encode("utf-8", "surrogatepass"))
        value = clean(json.loads(text, object_pairs_hook=members))
    except (ValueError, RecursionError):
        return hide(text)
    return hide(json.dumps(value, separators=(",", ":")) if changed else text)


def _whole(parts: list[Any], hide: Hide) -> list[Any]:
    """``parts`` of a text, texts or objects that hold one, the first with all of it where they spell the key together.

    The same list where they do not. The others stay, without a text: a client that joins them has the same.
    """
    for name in sorted({name for part in parts if isinstance(part, dict) for name in part} | {"text"}):
        said = [_said(part, name) for part in parts]
        whole = "".join(said)
        if len(parts) > 1 and (clean := hide(whole)) != whole:
            first = next(at for at, text in enumerate(said) if text)
            items = [clean if at == first else "" for at in range(len(parts))]
            parts = [_saying(part, name, text) for part, text in zip(parts, items, strict=True)]
    return parts


def _said(part: Any, name: str) -> str:
    """The text of a part under ``name``, whose own parts are joined as a client does it."""
    if isinstance(part, str):
        return part if name == "text" else ""
    value = part.get(name) if isinstance(part, dict) else None
    if isinstance(value, list):
        return "".join(_said(inner, "text") for inner in value)
    return value if isinstance(value, str) else ""


def _saying(part: Any, name: str, text: str) -> Any:
    if isinstance(part, str):
        return text if name == "text" else part
    return {**part, name: text} if isinstance(part, dict) and _said(part, name) else part


def _joined(body: str) -> list[str]:
    """What a stream's events spell together: the texts that stand in the same place of each, joined.

    An event that the stream broke off in goes on with any of them.
    """
    texts: dict[tuple[str | int, ...], list[str]] = {}
    ends: list[str] = []
    for data, _ in events(body):
        try:
            require_shallow(data.encode("utf-8", "surrogatepass"))
            for place, text in _texts(json.loads(data), ()):
                texts.setdefault(place, []).append(text)
        except (ValueError, RecursionError):
            ends = data.rsplit('"', 8)[1:]
    whole = ["".join(pieces) for pieces in texts.values()]
    return whole + [text[-_LONGEST_KEY:] + end for text in whole for end in ends]


def _texts(value: Any, place: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every text in JSON with its place; parts of a list that say their index are placed by it."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        yield from chain.from_iterable(_texts(inner, (*place, name)) for name, inner in value.items())
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            index = inner.get("index") if isinstance(inner, dict) else None
            yield from _texts(inner, (*place, index if isinstance(index, int) else at))

"""Taking an API key out of what is kept of a reply, in whatever way JSON or a stream of events spells it.

``hide`` is a model's ``hide_key``. It is put to every text in the JSON, as the client puts it to the texts it reads,
so that a tape without the key replays as what the client made of the reply that had it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from caia_replay.canonical import require_shallow
from caia_replay.core.tape import TapedReply
from caia_replay.errors import ModelFault
from caia_replay.models.stream import assemble, looks_like_stream

Hide = Callable[[str], str]

_LINE_ENDS = re.compile(r"(\r\n|\n|\r)")
_DATA = re.compile(r"(data: ?)(.*)", re.DOTALL)


def hidden_reply(reply: TapedReply, hide: Hide) -> TapedReply:
    """``reply`` without the key. A stream that has it in pieces, over several events, becomes the reply it makes up."""
    if not looks_like_stream(reply.content_type, reply.body.encode("utf-8", "replace")):
        return replace(reply, body=hidden(reply.body, hide))
    lines = _LINE_ENDS.split(reply.body)
    for at, line in enumerate(lines):
        found = _DATA.fullmatch(line)
        lines[at] = found[1] + hidden(found[2], hide) if found else hide(line)
    body = "".join(lines)
    try:
        whole = json.dumps(assemble(body.encode("utf-8", "replace")), separators=(",", ":"))
    except ModelFault:
        return replace(reply, body=body)
    clean = hidden(whole, hide)
    return replace(reply, body=body) if clean == whole else replace(reply, content_type="application/json", body=clean)


def hidden(text: str, hide: Hide) -> str:
    """``text``, JSON or not, without the key; unchanged where it has none."""
    changed = False

    def clean(value: Any) -> Any:
        nonlocal changed
        if isinstance(value, str):
            kept = hide(value)
            changed = changed or kept != value
            return kept
        return [clean(item) for item in value] if isinstance(value, list) else value

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # each, also those that a repeated name would cover
        return dict([(clean(name), clean(value)) for name, value in pairs])

    try:
        require_shallow(text.encode("utf-8", "surrogatepass"))
        value = clean(json.loads(text, object_pairs_hook=members))
    except (ValueError, RecursionError):
        return hide(text)
    return hide(json.dumps(value, separators=(",", ":")) if changed else text)

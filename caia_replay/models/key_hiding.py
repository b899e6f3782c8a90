"""Taking secrets out of what is kept of a reply, in whatever way they, its JSON or a stream of events are spelt.

``hide`` is a model's ``hide_key``, a ``Hiding``. It is put to every text in the JSON, as the client puts it to the
texts it reads, so that a tape without the key replays as what the client made of the reply that had it.
"""

from __future__ import annotations

import html
import json
import re
from array import array
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
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
SHORTEST_FORM = 8
"""Characters. What is shorter stands in ordinary texts, which must stay as they are."""
_LAYERS = 3
"""How many times over a text may be escaped, by rules that alternate; the same rule may be applied any number."""
_ESCAPE = re.compile(
    r"(?:\\|%(?:25)*5[cC])+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\"/]))?"  # JSON, and Python's repr
    r"|%(?:25)*([0-9a-fA-F]{2})"  # addresses
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|quot|apos|lt|gt);"  # HTML
)


class Hiding:
    """A function that puts ``***`` for each of ``secrets`` in a text.

    They are found as they are, in hexadecimal, in base64 (of either alphabet, alone or within something longer), and
    all of that with any letters escaped as JSON, addresses or HTML escape them. Forms of fewer than
    ``SHORTEST_FORM`` characters stay.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret) if len(form) >= SHORTEST_FORM}
        self._forms = sorted(forms)

    def __call__(self, text: str) -> str:
        """``text`` without the secrets."""
        if not self._forms or len(text) < SHORTEST_FORM:
            return text
        kept, at = [], 0
        for start, end in sorted(self._spans(text, _LAYERS)):
            if start >= at:
                kept += [text[at:start], "***"]
            at = max(at, end)
        return "".join([*kept, text[at:]])

    def _spans(self, text: str, layers: int) -> list[tuple[int, int]]:
        """Where secrets stand in ``text``; those within each other too."""
        spans = []
        for form in self._forms:
            at = text.find(form)
            while at >= 0:
                spans.append((at, at + len(form)))
                at = text.find(form, at + len(form))
        plain = _ESCAPE.sub(_letter, text) if layers else text
        if plain != text and (found := self._spans(plain, layers - 1)):
            back = _way_back(text)
            spans += [(back(start), back(end)) for start, end in found]
        return spans


def _forms(secret: str) -> Iterator[str]:
    """How a secret may be spelt, escapes aside."""
    data = secret.encode("utf-8", "surrogatepass")
    for spelt in (secret, data.decode("latin-1")):  # of escapes, each is taken for a letter, also where it is a byte
        for _ in range(_LAYERS + 1):
            yield spelt
            spelt = _ESCAPE.sub(_letter, spelt)
    yield data.hex()
    yield data.hex().upper()
    whole = b64encode(data).decode().rstrip("=")
    # Six bits a letter: of a secret that bytes stand before, these letters are the same whatever is around it.
    inner = (
        b64encode(bytes(before) + data + b"\0\0").decode()[-(-8 * before // 6) : 8 * (before + len(data)) // 6]
        for before in range(3)
    )
    for text in (whole, *inner):
        yield text
        yield text.translate(str.maketrans("+/", "-_"))


def _letter(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[4]
    if code:
        return chr(int(code, 16))
    return html.unescape(escape[0]) if escape[0][0] == "&" else escape[3] or "\\"


def _way_back(text: str) -> Callable[[int], int]:
    """From a place in ``text`` with its escapes resolved to the same place in ``text``."""
    plain, here = array("q", [0]), array("q", [0])
    for escape in _ESCAPE.finditer(text):
        plain.append(plain[-1] + escape.start() - here[-1] + len(_letter(escape)))
        here.append(escape.end())

    def back(place: int) -> int:
        nearest = bisect_right(plain, place) - 1
        return here[nearest] + place - plain[nearest]

    return back


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
    (had, _), (joined, broken) = _joined(reply.body), _joined(body)
    # What an event has of a secret may be the half of a longer one: user and password, say.
    spelt = list(map(hide, had)) != joined or any(hide(text) != text for text in broken)
    try:
        whole = json.dumps(assemble((reply.body if spelt else body).encode("utf-8", "replace")), separators=(",", ":"))
    except ModelFault:
        if not spelt:
            return replace(reply, body=body)
        return None if reply.status < 400 else replace(reply, body="***")  # of an error the status is enough
    clean = hidden(whole, hide)
    if clean == whole and not spelt:
        return replace(reply, body=body)
    return replace(reply, content_type="application/json", body=clean)


class _Object(dict[str, Any]):
    """A JSON object without the key; ``had`` is what it held."""

    had: dict[str, Any]


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
        whole = _whole(value, parts, hide)
        changed = changed or whole is not parts
        return whole

    def members(pairs: list[tuple[str, Any]]) -> _Object:  # each, also those that a repeated name would cover
        found = _Object([(clean(name), clean(value)) for name, value in pairs])
        found.had = dict(pairs)
        return found

    try:
        require_shallow(text.encode("utf-8", "surrogatepass"))
        value = clean(json.loads(text, object_pairs_hook=members))
    except (ValueError, RecursionError):
        return hide(text)
    return hide(json.dumps(value, separators=(",", ":")) if changed else text)


def _whole(had: list[Any], parts: list[Any], hide: Hide) -> list[Any]:
    """``parts`` of a text, texts or objects that hold one, the first with all of it where they spell the key together.

    ``had`` are the parts with all they held, ``parts`` without what each has of the key alone, which are given back
    where that is all. The others stay, without a text: a client that joins them has the same.
    """
    for name in sorted({name for part in had if isinstance(part, _Object) for name in part.had} | {"text"}):
        said = [_said(part, name, had=True) for part in had]
        if len(parts) > 1 and (clean := hide("".join(said))) != "".join(_said(part, name) for part in parts):
            first = next((at for at, text in enumerate(said) if text), 0)
            items = [clean if at == first else "" for at in range(len(parts))]
            parts = [_saying(part, name, text) for part, text in zip(parts, items, strict=True)]
    return parts


def _said(part: Any, name: str, *, had: bool = False) -> str:
    """The text that a part has, or ``had``, under ``name``; that part's own are joined as a client does it."""
    if isinstance(part, str):
        return part if name == "text" else ""
    part = part.had if had and isinstance(part, _Object) else part
    value = part.get(name) if isinstance(part, dict) else None
    if isinstance(value, list):
        return "".join(_said(inner, "text", had=had) for inner in value)
    return value if isinstance(value, str) else ""


def _saying(part: Any, name: str, text: str) -> Any:
    if isinstance(part, str):
        return text if name == "text" else part
    return {**part, name: text} if isinstance(part, dict) and _said(part, name) else part


def _joined(body: str) -> tuple[list[str], list[str]]:
    """What a stream's events spell together: the texts that stand in the same place of each, joined.

    And the same with what stands in an event that the stream broke off in, which may go on with any of them.
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
    return whole, [text[-_LONGEST_KEY:] + end for text in whole for end in ends]


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

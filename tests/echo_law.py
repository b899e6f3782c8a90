"""What a server may repeat of what it is sent: every secret, in many encodings, at every place of a reply."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from tests.bad_exchange import completion, delta, fetch
from tests.chat_server import Entry


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "base64": _b64,
    "base64, unpadded": lambda text: _b64(text).rstrip("="),
    "base64, for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64, within another text": lambda text: _b64(f"a {text} b"),
    "percent": lambda text: quote(text, safe=""),
    "percent, lower": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent, upper": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "percent, twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON, lower": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "JSON, upper": lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text),
    "JSON, of base64": lambda text: _b64(text).replace("/", "\\/"),
    "HTML": html.escape,
    "HTML, whole": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "hex": lambda text: text.encode().hex(),
    "hex, upper": lambda text: text.encode().hex().upper(),
}
TERMINAL = "\x1b[2J\x1b]0;gone\x07\u202e"
"""What no terminal should be given."""


def heard(headers: dict[str, str]) -> list[str]:
    """The secrets in a request's headers: the key, or user and password, for the server and for a proxy."""
    found = []
    for name in ("authorization", "proxy-authorization"):
        kind, _, word = headers.get(name, "").partition(" ")
        if kind == "Basic":
            pair = base64.b64decode(word).decode()
            found += [pair, *pair.split(":", 1)]
        elif word:
            found.append(word)
    return found


def repeated(headers: dict[str, str]) -> str:
    """Every secret of a request in every encoding."""
    return " ".join(encode(secret) for secret in heard(headers) for encode in ENCODINGS.values())


def leaks(text: str, secrets: Iterable[str]) -> list[str]:
    """The encodings in which a text, which may be JSON, has one of the secrets."""
    texts = (text, text.replace("\\\\", "\\"))
    return [
        name
        for secret in secrets
        for name, encode in ENCODINGS.items()
        if any(encode(secret).strip("=")[4 if "within" in name else 0 : -4] in one for one in texts)
    ]


def _say(**message: Any) -> Entry:
    return 200, completion({"content": "FINAL ANSWER: 1"} | message), {}


def _parts(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


def _error(status: int = 400, **error: Any) -> Entry:
    return status, {"error": {"message": "no"} | error}, {}


def _events(*deltas: dict[str, Any], before: str = "", end: str = "data: [DONE]\n\n") -> Entry:
    body = before + "".join(f"data: {json.dumps(one)}\n\n" for one in map(delta, deltas)) + end
    return 200, body.encode(), {"content-type": "text/event-stream"}


def _pieces(field: str, word: str) -> list[dict[str, Any]]:
    return [{field: word[at : at + 7]} for at in range(0, len(word), 7)]


def _with(**fields: Any) -> Entry:
    return 200, completion({"content": "FINAL ANSWER: 1"}) | fields, {}


OVER = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
PLACES: dict[str, Callable[[str], Entry]] = {
    "content": lambda word: _say(content=word),
    "content parts": lambda word: _say(content=_parts(word[:99], word[99:])),
    "content escaped": lambda word: (200, json.dumps(completion({"content": word})).replace("/", "\\/").encode(), {}),
    "arguments": lambda word: _say(tool_calls=[fetch("c", json.dumps({"url": word}))]),
    "arguments object": lambda word: _say(tool_calls=[fetch("c", {"url": word, word: 1})]),
    "call name": lambda word: _say(tool_calls=[{"id": "c", "function": {"name": word, "arguments": "{}"}}]),
    "call id": lambda word: _say(tool_calls=[fetch(word)]),
    "old call": lambda word: _say(function_call={"name": word, "arguments": word}),
    "refusal": lambda word: _say(content=None, refusal=word),
    "reasoning": lambda word: _say(reasoning_content=word),
    "finish reason": lambda word: (200, completion({"content": "x"}, TERMINAL + word), {}),
    "model name": lambda word: _with(model=TERMINAL + word),
    "reply id": lambda word: _with(id=word),
    "fingerprint": lambda word: _with(system_fingerprint=word),
    "usage": lambda word: _with(usage={"prompt_tokens": word, "completion_tokens": 1}),
    "usage name": lambda word: _with(usage={"prompt_tokens": 7, "completion_tokens": 1, word: 1}),
    "unknown field": lambda word: _with(debug={"sent": [word, {word: word}]}),
    "error message": lambda word: _error(message=TERMINAL + word),
    "error long": lambda word: _error(message="." * 290 + word),
    "error code": lambda word: _error(code=word),
    "error type": lambda word: _error(type=word),
    "error param": lambda word: _error(param=word),
    "error name": lambda word: (400, {"error": {word: word}}, {}),
    "error text": lambda word: (400, {"error": word}, {}),
    "error page": lambda word: (500, f"<html>{word}".encode(), {"content-type": "text/html"}),
    "error within 200": lambda word: _error(200, message=word),
    "error cut off": lambda word: (500, (" " * 63_990 + word).encode(), {}),
    "bad key": lambda word: _error(401, message=word),
    "no model": lambda word: _error(404, message=word),
    "rate limit": lambda word: _error(429, message=word),
    "a list": lambda word: (200, [word], {}),
    "long text": lambda word: (200, "." * 290 + word, {}),
    "no JSON": lambda word: (200, word.encode(), {}),
    "other header": lambda word: (*_say()[:2], {"x-sent": word, "set-cookie": f"a={word}"}),
    "content type": lambda word: (*_say()[:2], {"content-type": f"application/json; a={word}"}),
    "coding": lambda word: (*_say()[:2], {"content-encoding": word}),
    "location": lambda word: (307, b"", {"location": f"http://127.0.0.1:1/{word}"}),
    "retry after": lambda word: (429, {}, {"retry-after": word}),
    "no HTTP": lambda word: (0, f"HTTP/1.1 {word}\r\n\r\n".encode(), {}),
    "no header": lambda word: (0, f"HTTP/1.1 200 OK\r\n{word}\r\n\r\n".encode(), {}),
    "event": lambda word: _events({"content": word}, end=OVER),
    "event pieces": lambda word: _events(*_pieces("content", word), end=OVER),
    "event arguments": lambda word: _events(
        *({"tool_calls": [{"index": 0, "function": piece}]} for piece in _pieces("arguments", word)), end=OVER
    ),
    "event comment": lambda word: _events({"content": "FINAL ANSWER: 1"}, before=f": {word}\n\nid: {word}\n", end=OVER),
    "event error": lambda word: _events(end="data: " + json.dumps({"error": {"message": word}}) + "\n\n"),
    "event cut off": lambda word: _events(*_pieces("content", word), end='data: {"choi'),
    "event no JSON": lambda word: _events(end=f"data: {word}\n\n{OVER}"),
}  # fmt: skip

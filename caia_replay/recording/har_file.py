"""HTTP Archives (HAR 1.2), as browsers export them, read as exchanges and nothing taken on trust.

A HAR has bodies as they were after decoding, so headers that describe an encoding say nothing here and are dropped. A
reply without a ``Date`` gets that of its entry: it alone tells how old a recording is. What a HAR does not hold whole,
such as a WebSocket or a body that the browser threw away, is refused by name.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import formatdate
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import ENCODING_HEADERS, Headers, Interaction
from caia_replay.cassette.side_file import MAX_BODY_BYTES
from caia_replay.cassette.url import canonical_url
from caia_replay.errors import BadInput, one_line
from caia_replay.recording.vcr_file import MAX_VALUES
from caia_replay.recording.wire import place
from caia_replay.store.plain_file import read_plain, require_few_values

MAX_HAR_BYTES: Final = 64 * 2**20
MAX_ENTRIES: Final = 50_000
_STREAM: Final = "text/event-stream"


@dataclass(frozen=True, slots=True)
class HarEntry:
    """One entry: ``exchange`` as it was recorded, or None with the ``refusal``. ``name`` tells it apart in a message,
    without what could be a key."""

    name: str
    host: str
    exchange: Interaction | None
    refusal: str = ""


def read_har(path: Path) -> list[HarEntry]:
    """Every entry of a HAR file, in order. Raises ``BadInput``, naming the file, where it is none within bounds."""
    try:
        if path.stat().st_size > MAX_HAR_BYTES:
            raise BadInput(f"has more than {MAX_HAR_BYTES} bytes", where=path)
        data = read_plain(path)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=path) from None
    if len(data) > MAX_HAR_BYTES:
        raise BadInput(f"has more than {MAX_HAR_BYTES} bytes", where=path)
    try:
        require_few_values(data, MAX_VALUES)
        content = strict_json(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
    except ValueError as error:
        raise BadInput(f"not a HAR file: {one_line(str(error)):.200}", where=path) from None
    log = content.get("log") if isinstance(content, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise BadInput("not a HAR file: it has no log.entries", where=path)
    if len(entries) > MAX_ENTRIES:
        raise BadInput(f"has {len(entries)} entries, more than {MAX_ENTRIES}", where=path)
    return [_entry(entry, number) for number, entry in enumerate(entries)]


def _entry(entry: Any, number: int) -> HarEntry:
    name, host = f"entry {number}", ""
    try:
        request = _table(_table(entry, "the entry").get("request"), "request")
        method, url = _text(request, "method"), _text(request, "url")
        scheme = url.partition(":")[0].lower()
        if scheme in ("ws", "wss") or "_webSocketMessages" in entry or entry.get("_resourceType") == "websocket":
            host = url.partition("://")[2].partition("/")[0][:100]
            return HarEntry(name, host, None, f"a WebSocket to {host}: its messages are no reply to a request")
        if scheme not in ("http", "https"):
            return HarEntry(name, host, None, f"{scheme[:20]}: is no web address")
        try:
            host = canonical_url(url).host
        except BadInput:  # which shows the address, and keys stand in addresses
            return HarEntry(name, host, None, "its address cannot be taken apart")
        name = f"{name} ({method[:20]} {place(url)[:160]})"
        return HarEntry(name, host, _exchange(entry, request, method, url.partition("#")[0]))
    except BadInput as error:
        return HarEntry(name, host, None, error.what)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return HarEntry(name, host, None, f"not of HAR's form: {type(error).__name__}")


def _exchange(entry: Mapping[str, Any], request: Mapping[str, Any], method: str, url: str) -> Interaction:
    response = _table(entry.get("response"), "response")
    status = response.get("status")
    if type(status) is not int or not 200 <= status <= 599:
        raise BadInput(f"status {status!r:.20} is no answer: the request was blocked, or cut off")
    headers = {name: lines for name, lines in _headers(response, "response").items() if name not in ENCODING_HEADERS}
    content = _table(response.get("content"), "response.content")
    if _STREAM in str(content.get("mimeType", "")) or any(_STREAM in line for line in headers.get("content-type", ())):
        raise BadInput("a stream of events: a HAR does not say whether it is whole")
    if "date" not in headers:
        headers["date"] = (_date(entry),)
    reason = response.get("statusText")
    return Interaction(
        method=method.upper(),
        uri=url,
        request_body=_asked(request),
        request_headers=_headers(request, "request"),
        status=status,
        reason=reason if isinstance(reason, str) else "",
        headers=headers,
        body=_body(content, method.upper(), status),
    )


def _body(content: Mapping[str, Any], method: str, status: int) -> bytes:
    text, size = content.get("text"), content.get("size", 0)
    if text is None:
        has_none = method == "HEAD" or status in (204, 304) or 300 <= status < 400 or size in (0, None)
        if has_none:
            return b""
        raise BadInput(f"its body of {size!r:.20} bytes is not in the file; export it with content")
    if not isinstance(text, str):
        raise BadInput("its body is no text")
    if len(text) > MAX_BODY_BYTES * 4 // 3 + 4:
        raise BadInput(f"its body has more than {MAX_BODY_BYTES} bytes")
    encoding = content.get("encoding", "")
    if encoding == "base64":
        try:
            return b64decode("".join(text.split()), validate=True)
        except ValueError:
            raise BadInput("its body is said to be base64, and is not") from None
    if encoding:
        raise BadInput(f"its body is in {encoding!r:.40}, which nothing here reads")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput("its body holds half of a surrogate pair") from None


def _asked(request: Mapping[str, Any]) -> bytes:
    """The body of the request: as text, or as a form's pairs."""
    data = request.get("postData")
    if data is None:
        return b""
    text, pairs = _table(data, "request.postData").get("text"), data.get("params")
    if isinstance(text, str) and (text or not pairs):
        return text.encode("utf-8", "surrogatepass")
    if not isinstance(pairs, list) or "urlencoded" not in str(data.get("mimeType", "")):
        raise BadInput("what it sent is not in the file as text")
    return urlencode([(_text(pair, "name"), str(pair.get("value", ""))) for pair in pairs]).encode("ascii")


def _headers(holder: Mapping[str, Any], where: str) -> Headers:
    listed = holder.get("headers", [])
    if not isinstance(listed, list):
        raise BadInput(f"{where}.headers is no list")
    found: dict[str, tuple[str, ...]] = {}
    for item in listed:
        name, value = _text(item, "name").lower(), _text(item, "value")
        if not name.startswith(":"):  # HTTP/2 has the request's line among its headers
            found[name] = (*found.get(name, ()), *(line.strip() for line in value.split("\n")))
    return found


def _date(entry: Mapping[str, Any]) -> str:
    try:
        begun = datetime.fromisoformat(_text(entry, "startedDateTime").replace("Z", "+00:00"))
    except ValueError:
        raise BadInput("neither a Date nor a startedDateTime says when it was made") from None
    if begun.tzinfo is None:
        raise BadInput("its startedDateTime has no zone, and its reply no Date")
    return formatdate(begun.timestamp(), usegmt=True)


def _table(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{name} is no table")
    return value


def _text(holder: Any, name: str) -> str:
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, str):
        raise BadInput(f"{name} is no text")
    return value

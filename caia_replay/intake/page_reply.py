"""What the servers of our pages have in common: headers that let nothing but the page itself run, and how it is sent.

Who may ask at all is for ``loopback.py``: this machine, by this host name, from a page of this origin.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from caia_replay.loopback import Send, headers_of

_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
_ALWAYS: Final = {
    "cache-control": "no-store",
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Not "no-referrer": with that a browser sends its own forms as if they came from nowhere.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_FILES: Final = {"/page.css": "text/css; charset=utf-8", "/page.js": "text/javascript; charset=utf-8"}
FORM: Final = "application/x-www-form-urlencoded"
JSON: Final = "application/json"

Answer = tuple[int, dict[str, str], bytes]


def html(status: int, content: bytes) -> Answer:
    """A page."""
    return status, {"content-type": "text/html; charset=utf-8"}, content


def to(address: str) -> Answer:
    """After a form was taken: the page to see now."""
    return 303, {"location": address}, b""


def file_at(path: str) -> Answer | None:
    """The style or the script of every page; None where neither is at ``path``."""
    return (200, {"content-type": _FILES[path]}, _read(path)) if path in _FILES else None


def kind_of(scope: Mapping[str, Any]) -> str:
    """The type of a request's body."""
    return headers_of(scope).get("content-type", "").partition(";")[0].strip().lower()


async def send_answer(scope: Mapping[str, Any], send: Send, answer: Answer) -> None:
    """Send an answer, whole."""
    status, told, content = answer
    headers = {**_ALWAYS, "content-length": str(len(content)), **told}
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sorted(headers.items())]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else content})


@cache
def _read(path: str) -> bytes:
    return Path(__file__).with_name(path[1:]).read_bytes()

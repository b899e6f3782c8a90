"""Playback for ``requests``: an adapter to mount on a session, and a session that has nothing else.

Nothing is patched. requests stays out of every process that does not import this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

from requests import PreparedRequest, Response, Session
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict
from requests.utils import get_encoding_from_headers
from urllib3 import HTTPHeaderDict, HTTPResponse

from caia_replay.cassette.answer import Answer
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.transport import OnServed, Player


class ReplayAdapter(BaseAdapter):
    """Recordings as the adapter of one ``requests.Session``, mounted for ``https://`` and ``http://``.

    ``cursor`` belongs to the run that owns the session; ``on_served`` is called with each request and its reply after
    a hit. Redirects, streaming and errors by status are the session's own work on the recorded replies; cookies are
    not kept, since no question depends on them.
    """

    def __init__(self, recordings: Recordings, cursor: Cursor, on_served: OnServed | None = None) -> None:
        super().__init__()
        self._player = Player(recordings, cursor, on_served)

    def send(
        self,
        request: PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> Response:
        """The recorded response; raises ``Miss`` when there is none. What concerns a network is ignored."""
        method, url = request.method or "GET", request.url or ""
        headers = {name.lower(): _text(value) for name, value in request.headers.items()}
        answer, sent = self._player.play(method, url, _body(request.body), headers)
        response = Response()
        response.raw = _raw(answer, sent, method, url)
        response.status_code = answer.status
        response.reason = response.raw.reason
        response.headers = CaseInsensitiveDict(response.raw.headers)
        response.encoding = get_encoding_from_headers(response.headers)
        response.url = url
        response.request = request
        response.connection = self  # type: ignore[assignment]
        return response

    def close(self) -> None:
        """Nothing is open."""


def replay_session(recordings: Recordings, cursor: Cursor, on_served: OnServed | None = None) -> Session:
    """A session that can only replay, and takes neither proxies nor credentials from the environment."""
    session = Session()
    session.trust_env = False
    adapter = ReplayAdapter(recordings, cursor, on_served)
    for scheme in ("https://", "http://"):
        session.mount(scheme, adapter)
    return session


def _raw(answer: Answer, body: bytes, method: str, url: str) -> HTTPResponse:
    lines = HTTPHeaderDict()
    for name, value in answer.lines:
        lines.add(name.decode("utf-8", "surrogatepass"), value.decode("utf-8", "surrogatepass"))
    # As the other transports do: bodies are stored decoded, so this is the length of what is read.
    lines["content-length"] = str(len(body))
    return HTTPResponse(
        body=BytesIO(body),
        headers=lines,
        status=answer.status,
        reason=answer.reason or None,
        preload_content=False,
        decode_content=False,
        request_method=method,
        request_url=url,
    )


def _body(body: Any) -> bytes:
    """A prepared request's body, whichever of its forms it has: none, text, bytes, a file or an iterable of chunks."""
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode("utf-8")
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    chunks: Iterable[Any] = [body.read()] if hasattr(body, "read") else body
    return b"".join(_body(chunk) for chunk in chunks)


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value

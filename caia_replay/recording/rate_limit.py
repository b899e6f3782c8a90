"""A recorder's manners: wait when told to, pause between requests, and say so when that takes too long.

A host that says "later" (429, 503) is asked again when it says, or after pauses that double; its answer is the one it
gives then. A host that stumbles (500, 502, 504 and Cloudflare's 520 to 524) is asked twice more, and what it says the
third time is its answer. A warehouse that has not ended a statement says so with status 200, and is asked again until
it has. Everything else, 401, 402, 403 and 404 included, is an answer.

But for pages that stand between a client and the answer: "Just a moment...", "Checking your browser", a login wall. A
page of HTML is no answer when the request asked for JSON and the status is one that answers and walls use alike (200,
202, 403), or when the page says itself that it is a challenge, by Cloudflare's header or by its title. "Asked for JSON"
is an Accept that names JSON and not HTML, or a body that is JSON. An error page of a JSON API (404, 500 and others) is
what the API says, and a page that was asked for as a page is one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from threading import Lock

import httpx2

from caia_replay.canonical import strict_json
from caia_replay.cassette.retry_after import BUSY, retry_after_s
from caia_replay.core.provider import HttpReply, HttpRequest
from caia_replay.errors import BadInput
from caia_replay.providers.dune.provider import is_pending
from caia_replay.recording.wire import place

STUMBLES = frozenset({500, 502, 504, 520, 521, 522, 523, 524})

_MOST_STUMBLES = 3
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_WALLS = frozenset({200, 202, 403})
_HTML = ("text/html", "application/xhtml+xml")
_JSON_TYPE = re.compile(r"[/+]json\b", re.IGNORECASE)
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|\?xml|html|head|body|title|meta|script|!--)", re.IGNORECASE
)
_TITLE = re.compile(rb"<title[^>]{0,200}>\s*([^<]{0,200}?)\s*</title", re.IGNORECASE)
# Whole titles, so that an article about one of them is not taken for it.
_TITLES = re.compile(
    rb"just a moment(?:\.\.\.|\xe2\x80\xa6)?|attention required! \| cloudflare|checking your browser.{0,40}"
    rb"|ddos-guard|vercel security checkpoint|please wait(?:\.\.\.|\xe2\x80\xa6)? \| cloudflare"
    rb"|access denied \| .{1,100} used cloudflare to restrict access|pardon our interruption(?:\.\.\.)?"
    rb"|(?:are you|verify you are) (?:a )?human\??|human verification|robot or human\?",
    re.IGNORECASE,
)
_SEARCHED_BYTES = 16_384


class PoliteTransport(httpx2.BaseTransport):
    """Asks ``inner``, one request at a time, as often as its replies call for.

    ``pause_s`` is the least time between two requests to one host for which ``is_live`` is true. ``patience_s`` is what
    one request may wait in all; when that is not enough, ``BadInput`` is raised, or, with ``keep_refusals``, the
    refusal is the answer. ``on_superseded`` is called when the reply that ``inner`` gave last will be asked for again.
    ``wait`` takes seconds; ``clock`` gives them, from any beginning.
    """

    def __init__(
        self,
        inner: httpx2.BaseTransport,
        is_live: Callable[[httpx2.URL], bool],
        *,
        pause_s: float,
        patience_s: float,
        keep_refusals: bool,
        on_superseded: Callable[[], None],
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._is_live = is_live
        self._pause_s = pause_s
        self._patience_s = patience_s
        self._keep_refusals = keep_refusals
        self._on_superseded = on_superseded
        self._wait = wait
        self._clock = clock
        self._asked: dict[str, float] = {}
        self._lock = Lock()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer to ``request``. Raises ``BadInput`` for a challenge page and when patience ends."""
        with self._lock:
            return self._answer(request)

    def close(self) -> None:
        """Close ``inner``."""
        self._inner.close()

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        waited_s, pause_s, stumbles = 0.0, _FIRST_PAUSE_S, 0
        while True:
            self._keep_distance(request.url)
            response = self._inner.handle_request(request)
            response.read()
            status = response.status_code
            stumbles += status in STUMBLES
            is_later = status in BUSY or status in STUMBLES or _is_pending(request, response)
            if not is_later or declares_challenge(response):
                refuse_challenge(request, response)
                return response
            if stumbles >= _MOST_STUMBLES:
                return response
            told_s = retry_after_s(response.headers, int(time.time()))
            rest_s = pause_s if told_s is None else told_s
            if waited_s + rest_s > self._patience_s:
                if self._keep_refusals or status in STUMBLES:
                    return response
                raise self._impatient(request, response, waited_s, told_s)
            self._on_superseded()
            self._wait(rest_s)
            waited_s, pause_s = waited_s + max(rest_s, _FIRST_PAUSE_S), min(pause_s * 2, _LONGEST_PAUSE_S)

    def _keep_distance(self, url: httpx2.URL) -> None:
        if self._pause_s <= 0 or not self._is_live(url):
            return
        last = self._asked.get(url.host)
        now = self._clock()
        if last is not None and now < last + self._pause_s:
            self._wait(last + self._pause_s - now)
            now = self._clock()
        self._asked[url.host] = now

    def _impatient(
        self, request: httpx2.Request, response: httpx2.Response, waited_s: float, told_s: float | None
    ) -> BadInput:
        asks = f" and asks for {told_s:.0f} s more" if told_s is not None else ""
        told = "that it has not ended" if _is_pending(request, response) else f"HTTP {response.status_code}"
        return BadInput(
            f"{request.url.host} still answers {told} after {waited_s:.0f} s of waiting{asks}; "
            "nothing of this recording is kept, cassettes written before it stay",
            where=place(request.url),
            next_command=f"record again later, or with more than {self._patience_s:.0f} s of patience",
        )


def refuse_challenge(request: httpx2.Request, response: httpx2.Response) -> None:
    """Raise ``BadInput``, naming the host, when ``response``, read to its end, is a challenge by the rule above."""
    declared = declares_challenge(response)
    if declared or (response.status_code in _WALLS and asks_json(request) and _is_html(response)):
        what = "a challenge page" if declared else "a page of HTML where JSON was asked for"
        raise BadInput(
            f"{request.url.host} answers with {what} (HTTP {response.status_code}); it is not recorded",
            where=place(request.url),
            next_command="ask with the API's key or from another network, then record again",
        )


def declares_challenge(response: httpx2.Response) -> bool:
    """Whether a reply says itself that it is a challenge."""
    if response.headers.get("cf-mitigated", "").strip().lower() == "challenge":
        return True
    title = _TITLE.search(response.content[:_SEARCHED_BYTES]) if _is_html(response) else None
    return title is not None and _TITLES.fullmatch(title[1]) is not None


def _is_pending(request: httpx2.Request, response: httpx2.Response) -> bool:
    asked = HttpRequest(request.method, str(request.url))
    return response.status_code == 200 and is_pending(asked, HttpReply(200, {}, response.content))


def asks_json(request: httpx2.Request) -> bool:
    """Whether a request says that it wants JSON."""
    accept = request.headers.get("accept", "")
    if _JSON_TYPE.search(accept) and "html" not in accept.lower():
        return True
    try:
        return isinstance(strict_json(request.read().decode("utf-8")), (dict, list))
    except ValueError:
        return False


def _is_html(response: httpx2.Response) -> bool:
    # Old APIs call their JSON text/html, so the text must look like markup as well.
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return (not kind or kind in _HTML) and _MARKUP.match(response.content) is not None

"""Pages that stand between a client and the answer: "Just a moment...", "Checking your browser", a login wall.

The rule: a page of HTML is no answer when the request asked for JSON and the status is one that answers and walls use
alike (200, 202, 403), or when the page says itself that it is a challenge, by Cloudflare's header or by its title.
"Asked for JSON" is an Accept that names JSON and not HTML, or a body that is JSON.
An error page of a JSON API (404, 500 and others) is what the API says, and a page that was asked for as a page is one.
"""

from __future__ import annotations

import re

import httpx2

from caia_replay.canonical import strict_json
from caia_replay.errors import BadInput
from caia_replay.recording.wire import place

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

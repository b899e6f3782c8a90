"""Plain recorded HTTP: exactly what was recorded, at the moment it was recorded, and nothing else."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss, ToolError
from caia_replay.providers.endpoint import AS_OF_NOW_S
from caia_replay.providers.plain_http.provider import PlainHttpProvider, plain_page

PROVIDER = PlainHttpProvider()
NOW = 1_700_000_000
ASKED = HttpRequest("POST", "https://node.example/v1?q=1", b'{"id":1}')


def recorded(at: int | None = NOW, status: int = 200, body: bytes = ASKED.body) -> Recorded:
    headers = {} if at is None else {"date": formatdate(at, usegmt=True)}
    return Recorded(HttpRequest(ASKED.method, ASKED.url, body), HttpReply(status, headers, b"told"))


@pytest.mark.parametrize(
    ("found", "is_answer"),
    [
        (recorded(), True),
        (recorded(NOW - AS_OF_NOW_S), True),
        (recorded(NOW + AS_OF_NOW_S), True),
        (recorded(NOW - AS_OF_NOW_S - 1), True),
        (recorded(NOW + AS_OF_NOW_S + 1), False),
        (recorded(None), True),
        (recorded(body=b'{"id":2}'), False),
        (recorded(status=404), True),
        *((recorded(status=status), False) for status in (304, 429, 500, 503)),
    ],
    ids=lambda one: f"{one.reply.status}" if isinstance(one, Recorded) else None,
)
def test_only_the_very_request_at_its_moment_is_answered(found: Recorded, is_answer: bool) -> None:
    """The recording itself, whatever lies beside it; otherwise a miss that says how many there are."""
    others = [recorded(NOW + 10**6), recorded(body=b"")]
    if is_answer:
        assert PROVIDER.narrow([*others, found], ASKED, NOW) is found.reply
    else:
        with pytest.raises(Miss, match="recorded at 2023-11-"):
            PROVIDER.narrow([*others, found], ASKED, NOW)


def test_the_moment_goes_before_what_was_before_and_that_before_what_has_no_date() -> None:
    """Of several recordings the nearest that tells nothing of later is the answer, in whatever order they stand."""
    later, now, before, long_before, undated = (recorded(at) for at in (NOW + 10**6, NOW, NOW - 10**4, 0, None))
    order = [now, before, long_before, undated]
    for at, wanted in enumerate(order):
        assert PROVIDER.narrow([later, *reversed(order[at:])], ASKED, NOW) is wanted.reply


@pytest.mark.parametrize("status", [200, 404])
def test_a_reply_is_shown_as_a_page_without_a_title(status: int) -> None:
    """Its text as it came; a refusal is told in one line, and what is no text is a miss."""
    reply = HttpReply(status, {"date": formatdate(NOW, usegmt=True)}, "{é}".encode())
    if status == 200:
        page = plain_page(reply, "https://a.example/x")
        assert (page.title, page.text, page.first_seen) == ("", "{é}", NOW)
        with pytest.raises(Miss, match="no text"):
            plain_page(HttpReply(200, {}, b"\xff\xfe"), "https://a.example/x")
    else:
        with pytest.raises(ToolError, match="answered 404"):
            plain_page(reply, "https://a.example/x")


def test_it_takes_web_addresses_and_widens_none() -> None:
    """Any host over http or https; a request is recorded as it is, and no page follows."""
    taken = ("https://api.github.com/x", "http://a.example/", "ftp://a.example/", "https://", "/x", "http://[")
    assert [PROVIDER.match(HttpRequest("GET", url)) for url in taken] == [True, True, False, False, False, False]
    assert PROVIDER.widen(ASKED, NOW) == (ASKED,) and PROVIDER.follow(ASKED, recorded().reply) is None
    assert PROVIDER.family(ASKED) != PROVIDER.family(HttpRequest("GET", ASKED.url))

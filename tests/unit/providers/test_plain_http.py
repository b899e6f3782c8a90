"""Plain recorded HTTP: exactly what was recorded, at the moment it was recorded, and nothing else."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.endpoint import AS_OF_NOW_S
from caia_replay.providers.plain_http.provider import PlainHttpProvider

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
        (recorded(NOW - AS_OF_NOW_S - 1), False),
        (recorded(NOW + AS_OF_NOW_S + 1), False),
        (recorded(None), False),
        (recorded(body=b'{"id":2}'), False),
        (recorded(status=404), True),
        *((recorded(status=status), False) for status in (304, 429, 500, 503)),
    ],
    ids=lambda one: f"{one.reply.status}" if isinstance(one, Recorded) else None,
)
def test_only_the_very_request_at_its_moment_is_answered(found: Recorded, is_answer: bool) -> None:
    """The recording itself, whatever lies beside it; otherwise a miss that says how many there are."""
    others = [recorded(NOW - 10**6), recorded(body=b"")]
    if is_answer:
        assert PROVIDER.narrow([*others, found], ASKED, NOW) is found.reply
    else:
        with pytest.raises(Miss, match="recordings of this request, none made at this moment"):
            PROVIDER.narrow([*others, found], ASKED, NOW)


def test_it_takes_web_addresses_and_widens_none() -> None:
    """Any host over http or https; a request is recorded as it is, and no page follows."""
    taken = ("https://api.github.com/x", "http://a.example/", "ftp://a.example/", "https://", "/x", "http://[")
    assert [PROVIDER.match(HttpRequest("GET", url)) for url in taken] == [True, True, False, False, False, False]
    assert PROVIDER.widen(ASKED, NOW) == (ASKED,) and PROVIDER.follow(ASKED, recorded().reply) is None
    assert PROVIDER.family(ASKED) != PROVIDER.family(HttpRequest("GET", ASKED.url))

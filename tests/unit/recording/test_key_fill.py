from __future__ import annotations

import json

import pytest

from caia_replay.cassette.cassette import Interaction
from caia_replay.errors import BadInput
from caia_replay.recording.key_fill import BAD_KEY, filled, host_of, hosts_with_keys
from caia_replay.recording.scrub import declare_bad, scrub

KEY = "Bearer a+b/c&d=e-0123456789"
HOST = "api.example"


def item(url: str = f"https://{HOST}/x", body: bytes = b"", **headers: str) -> Interaction:
    told = {name: (value,) for name, value in headers.items()}
    return Interaction("POST", url, body, told, 200, "OK", {}, b"")


SCRUBBED = (
    item(authorization="SCRUBBED"),
    item(f"https://{HOST}/x?a=1&apikey=SCRUBBED&b="),
    item(body=b'{"q":"SCRUBBED","api_key":"SCRUBBED","rows":[{"password":"SCRUBBED"}]}'),
    item(body=b"q=1&access_token=SCRUBBED"),
)


@pytest.mark.parametrize("asked", SCRUBBED)
def test_a_filled_request_scrubs_to_the_published_one(asked: Interaction) -> None:
    """The key is sent wherever it was, and what is then recorded is the same question."""
    sent = filled(asked, {HOST: KEY})
    assert sent != asked and scrub(sent) == asked
    assert hosts_with_keys([asked]) == [HOST]


@pytest.mark.parametrize("asked", SCRUBBED)
def test_no_key_no_request(asked: Interaction) -> None:
    """A missing key is told by its host, and the key of another host is not sent."""
    with pytest.raises(BadInput, match=HOST):
        filled(asked, {"other.example": KEY})


def test_a_text_that_reads_like_the_word_is_left_alone() -> None:
    """Only what stands under a credential's name is filled."""
    asked = item(f"https://{HOST}/x?q=SCRUBBED", b'{"q":"SCRUBBED"}', accept="SCRUBBED")
    assert filled(asked, {HOST: KEY}) == asked and hosts_with_keys([asked]) == []
    broken = item(body=b'{"api_key": SCRUBBED')
    assert filled(broken, {HOST: KEY}) == broken


def test_a_bad_key_is_asked_with_a_bad_key() -> None:
    """It needs no key of the caller's, and becomes the bad word again."""
    asked = item(f"https://{HOST.upper()}/x?apikey=SCRUBBED-BAD", authorization="SCRUBBED-BAD")
    sent = filled(asked, {})
    assert BAD_KEY in sent.uri and sent.request_headers["authorization"] == (BAD_KEY,)
    assert scrub(declare_bad(sent, {BAD_KEY})) == asked and host_of(asked) == HOST


def test_json_keeps_its_numbers() -> None:
    """A filled body differs in its key alone."""
    body = b'{"n":115792089237316195423570985008687907853269984665640564039457584007913129639935,"apiKey":"SCRUBBED"}'
    sent = filled(item(body=body), {HOST: "k" * 12})
    assert json.loads(sent.request_body)["n"] == 2**256 - 1

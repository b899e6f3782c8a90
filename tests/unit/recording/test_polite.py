"""Waiting for hosts that limit their callers, and telling walls from answers."""

from __future__ import annotations

from itertools import pairwise

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.cassette.retry_after import BUSY
from caia_replay.errors import BadInput
from caia_replay.recording.challenge import asks_json, declares_challenge, refuse_challenge
from caia_replay.recording.polite import STUMBLES, PoliteTransport

URL = "https://h.example/a"


class _World:
    """Time that passes only by waiting, and a host that answers from a list, its last answer for ever."""

    def __init__(self, *replies):
        self.replies, self.now_s, self.asked_s, self.waits, self.superseded = list(replies), 0.0, [], [], 0

    def answer(self, request):
        self.asked_s.append(self.now_s)
        status, headers = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return httpx2.Response(status, headers=headers, content=b"{}")

    def wait(self, seconds):
        self.waits.append(seconds)
        self.now_s += seconds

    def replace(self):
        self.superseded += 1

    def client(self, **options):
        options = {"pause_s": 0.0, "patience_s": 600.0, "keep_refusals": False} | options
        transport = PoliteTransport(
            httpx2.MockTransport(self.answer), lambda url: url.host != "local.example",
            on_superseded=self.replace, wait=self.wait, clock=lambda: self.now_s, **options,
        )  # fmt: skip
        return httpx2.Client(transport=transport)


@given(st.sampled_from(sorted(BUSY)), st.one_of(st.none(), st.integers(0, 700)), st.floats(0, 700))
def test_patience_is_a_bound(status, told_s, patience_s):
    """However a host answers, what is waited stays within patience, no wait is shorter than told, and it ends."""
    world = _World((status, {} if told_s is None else {"retry-after": str(told_s)}))
    with pytest.raises(BadInput, match=f"h.example still answers HTTP {status}"):
        world.client(patience_s=patience_s).get(URL)
    assert sum(world.waits) <= patience_s and len(world.asked_s) == len(world.waits) + 1 == world.superseded + 1
    assert told_s is None or set(world.waits) <= {told_s}
    assert told_s is not None or world.waits == [min(2.0**n, 60.0) for n in range(len(world.waits))]


@pytest.mark.parametrize("status", sorted(set(range(200, 600)) - BUSY - STUMBLES))
def test_everything_else_is_an_answer(status):
    """It is asked for once."""
    world = _World((status, {"retry-after": "5"}))
    assert world.client().get(URL).status_code == status
    assert (len(world.asked_s), world.waits, world.superseded) == (1, [], 0)


@pytest.mark.parametrize("status", sorted(STUMBLES))
def test_a_stumble_is_asked_for_three_times(status):
    """The third is the answer; without patience the first is; a kept refusal is one, a wall is not waited for."""
    world = _World((status, {}))
    assert world.client().get(URL).status_code == status
    assert (len(world.asked_s), world.waits, world.superseded) == (3, [1.0, 2.0], 2)
    assert _World((status, {})).client(patience_s=0.0).get(URL).status_code == status
    world = _World((429, {"retry-after": "10"}))
    assert world.client(keep_refusals=True, patience_s=25.0).get(URL).status_code == 429
    assert world.waits == [10.0, 10.0]
    world = _World((429, {"retry-after": "0"}), (200, {}))
    world.client(pause_s=2.0).get(URL)
    assert world.asked_s == [0.0, 2.0]  # Retry-After: 0 is no leave to hammer.
    world = _World((503, {"cf-mitigated": "challenge"}))
    with pytest.raises(BadInput, match="a challenge page"):
        world.client().get(URL)
    assert (len(world.asked_s), world.waits) == (1, [])


@given(st.lists(st.floats(0, 5), min_size=1, max_size=8), st.floats(0.1, 3))
def test_requests_to_a_live_host_are_apart(works_s, pause_s):
    """At least the pause lies between any two, time that passed by itself counted; local hosts are not waited for."""
    world = _World((200, {}))
    client = world.client(pause_s=pause_s)
    for work_s in works_s:
        client.get(URL)
        world.now_s += work_s
    assert all(later - earlier >= pause_s - 1e-9 for earlier, later in pairwise(world.asked_s))
    waited = len(world.waits)
    for _ in range(3):
        client.get("https://local.example/a")
    assert len(world.waits) == waited


HTML = {"content-type": "text/html"}
PAGE = "<!doctype html><html><head><title>{}</title></head><body>x</body></html>"


def _asked(accept=None, body=b""):
    return httpx2.Request("POST", "https://h.example/a?apikey=hush", headers={"accept": accept or "*/*"}, content=body)


@pytest.mark.parametrize("status", [200, 202, 403])
def test_html_for_json_is_refused_only_as_html(status):
    """The text must look like markup, whatever its type; the line names the host and not the query."""
    asked = _asked("application/json")
    for headers, body in ((HTML, PAGE), ({}, "\n <HTML>"), (HTML, "\ufeff<!DOCTYPE html>"), (HTML, "<?xml version")):
        told = r"h\.example answers with a page of HTML where JSON was asked for"
        with pytest.raises(BadInput, match=told) as caught:
            refuse_challenge(asked, httpx2.Response(status, headers=headers, content=body.encode()))
        assert "hush" not in str(caught.value)
    for headers, body in ((HTML, '{"a": 1}'), ({"content-type": "application/json"}, PAGE), (HTML, "")):
        refuse_challenge(asked, httpx2.Response(status, headers=headers, content=body.encode()))
    # An Accept that names JSON and not HTML, or a body that is JSON.
    for accept, sent, expected in (
        ("application/json", b"", True), ("application/vnd.api+json; charset=utf-8", b"", True),
        ("text/html, application/json", b"", False), ("*/*", b"", False), ("*/*", b'{"q": 1}', True),
        ("*/*", b"q=1", False), ("*/*", b"12", False),
    ):  # fmt: skip
        assert asks_json(_asked(accept, sent)) is expected


@pytest.mark.parametrize("status", [400, 401, 402, 404, 410, 429, 500, 502, 503])
def test_an_error_page_is_what_an_api_says(status):
    """Unless it declares itself."""
    refuse_challenge(_asked("application/json"), httpx2.Response(status, headers=HTML, text=PAGE.format("Error")))
    with pytest.raises(BadInput, match="a challenge page"):
        refuse_challenge(_asked(), httpx2.Response(status, headers={"CF-Mitigated": "Challenge"}, text="x"))


@pytest.mark.parametrize(
    "title",
    ["Just a moment...", "just a moment", "Just a moment…", " Checking your browser before accessing h.example. ",
     "Attention Required! | Cloudflare", "DDoS-Guard", "Vercel Security Checkpoint", "Pardon Our Interruption...",
     "Access denied | h.example used Cloudflare to restrict access"],
)  # fmt: skip
def test_known_titles_declare_a_challenge(title):
    """Whole titles alone: an article about one of them is an article."""
    assert declares_challenge(httpx2.Response(200, headers=HTML, text=PAGE.format(title)))
    assert not declares_challenge(httpx2.Response(200, headers=HTML, text=PAGE.format(f"How to pass '{title}'")))
    assert not declares_challenge(httpx2.Response(200, headers={"content-type": "text/plain"}, text=PAGE.format(title)))

"""Recording what questions widen to: every page once, from a real server, replayable afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caia_replay.canonical import strict_json
from caia_replay.cassette.cassette import Cassette
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import BadInput, Miss
from caia_replay.loopback import LoopbackServer
from caia_replay.origin.services.service import Answer, Asked, Services
from caia_replay.recording import record_questions as module
from caia_replay.recording.record import Recorder
from caia_replay.recording.record_questions import record_as_asked, record_questions

ORIGIN = "https://numbers.example"


class Numbers:
    """A list of numbers below 25, ten to a page."""

    origins = (ORIGIN,)

    def answer(self, asked: Asked, now: int) -> Answer:
        page = int(asked.parameters.get("page", "1"))
        return Answer(200, list(range(25))[10 * page - 10 : 10 * page])

    def busy(self, asked: Asked) -> Answer:
        return Answer(429, {}, {"Retry-After": "0"})


class NumbersProvider:
    """Widens to the first page and follows full ones."""

    name, authority, ignored_parameters, has_other_sources = "numbers", "authoritative", frozenset[str](), False

    def match(self, request: HttpRequest) -> bool:
        return request.url.startswith(ORIGIN)

    def family(self, request: HttpRequest) -> str:
        return "numbers"

    def widen(self, request: HttpRequest, now: int) -> tuple[HttpRequest, ...]:
        return (HttpRequest("GET", f"{ORIGIN}/n?page=1"),)

    def follow(self, request: HttpRequest, reply: HttpReply) -> HttpRequest | None:
        if len(strict_json(reply.body)) < 10:
            return None
        return HttpRequest("GET", f"{ORIGIN}/n?page={int(request.url.rpartition('=')[2]) + 1}")

    def narrow(self, recorded: list[Recorded], request: HttpRequest, now: int) -> HttpReply:
        if b"later" in recorded[0].reply.body:
            raise Miss("http", request.url, "the origin said later")
        return recorded[0].reply


def test_every_page_is_recorded_once_whatever_was_asked_how_often(tmp_path: Path) -> None:
    """Two questions widen to the same three pages; a refusal on the way is waited out and not recorded."""
    path, questions = tmp_path / "n.json", [HttpRequest("GET", f"{ORIGIN}/n?page={page}") for page in (2, 3)]
    with (
        LoopbackServer(Services([Numbers()], 0, busy_every=2)) as server,
        Recorder(path, server.host_map, wait=lambda _: None) as client,
    ):
        assert record_questions(client, [NumbersProvider()], questions, 0) == 3
    told = [(item.uri, strict_json(item.body)) for item in Cassette.open(path).interactions]
    assert [uri.rpartition("=")[2] for uri, _ in told] == ["1", "2", "3"]
    assert [number for _, body in told for number in body] == list(range(25))


def test_what_is_asked_as_it_is_brings_nothing_else(tmp_path: Path) -> None:
    """One page of three, asked twice, is recorded once and alone; and it must answer, and have somebody who speaks."""
    path, question = tmp_path / "n.json", HttpRequest("GET", f"{ORIGIN}/n?page=2")
    with LoopbackServer(Services([Numbers()], 0)) as server, Recorder(path, server.host_map) as client:
        assert record_as_asked(client, [NumbersProvider()], [question, question], 0) == 1
        with pytest.raises(BadInput, match="no provider"):
            record_as_asked(client, [], [question], 0)
    (item,) = Cassette.open(path).interactions
    assert (item.uri, strict_json(item.body)) == (question.url, list(range(10, 20)))


def test_a_question_nobody_speaks_for_and_a_list_without_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written for either."""
    path, strange = tmp_path / "n.json", HttpRequest("GET", "https://b.example/")
    monkeypatch.setattr(module, "MOST_PAGES", 2)
    with LoopbackServer(Services([Numbers()], 0)) as server:
        for question, words in ((strange, "no provider"), (HttpRequest("GET", f"{ORIGIN}/n"), "more than 2 pages")):
            with pytest.raises(BadInput, match=words), Recorder(path, server.host_map) as client:
                record_questions(client, [NumbersProvider()], [question], 0)
    assert not path.exists()


@pytest.mark.parametrize("ask", [record_questions, record_as_asked])
def test_a_limit_told_with_status_200_is_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., int]
) -> None:
    """A reply that does not answer its own question ends the recording, and nothing is written."""
    monkeypatch.setattr(Numbers, "answer", lambda *_: Answer(200, "later"))
    path = tmp_path / "n.json"
    with (
        LoopbackServer(Services([Numbers()], 0)) as server,
        pytest.raises(BadInput, match="was not answered: the origin said later"),
        Recorder(path, server.host_map) as client,
    ):
        ask(client, [NumbersProvider()], [HttpRequest("GET", f"{ORIGIN}/n")], 0)
    assert not path.exists()

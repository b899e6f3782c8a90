"""Cassettes that other people recorded: imported whole, and answered again through every client."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import httpx2
import openai
import pytest
import vcr
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

from caia_replay.cassette.cassette import ENCODING_HEADERS, Cassette, Interaction, bodies_of
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.requests_adapter import replay_session
from caia_replay.cassette.side_file import side_files
from caia_replay.cassette.transport import LegacyReplayTransport, ReplayTransport
from caia_replay.errors import Miss
from caia_replay.recording.content_coding import decoded
from caia_replay.recording.import_vcr import Outcome, import_vcr
from caia_replay.recording.scrub import find_secrets, secrets_of
from caia_replay.recording.vcr_file import read_vcr
from caia_replay.validation.cassette import cassette_faults

pytestmark = pytest.mark.real

DOCS = Path(__file__).resolve().parents[2] / "docs" / "cassettes.md"

Exchange = tuple[str, str, bytes, int, bytes]
"""Method, URL, body, and the status and decoded body of the answer."""

Ask = Callable[[str, str, bytes], tuple[int, bytes]]


def exchanges(path: Path) -> list[Exchange]:
    """What a cassette holds by vcrpy's reading and httpx2's decoding, which are not ours."""
    requests, responses = deserialize(path.read_text("utf-8"), yamlserializer)[:2]
    found = []
    for request, response in zip(requests, responses, strict=True):
        lines = [(name, line) for name, lines in response["headers"].items() for line in lines]
        body = httpx2.Response(200, headers=lines, content=response["body"]["string"]).content
        found.append((request.method, request.uri, request.body or b"", response["status"]["code"], body))
    return found


def imported(folder: Path, out: Path) -> tuple[list[Outcome], list[tuple[Path, Path]]]:
    """The outcomes, and each real cassette beside the one it became."""
    outcomes = list(import_vcr(folder, out))
    return outcomes, [(folder / done.name, (out / done.name).with_suffix(".json")) for done in outcomes]


@pytest.fixture(scope="module")
def http(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Outcome], list[tuple[Path, Path]]]:
    """The 131 real HTTP cassettes, imported."""
    return imported(real_data / "http-cassettes", tmp_path_factory.mktemp("http"))


LINT = {
    "a value like a key": "like a key",
    "a list whose next page is not recorded": "which is not recorded",
    "the same answer twice running": "twice running",
    "a question and answer that another cassette holds": "holds what",
    "a key that was not scrubbed or the shape of a key": "not scrubbed",
}
"""Row of the table to a word of lint's line."""


def docs_table() -> dict[str, tuple[int, int]]:
    """Row name to its two counts."""
    text = DOCS.read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    return {name: (int(first), int(second)) for name, first, second in rows}


def clear(items: list[Interaction]) -> Iterator[list[Interaction]]:
    """Each interaction alone, its body decoded."""
    for item in items:
        yield [replace(item, body=decoded(item.body, item.headers.get("content-encoding", ())))]


def by_httpx2(recordings: Recordings) -> Ask:
    return asking(httpx2.Client(transport=ReplayTransport(recordings, Cursor())))


def by_httpx(recordings: Recordings) -> Ask:
    return asking(httpx.Client(transport=LegacyReplayTransport(recordings, Cursor())))


def asking(client: Any) -> Ask:
    def ask(method: str, url: str, body: bytes) -> tuple[int, bytes]:
        reply = client.request(method, url, content=body)
        return reply.status_code, reply.content

    return ask


def by_requests(recordings: Recordings) -> Ask:
    session = replay_session(recordings, Cursor())

    def ask(method: str, url: str, body: bytes) -> tuple[int, bytes]:
        reply = session.request(method, url, data=body, allow_redirects=False, stream=True)
        return reply.status_code, b"".join(reply.iter_content(1000))

    return ask


def test_every_real_cassette_is_imported(http: tuple[list[Outcome], list[tuple[Path, Path]]]) -> None:
    """131 cassettes, 184 interactions, no refusal, and no file but the cassettes."""
    outcomes, pairs = http
    assert [done.refusal for done in outcomes if done.refusal] == []
    assert (len(outcomes), sum(done.interactions for done in outcomes)) == (131, 184)
    assert sum(written.is_file() for _, written in pairs) == 131


@pytest.mark.parametrize(
    "client", [by_httpx2, *(pytest.param(one, marks=pytest.mark.check) for one in (by_httpx, by_requests))]
)
def test_every_real_interaction_replays(
    http: tuple[list[Outcome], list[tuple[Path, Path]]], client: Callable[[Recordings], Ask]
) -> None:
    """Asked again in order, each gives the status and the decoded body that was recorded."""
    replayed = 0
    for real, written in http[1]:
        ask = client(Recordings([Cassette.open(written)]))
        for method, url, sent, status, body in exchanges(real):
            assert ask(method, url, sent) == (status, body), f"{real.name}: {method} {url.partition('?')[0]}"
            replayed += 1
    assert replayed == 184


@pytest.mark.check
def test_stock_vcrpy_replays_what_was_imported(http: tuple[list[Outcome], list[tuple[Path, Path]]]) -> None:
    """vcrpy's own player, matching the body too, finds every status and body in the cassettes we wrote."""
    player = vcr.VCR(serializer="json", record_mode="none", match_on=("method", "uri", "body"))
    replayed = 0
    for _, written in http[1]:
        with player.use_cassette(str(written)) as tape, httpx2.Client() as client:
            for item in Cassette.open(written).interactions:
                reply = client.request(item.method, item.uri, content=item.request_body)
                assert (reply.status_code, reply.content) == (item.status, item.body), written.name
                replayed += 1
            assert tape.all_played
    assert replayed == 184


@pytest.mark.check
def test_requests_follows_the_real_redirects(http: tuple[list[Outcome], list[tuple[Path, Path]]]) -> None:
    """A session arrives where the recording holds the place that its Location names, and misses where it does not."""
    arrived = missed = 0
    for real, written in http[1]:
        recordings = Recordings([Cassette.open(written)])
        for (method, url, _, status, _), (_, _, _, _, body) in pairwise(exchanges(real)):
            if status not in (301, 308):
                continue
            session = replay_session(recordings, Cursor())
            location = session.get(url, allow_redirects=False).headers["location"]
            try:
                recordings.play("GET", urljoin(url, location), b"", Cursor())
            except Miss:
                with pytest.raises(Miss):
                    session.request(method, url)
                missed += 1
                continue
            reply = session.request(method, url)
            assert (reply.content, [hop.status_code for hop in reply.history]) == (body, [status]), real.name
            arrived += 1
    assert (arrived, missed) == (14, 1)


@pytest.mark.check
def test_the_docs_tell_what_was_found(
    real_data: Path, http: tuple[list[Outcome], list[tuple[Path, Path]]], tmp_path: Path
) -> None:
    """The counts of docs/cassettes.md are those of the import."""
    told = docs_table()
    for column, folder, outcomes in (
        (0, real_data / "http-cassettes", http[0]),
        (1, real_data / "model-cassettes", imported(real_data / "model-cassettes", tmp_path)[0]),
    ):
        items = [item for done in outcomes for item in read_vcr(folder / done.name)]
        statuses = Counter(item.status for item in items)
        assert {row: cells[column] for row, cells in told.items() if not row.startswith("lint: ")} == {
            "cassettes": len(outcomes),
            "interactions": len(items),
            "refused": sum(bool(done.refusal) for done in outcomes),
            "bodies still compressed": sum("content-encoding" in item.headers for item in items),
            "replies with a header of the encoding": sum(
                not ENCODING_HEADERS.isdisjoint(item.headers) for item in items
            ),
            "bodies that are not text": sum(map(len, (side_files(bodies_of(kept)) for kept in clear(items)))),
            "requests with a value under a credential's name": sum(bool(secrets_of(item)) for item in items),
            "questions with different answers": sum(len(done.notes) for done in outcomes),
            "redirects (301, 308)": statuses[301] + statuses[308],
            "refusals by the server (402, 429)": statuses[402] + statuses[429],
        }


@pytest.mark.soak
def test_the_docs_tell_what_lint_finds(
    real_data: Path, http: tuple[list[Outcome], list[tuple[Path, Path]]], tmp_path: Path
) -> None:
    """The counts of docs/cassettes.md are those of lint, over the imported cassettes taken as one world."""
    told = docs_table()
    pairs = http[1], imported(real_data / "model-cassettes", tmp_path)[1]
    for column, written in enumerate(sorted(path for _, path in found) for found in pairs):
        cassettes = {path: Cassette.open(path) for path in written}
        faults = [what for _, what in cassette_faults(cassettes)]
        faults += [what for cassette in cassettes.values() for what in find_secrets(cassette)]
        found = Counter(next((name for name, mark in LINT.items() if mark in what), what) for what in faults)
        assert {row: cells[column] for row, cells in told.items() if row.startswith("lint: ")} == {
            f"lint: {name}": found.pop(name, 0) for name in LINT
        }
        assert not found


def parsed(body: bytes) -> Iterator[Any]:
    """The JSON of a completion, or of each event of a streamed one."""
    if body.startswith(b"data:"):
        lines = (line.removeprefix(b"data: ") for line in body.splitlines() if line.startswith(b"data: "))
        yield from (json.loads(line) for line in lines if line != b"[DONE]")
    else:
        yield json.loads(body)


def tool_calls(value: Any) -> int:
    """How many tool calls stand in a completion or an event."""
    choices = value.get("choices", [])
    return sum(len((choice.get("message") or choice.get("delta")).get("tool_calls") or ()) for choice in choices)


@pytest.mark.check
def test_the_openai_client_gets_the_recorded_completions(real_data: Path, tmp_path: Path) -> None:
    """Every recorded completion comes back through the client as it was, streamed ones event by event."""
    outcomes, pairs = imported(real_data / "model-cassettes", tmp_path)
    assert [done.refusal for done in outcomes if done.refusal] == [] and len(pairs) == 32
    whole = streamed = called = 0
    for real, written in pairs:
        transport = ReplayTransport(Recordings([Cassette.open(written)]), Cursor())
        for _, url, sent, _, body in exchanges(real):
            base_url, found, _ = url.partition("/chat/completions")
            if not found:
                continue
            client = openai.OpenAI(
                api_key="any", base_url=base_url, http_client=httpx2.Client(transport=transport), max_retries=0
            )
            reply = client.chat.completions.create(**json.loads(sent))
            got = list(reply) if isinstance(reply, openai.Stream) else [reply]
            shown = [part.to_dict(mode="json") for part in got]
            assert shown == list(parsed(body)), real.name
            streamed += isinstance(reply, openai.Stream)
            whole += not isinstance(reply, openai.Stream)
            called += sum(tool_calls(part) for part in shown)
    assert (whole, streamed, called) == (76, 64, 674)

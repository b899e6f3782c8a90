"""Model traffic recorded and replayed: whole runs, a fickle server, bad ones, and what strangers recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

from caia_replay.agents.resolve import resolve_agent
from caia_replay.analysis.audit import audit
from caia_replay.analysis.diff import first_difference
from caia_replay.analysis.finished_run import open_run
from caia_replay.cassette.cassette import Interaction
from caia_replay.cassette.egress import egress_guard
from caia_replay.core.agent import Budget
from caia_replay.core.message import Message, ToolCall
from caia_replay.core.model import Model, PolicyHints, RunKey
from caia_replay.core.tape import TapedReply, TapedTurn
from caia_replay.core.tool import ToolSpec
from caia_replay.errors import BadInput, ModelFault
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.models.recorded import RecordedModel, TapePlayer
from caia_replay.models.retry import Patience
from caia_replay.models.session_header import RUN_HEADER, TURN_HEADER, run_text
from caia_replay.models.tape_recorder import recording
from caia_replay.recording.content_coding import decoded
from caia_replay.recording.vcr_file import read_vcr
from caia_replay.runner.certificate import certify
from caia_replay.runner.episode import EpisodeContext
from caia_replay.runner.plan import Cell, RunPlan, make_plan
from caia_replay.runner.replay import Finished, replay
from caia_replay.store.results import read_table
from caia_replay.store.tape_folder import TapeFolder, open_tape
from caia_replay.store.tape_publication import TapeWriter, publish
from caia_replay.store.world_folder import WorldFolder, open_world
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from tests.bad_server import WAYS, BadServer
from tests.chat_server import ChatServer, Entry
from tests.cli_shell import Shell
from tests.echo_law import PLACES, heard, leaks, repeated
from tests.live_draft import Reply, answering
from tests.trajectories import entries

LARGE = ("huge_content", "two_hundred_calls")
TASK = "mini6-base-fee-bound"
CELL = Cell("clean", "tools")
SECRET = "sk-secret-0123456789"
FETCH = {"name": "time_conversion", "arguments": '{"time": "now"}'}


def fickle(attempt: int, turn: int, number: int) -> tuple[int, str, bytes]:
    """Attempt 1 answers at once; 2 and 3 after as many calls, 3 in streams; 4 is refused; 5 is too long."""
    if attempt == 5 and turn:
        return 400, "application/json", b'{"error": {"code": "context_length_exceeded", "message": "too long"}}'
    delta: dict[str, Any] = {"role": "assistant", "content": f"FINAL ANSWER: {attempt}.{number}"}
    if attempt == 4:
        delta = {"role": "assistant", "content": None, "refusal": f"No, for the time number {number}."}
    elif turn < attempt - 1:
        calls = [{"index": at, "id": f"c{at}", "type": "function", "function": FETCH} for at in range(attempt - 1)]
        delta = {"role": "assistant", "content": None, "tool_calls": calls}
    field = "delta" if attempt == 3 else "message"
    whole: dict[str, Any] = {"choices": [{"index": 0, field: delta, "finish_reason": "stop"}]}
    if attempt == 3:
        return 200, "text/event-stream", b"data: %s\n\ndata: [DONE]\n\n" % json.dumps(whole).encode()
    usage = {"prompt_tokens": 1_000 + number, "completion_tokens": 9, "total_tokens": 1_009 + number}
    return 200, "application/json", json.dumps(whole | {"usage": usage}).encode()


def fickle_server() -> AbstractContextManager[str]:
    """Answers each of five attempts, which it tells by their seeds, in another way; no two replies are alike."""
    replies = count(1)

    def answer(asked: BaseHTTPRequestHandler, content: bytes) -> Reply:
        body, number = json.loads(content), next(replies)
        if any("caia" in name.lower() for name in asked.headers):
            return 500, [], b""
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        status, kind, data = fickle(body["seed"], turn, number)
        return status, [("content-type", kind), ("set-cookie", "session=0123456789")], data

    return answering(answer)


@pytest.fixture
def folder(mini: Path, monkeypatch: pytest.MonkeyPatch) -> WorldFolder:
    """A copy of the shipped world, the current folder beside it; no key and no address in the environment."""
    monkeypatch.chdir(mini)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return open_world("mini-6")


def play(plan: RunPlan, folder: WorldFolder, out: str) -> Finished:
    return replay(plan, folder, Path(out), workers=1, resume=False, replace=False)


def planned(folder: WorldFolder, model: str, **options: Any) -> RunPlan:
    return make_plan(folder, tasks=[TASK], arms=["clean"], model=model, runs=5, **options)


def recorded(folder: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> Finished:
    """Five attempts at one task, recorded as the tape ``five``; the server is gone afterwards, and so is the key."""
    with monkeypatch.context() as patch, fickle_server() as address:
        patch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        patch.setenv("OPENAI_API_KEY", SECRET)
        return play(planned(folder, "some-model", record_model="five"), folder, "live")


def rows(out: Path) -> list[dict[str, Any]]:
    return list(read_table(out / CELL.folder / "results.parquet"))


def test_five_different_attempts_replay_with_an_equal_certificate(
    folder: WorldFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without key, server or network; only the model's label differs, and the runs differ from one another."""
    done = recorded(folder, monkeypatch)
    with egress_guard():
        again = play(planned(folder, "recorded/five"), folder, "again")
    assert first_difference(done.out, again.out) is None
    assert [cell["digest"] for cell in done.summaries] == [cell["digest"] for cell in again.summaries] != [None]
    assert [row["stop"] for row in rows(again.out)] == [*["answered"] * 3, "refused", "context_overflow"]
    for out in (done.out, again.out):  # refused, too long for the model, and streamed: said again without a tape
        assert audit(open_run(out, Path.cwd()), 1, lambda _: None) is None
    assert len({row["answer"] for row in rows(again.out)[:3]}) == 3
    assert (done.summaries[0]["model"], again.summaries[0]["model"]) == ("some-model", "recorded/five")


def test_a_tape_holds_nothing_that_it_should_not(folder: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, cookie, address or clock; runs in their place; the run folder keeps no copy."""
    done = recorded(folder, monkeypatch)
    tape = open_tape("five", Path.cwd())
    names = sorted(path.relative_to(tape.path).as_posix() for path in tape.path.rglob("*.json"))
    assert names == [*(f"react/clean-tools/{TASK}/{attempt}.json" for attempt in range(1, 6)), "tape.json"]
    whole = b"".join(path.read_bytes() for path in tape.path.rglob("*.json")).lower()
    for word in (SECRET, "127.0.0.1", "cookie", "session=", "authorization", "bearer", "x-caia", 'date":'):
        assert word.encode() not in whole, word
    assert done.tape is not None and done.tape.resolve() == tape.path.resolve() and not (done.out / "tape").exists()


def test_what_was_not_recorded_ends_runs_as_tape_misses(folder: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt that changed names the message; an agent nobody recorded names the nearest run; neither is scored."""
    recorded(folder, monkeypatch)
    changed = play(planned(folder, "recorded/five", turns=7), folder, "changed")
    told = [row for row in rows(changed.out) if row["stop"] == "tape_miss" and row["correct"] is None]
    assert len(told) == 5 and "turn 1: message 1 (system): from character" in changed.causes[0]
    other = play(planned(folder, "recorded/five", agent="caia"), folder, "other")
    assert {row["stop"] for row in rows(other.out)} == {"tape_miss"}
    assert f"nearest: task {TASK}, arm clean, condition tools, agent react, attempt 1" in other.causes[0]


def test_a_damaged_tape_is_refused_before_it_misleads(folder: WorldFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """One changed letter in one run's file: exit code 2, the file named."""
    recorded(folder, monkeypatch)
    file = Path("model_tapes/five/react/clean-tools", TASK, "2.json")
    file.write_text(file.read_text("utf-8").replace("FINAL ANSWER: 2", "FINAL ANSWER: 3"), "utf-8")
    with pytest.raises(BadInput, match=rf"{TASK}/2\.json: differs from what was recorded"):
        play(planned(folder, "recorded/five"), folder, "again")
    with pytest.raises(BadInput, match=r"no model tape 'fiv'.*nearest: five"):
        play(planned(folder, "recorded/fiv"), folder, "again")


@pytest.fixture(scope="module")
def world(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world, open."""
    with FrozenWorld(open_world(str(shipped))) as opened:
        yield opened


def record_of(world: FrozenWorld, model: Model) -> dict[str, Any]:
    """One run's record."""
    plan = make_plan(world.folder, tasks=[TASK], arms=["clean"], model="m", runs=1)
    stage = EpisodeContext(
        plan, world, model, resolve_agent("react"), {"clean": NO_OVERLAY, "attacked": NO_OVERLAY}, Budget(turns=6)
    )
    return stage.run(world.folder.task(TASK), CELL, 1)


@pytest.mark.parametrize("way", [pytest.param(way, marks=[pytest.mark.check] * (way in LARGE)) for way in WAYS])
def test_however_badly_a_server_speaks_its_run_replays(way: str, world: FrozenWorld, tmp_path: Path) -> None:
    """Every way of tests/bad_server.py, recorded once: the replay needs no server and has the same certificate."""
    server = BadServer(way)
    timeout_s = 0.3 if WAYS[way].ends.endswith("timeout") else 60.0
    patience = Patience(longest_s=10, total_s=8, sleep=lambda _: None)
    live = OpenAICompatibleModel("m", server.base_url, SECRET, timeout_s=timeout_s, max_retries=4, patience=patience)
    heard = record_of(world, recording(live, TapeWriter(tmp_path / "kept")))
    live.close()
    server.close()
    publish(tmp_path / "kept", "bad", tmp_path, suite="mini-6", model="m", price=None)
    model = RecordedModel("recorded/bad", open_tape("bad", tmp_path))
    with egress_guard():
        again = record_of(world, model)
    model.close()
    assert again["stop"] == heard["stop"], (heard["detail"], again["detail"])
    assert certify({}, [again])["digest"] == certify({}, [heard])["digest"]
    assert not [path for path in tmp_path.rglob("*.json") if SECRET in path.read_text("utf-8")]


@pytest.fixture(scope="module")
def strangers(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[RunKey, TapeFolder]]:
    """The 32 cassettes of other people's completions, one tape each."""
    root, found = tmp_path_factory.mktemp("strangers"), []
    for path in sorted((real_data / "model-cassettes" / "mirascope").glob("*.yaml")):
        key = RunKey(path.stem, "clean", "tools", "imported", 1)
        chats = [item for item in read_vcr(path) if item.uri.endswith("/chat/completions")]
        TapeWriter(root / "kept" / path.stem).keep(key, tuple(map(taped, chats)))
        publish(root / "kept" / path.stem, path.stem, root, suite="imported", model="m", price=None)
        found.append((key, open_tape(path.stem, root)))
    return found


def taped(item: Interaction) -> TapedTurn:
    """One of their exchanges as a turn of ours."""
    body = decoded(item.body, item.headers.get("content-encoding", ()), 2**24)
    kind = next(iter(item.headers.get("content-type", ())), "")
    return TapedTurn(item.request_body.decode(), TapedReply(item.status, kind, body.decode()))


Said = tuple[str, list[tuple[str, str, str]]]
"""A completion's text, and each call's id, name and arguments."""


def read_body(reply: TapedReply) -> Said:
    """What a reply says, read without our code."""
    if not reply.content_type.startswith("text/event-stream"):
        message = json.loads(reply.body)["choices"][0]["message"]
        calls = [(call["id"], call["function"]) for call in message.get("tool_calls") or ()]
        return message["content"] or "", [(name, said["name"], said["arguments"]) for name, said in calls]
    text, found = "", {}
    for line in reply.body.splitlines():
        if not line.startswith("data: ") or line == "data: [DONE]":
            continue
        for choice in json.loads(line[6:])["choices"]:
            text += choice["delta"].get("content") or ""
            for piece in choice["delta"].get("tool_calls") or ():
                if "name" in piece["function"]:
                    found[piece["index"]] = [piece["id"], piece["function"]["name"], ""]
                found[piece["index"]][2] += piece["function"]["arguments"]
    return text, [(name, tool, arguments) for name, tool, arguments in found.values()]


def asked(body: Mapping[str, Any]) -> tuple[list[Message], list[ToolSpec]]:
    """A request's messages and tools as an agent would hold them."""
    messages = []
    for item in body["messages"]:
        assert not item.keys() - {"role", "content", "tool_calls", "tool_call_id", "annotations"}
        calls = [(call["id"], call["function"]) for call in item.get("tool_calls") or ()]
        made = tuple(ToolCall(name, said["name"], said["arguments"]) for name, said in calls)
        messages.append(Message(item["role"], item.get("content") or "", made, item.get("tool_call_id")))
    functions = [tool["function"] for tool in body.get("tools", ())]
    return messages, [
        ToolSpec(said["name"], said["description"], said["parameters"], "c", "open-web") for said in functions
    ]


@pytest.mark.real
def test_real_completions_replay_through_the_same_code(strangers: list[tuple[RunKey, TapeFolder]]) -> None:
    """Each of 140, 64 of them streams, asked as an agent asks, says what an independent reader finds in its body."""
    turns = streams = 0
    for key, tape in strangers:
        model = RecordedModel(f"recorded/{key.task}", tape)
        session = model.session(key, PolicyHints(""))
        for turn in tape.turns(key) or ():
            assert isinstance(turn.outcome, TapedReply)
            completion = session.complete(*asked(json.loads(turn.request)))
            got = completion.message
            assert (got.content, [(call.id, call.name, call.arguments) for call in got.tool_calls]) == read_body(
                turn.outcome
            )
            assert completion.usage.reported and (got.content or got.tool_calls)
            turns += 1
            streams += turn.outcome.content_type.startswith("text/event-stream")
        model.close()
    assert (len(strangers), turns, streams) == (32, 140, 64)


@pytest.mark.real
@pytest.mark.check
def test_real_requests_replay_to_the_byte(strangers: list[tuple[RunKey, TapeFolder]]) -> None:
    """Each recorded request, sent as it was, gets its own turn's reply, and a letter more in it gets a miss."""
    for key, tape in strangers:
        player, turns = TapePlayer(), tape.turns(key) or ()
        player.put(key, turns)
        with httpx2.Client(transport=player) as client:
            for number, turn in enumerate(turns, 1):
                headers = {RUN_HEADER: run_text(key), TURN_HEADER: str(number)}
                reply = client.post("http://tape.invalid/v1/chat/completions", content=turn.request, headers=headers)
                assert isinstance(turn.outcome, TapedReply)
                assert (reply.status_code, reply.text) == (turn.outcome.status, turn.outcome.body)
                other = turn.request.replace('"role":"user","content":"', '"role":"user","content":"x', 1)
                with pytest.raises(ModelFault, match=r"message [1-9] \(user\): from character 1, recorded"):
                    client.post("http://tape.invalid/v1/chat/completions", content=other, headers=headers)


ECHOES = ["arguments", "call name", "content", "refusal", "finish reason", "model name", "error message", "error code",
          "error name", "a list", "coding", "event pieces", "usage", "unknown field", "location"]  # fmt: skip


@pytest.mark.check
def test_an_echo_leaves_no_secret_in_file_line_or_process(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a whole recorded replay behind a proxy; and what a server says reaches no terminal raw."""
    server, processes = ChatServer(), set[str]()

    def answer(headers: dict[str, str]) -> Entry:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):  # it is over
                processes.add(path.read_bytes().decode("utf-8", "replace"))
        body = server.received[-1][1]
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        return PLACES[ECHOES[body["seed"] % len(ECHOES) if turn else 0]](repeated(headers))

    server.plan = [answer]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://deploy-robot-7:p%40ss%2Fword%2B1@llm.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("http_proxy", server.base_url.replace("//", "//gate-robot-42:w%26rd-9-0@").removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", "")
    told = shell("replay", "--model", "some-model", "--suite", "mini-6", "--task", TASK, "--arm", "clean",
                 "--runs", len(ECHOES), "--max-turns", 3, "--record-model", "echo", "--out", "out",
                 "--concurrency", 1)  # fmt: skip
    server.close()
    lines = "\n".join(map(str, told))
    secrets = [SECRET, *heard(server.received[-1][0])]
    assert {"p@ss/word+1", "w&rd-9-0", "deploy-robot-7:p@ss/word+1"} <= set(secrets) and len(server.received) > 20
    assert lines.replace("\n", "").isprintable() and "model tape: " in lines, lines
    files = [path for place in ("out", "model_tapes/echo") for path in Path(place).rglob("*") if path.is_file()]
    texts = [path.read_text("utf-8") for path in files if path.suffix == ".json"]
    texts += [str(list(read_table(path))) for path in files if path.suffix == ".parquet"]
    texts += [data.decode() for path in files if path.suffix == ".zip" for data in entries(path.parent).values()]
    assert len(texts) > 2 * len(ECHOES) and {path.suffix for path in files} == {".json", ".parquet", ".zip"}
    assert [leaks(text, secrets) for text in (lines, *texts, *processes)] == [[]] * (1 + len(texts) + len(processes))

"""Other people's cassettes as tapes: what is taken, what is left out, and what is refused."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from vcr.serializers import yamlserializer

from caia_replay.core.model import RunKey
from caia_replay.core.tape import TapedReply
from caia_replay.errors import BadInput
from caia_replay.recording.import_tape import import_tape
from caia_replay.store.tape_folder import open_tape

URL = "https://api.example/v1/chat/completions"
SECRET = "Zq81-not-a-real-key-7Tp"
ASKED = {"model": "m-1", "messages": [{"role": "user", "content": "What?"}]}


def exchange(
    body: Any = "{}",
    *,
    asked: Any = ASKED,
    uri: str = URL,
    method: str = "POST",
    status: int = 200,
    sent: dict[str, list[str]] | None = None,
    headers: dict[str, list[str]] | None = None,
) -> dict[str, Any]:
    request = {"method": method, "uri": uri, "headers": sent or {}}
    request["body"] = asked if isinstance(asked, str) else json.dumps(asked)
    got = {"content-type": ["application/json"]} if headers is None else headers
    response = {"status": {"code": status, "message": ""}, "headers": got, "body": {"string": body}}
    return {"request": request, "response": response}


def written(path: Path, *exchanges: dict[str, Any]) -> Path:
    content = {"version": 1, "interactions": list(exchanges)}
    path.write_text(json.dumps(content) if path.suffix == ".json" else yamlserializer.serialize(content), "utf-8")
    return path


def outcomes(root: Path, name: str, key: RunKey) -> list[TapedReply]:
    turns = open_tape(name, root).turns(key)
    assert turns is not None
    return [turn.outcome for turn in turns if isinstance(turn.outcome, TapedReply)]


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json"])
def test_a_cassette_becomes_a_run_of_its_name(tmp_path: Path, suffix: str) -> None:
    """One turn per interaction, retries too, in the file's order, without its coding; the model is the tape's label."""
    packed = exchange(gzip.compress(b'{"a": 1}'), headers={"content-encoding": ["gzip"]})
    exchanges = [
        exchange("busy", status=429, headers={}),
        exchange('{"é": 1}'),
        *([packed] if suffix != ".json" else []),
    ]
    run = import_tape(written(tmp_path / f"a-run{suffix}", *exchanges), "theirs", tmp_path)
    assert (run.key, run.left_out) == (RunKey("a-run", "clean", "tools", "imported", 1), ())
    assert outcomes(tmp_path, "theirs", run.key) == [
        TapedReply(429, "", "busy"), TapedReply(200, "application/json", '{"é": 1}'), TapedReply(200, "", '{"a": 1}'),
    ][: run.turns]  # fmt: skip
    header = open_tape("theirs", tmp_path).header
    assert (header.model, header.suite, header.price, run.turns) == ("m-1", "imported", None, len(exchanges))


def test_a_second_cassette_joins_its_model(tmp_path: Path) -> None:
    """Other runs of one model are one tape; another model's are not."""
    import_tape(written(tmp_path / "one.json", exchange()), "t", tmp_path)
    import_tape(written(tmp_path / "two.json", exchange()), "t", tmp_path)
    assert [key.task for key in open_tape("t", tmp_path).runs] == ["one", "two"]
    with pytest.raises(BadInput, match="of model 'm-1', not 'm-2'"):
        import_tape(written(tmp_path / "three.json", exchange(asked=ASKED | {"model": "m-2"})), "t", tmp_path)


def test_credentials_and_headers_stay_behind(tmp_path: Path) -> None:
    """A key in a header, the address or a parameter is not on the tape, nor is any cookie or the address."""
    sent = {"Authorization": [f"Bearer {SECRET}"], "Cookie": [f"a={SECRET}"]}
    got = {"set-cookie": [f"a={SECRET}"], "content-type": ["application/json"], "openai-organization": ["somebody"]}
    asked = ASKED | {"api_key": SECRET}
    path = written(tmp_path / "keys.json", exchange(asked=asked, uri=f"{URL}?api-key={SECRET}", sent=sent, headers=got))
    run = import_tape(path, "t", tmp_path)
    whole = "".join(file.read_text("utf-8") for file in (tmp_path / "model_tapes").rglob("*.json"))
    assert SECRET not in whole and "cookie" not in whole and "somebody" not in whole and "api.example" not in whole
    turns = open_tape("t", tmp_path).turns(run.key)
    assert turns and json.loads(turns[0].request) == ASKED | {"api_key": "SCRUBBED"}


@pytest.mark.parametrize("said", [SECRET, b64encode(b"x" + SECRET.encode()).decode()])
def test_a_reply_that_repeats_the_key_is_refused(tmp_path: Path, said: str) -> None:
    """A recorded answer may not be changed, and a key may not be kept; the message has no letter of it."""
    path = written(tmp_path / "c.json", exchange(json.dumps({"a": said}), sent={"Authorization": [f"Bearer {SECRET}"]}))
    with pytest.raises(BadInput, match="a credential of 23 characters") as caught:
        import_tape(path, "t", tmp_path)
    assert SECRET not in str(caught.value) and not (tmp_path / "model_tapes").exists()


def test_what_is_no_chat_completion_is_left_out(tmp_path: Path) -> None:
    """Each is named, without its query; the turns around it close ranks."""
    others = [
        exchange(uri="https://api.example/v1/embeddings?key=" + SECRET),
        exchange(method="GET"),
        exchange(asked="no JSON"),
        exchange(asked=[1]),
        exchange(asked={"messages": "none"}),
    ]
    run = import_tape(written(tmp_path / "c.json", exchange("1"), *others, exchange("2")), "t", tmp_path)
    assert [reply.body for reply in outcomes(tmp_path, "t", run.key)] == ["1", "2"] and len(run.left_out) == len(others)
    assert run.left_out[0] == "interaction 1 is no chat completion: POST api.example/v1/embeddings"


@pytest.mark.parametrize(
    ("name", "exchanges", "told"),
    [
        ("c.json", [], "holds no chat completion"),
        ("c.json", [exchange(method="GET")], "holds no chat completion"),
        ("c.yaml", [exchange(b"\xff\xfe")], "interaction 0: its body is no text"),
        ("c.yaml", [exchange(b"\x1f\x8b\x08", headers={"content-encoding": ["gzip"]})], "its body is cut short"),
        ("c.json", [exchange(status=101)], "status code is 101"),
        ("c.json", [{"request": {}}], "lacks the field"),
        ("two words.json", [exchange()], "'two words' cannot name a file"),
    ],
)
def test_what_makes_no_run_is_refused(tmp_path: Path, name: str, exchanges: list[Any], told: str) -> None:
    """In one line, and nothing is written."""
    with pytest.raises(BadInput, match=told):
        import_tape(written(tmp_path / name, *exchanges), "t", tmp_path)
    assert not (tmp_path / "model_tapes").exists()

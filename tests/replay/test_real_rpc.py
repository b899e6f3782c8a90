"""JSON-RPC replies that others recorded from real nodes: served by method and parameters, whatever the request's id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web3 import HTTPProvider

from caia_replay.cassette.cassette import Cassette, Interaction, cassette_bytes
from caia_replay.cassette.index import CassetteIndex, Source
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.cassette.requests_adapter import replay_session
from caia_replay.errors import Miss

pytestmark = pytest.mark.real

NODE = "https://node.example/"
IDS = st.none() | st.integers() | st.text(max_size=12)


def call(question: tuple[str, ...], number: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": question[0], "params": list(question[1:])}


def asked(question: tuple[str, ...], number: Any, **how: Any) -> bytes:
    """The same call in the spelling ``how`` gives to ``json.dumps``."""
    return json.dumps(call(question, number), **how).encode()


@pytest.fixture(scope="module")
def samples(real_data: Path) -> dict[tuple[str, ...], Any]:
    """Method and parameters, both from a file's name, to the result in it."""
    found: dict[tuple[str, ...], Any] = {}
    for path in sorted((real_data / "rpc-samples").glob("*response.*.json")):
        space, name, *words = path.stem.rpartition("response.")[2].split("_")
        found[(f"{space}_{name}", *filter(None, words))] = json.loads(path.read_text("utf-8"))["result"]
    assert len(found) > 40
    return found


@pytest.fixture(scope="module")
def recordings(samples: dict[tuple[str, ...], Any], tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    """All samples as recorded under ids of their own, behind an index file."""
    items = []
    for number, (question, result) in enumerate(samples.items()):
        reply = json.dumps({"jsonrpc": "2.0", "id": f"recorded-{number}", "result": result}).encode()
        body = asked(question, f"recorded-{number}")
        items.append(Interaction("POST", NODE, body, {}, 200, "OK", {"content-type": ("application/json",)}, reply))
    folder = tmp_path_factory.mktemp("rpc")
    path = folder / "node.json"
    path.write_bytes(cassette_bytes(items))
    assert len(Cassette.open(path).interactions) == len(samples)
    return Recordings.over(CassetteIndex([Source.of(path)], folder / "cache" / "http", "node").store(), ("node",))


def test_every_sample_is_served_under_any_id(samples: dict[tuple[str, ...], Any], recordings: Recordings) -> None:
    """The id of the request comes back, of whatever kind, and the result is the recorded one, in any spelling."""
    every = list(samples.items())

    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(
        st.sampled_from(every),
        IDS,
        st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"sort_keys": True}]),
    )
    def serve(sample: tuple[tuple[str, ...], Any], number: Any, how: dict[str, Any]) -> None:
        question, result = sample
        reply = recordings.play("POST", NODE, asked(question, number, **how), Cursor())
        assert json.loads(reply.body) == {"jsonrpc": "2.0", "id": number, "result": result}

    serve()
    for number, (question, result) in enumerate(every):
        reply = json.loads(recordings.play("POST", NODE, asked(question, number), Cursor()).body)
        assert (reply["id"], reply["result"]) == (number, result)


def test_web3_reads_them_all_under_its_own_ids(samples: dict[tuple[str, ...], Any], recordings: Recordings) -> None:
    """web3's provider counts its ids up; every one of its calls is answered with the id it just sent."""
    provider = HTTPProvider(NODE, session=replay_session(recordings, Cursor()))
    for _ in range(2):
        for question, result in samples.items():
            reply = provider.make_request(question[0], list(question[1:]))  # type: ignore[arg-type]
            assert reply["result"] == result
            assert isinstance(reply["id"], int)


def test_another_method_or_parameter_is_a_miss(samples: dict[tuple[str, ...], Any], recordings: Recordings) -> None:
    """One word changed, added or left out of a recorded call is not that call."""
    for question in samples:
        for other in ((f"{question[0]}x", *question[1:]), (*question, "0x1"), (*question[:-1], "0xdead")):
            if other not in samples:
                with pytest.raises(Miss):
                    recordings.play("POST", NODE, asked(other, 1), Cursor())

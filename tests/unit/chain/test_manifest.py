"""Behaviour of the manifest and its seal."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay import canonical
from caia_replay.chain import manifest
from caia_replay.chain.claim import Claim, Claims
from caia_replay.chain.manifest import FileSeal, SnapshotInfo
from caia_replay.errors import BadInput, SealBroken

ONE, TWO = b"\x01" * 20, b"\x02" * 32
CLAIMS = Claims.of([
    Claim("logs", 0, 9), Claim("logs", 4, 7, frozenset([ONE]), (frozenset(), frozenset([TWO]))),
    Claim("storage", 3, 9, frozenset([ONE])),
])  # fmt: skip
HARDFORKS = {0: "shanghai", 5: "cancun"}
INFO = SnapshotInfo("tiny", 7, HARDFORKS, ((3, 4), (8, 9)), "synthetic", "Ω", CLAIMS, {3: ("miner", "gasLimit")})
DATA = manifest.render(INFO, {"a.parquet": FileSeal("sha256:" + "0" * 64, 4)})


def test_a_manifest_is_read_as_it_was_written() -> None:
    """Info, file seals and digest survive."""
    read = manifest.parse(DATA, "here")
    assert replace(read.info, reconstructed=INFO.reconstructed) == INFO and read.written_in == 2
    assert read.info.reconstructed == {3: ("gasLimit", "miner")}
    assert read.files == {"a.parquet": FileSeal("sha256:" + "0" * 64, 4)}
    assert read.digest == json.loads(DATA)["digest"]


@settings(max_examples=150)
@given(at=st.integers(0, len(DATA) - 1), byte=st.integers(0, 255), how=st.sampled_from(["set", "drop", "insert"]))
def test_any_changed_byte_is_seen(at: int, byte: int, how: str) -> None:
    """No single byte can be set, dropped or inserted without a typed refusal."""
    changed = DATA[:at] + (b"" if how == "drop" else bytes([byte])) + DATA[at + (how != "insert") :]
    if changed != DATA:
        with pytest.raises(BadInput):
            manifest.parse(changed, "here")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("chain", "../x"),
        ("chain", 3),
        ("chain_id", True),
        ("chain_id", -1),
        ("chain_id", 1180591620717411303424),
        ("hardforks", []),
        ("hardforks", [{"from": 0, "name": "next"}]),
        ("hardforks", [{"from": 0, "name": None}]),
        ("hardforks", [{"from": 4, "name": "cancun"}]),
        ("hardforks", [{"from": 0, "name": "cancun"}, {"from": 0, "name": "cancun"}]),
        ("hardforks", {"0": "cancun"}),
        ("heights", []),
        ("heights", [1, 2]),
        ("heights", {"from": 1, "to": 2}),
        ("heights", [{"from": 2, "to": 1}]),
        ("heights", [{"from": "1", "to": 2}]),
        ("heights", [{"from": 3, "to": 4}, {"from": 5, "to": 6}]),
        ("complete", {}),
        ("complete", [{"table": "cats", "from": 0, "to": 1}]),
        ("complete", [{"table": "codes", "from": 0, "to": 1}]),
        ("complete", [{"table": "logs", "from": 0}]),
        ("complete", [{"table": "logs", "from": 2, "to": 1}]),
        ("complete", [{"table": "logs", "from": 0, "to": 1}, {"table": "logs", "from": 2, "to": 3}]),
        ("complete", [{"table": "blocks", "from": 0, "to": 1, "addresses": ["0x" + "01" * 20]}]),
        ("complete", [{"table": "storage", "from": 0, "to": 1, "topics": [["0x" + "01" * 32]]}]),
        ("complete", [{"table": "logs", "from": 0, "to": 1, "addresses": ["0x01"]}]),
        ("reconstructed", {"-1": ["a"]}),
        ("reconstructed", {"1": 5}),
        ("reconstructed", {"1": [5]}),
        ("provenance", "guess"),
        ("source", None),
        ("schema_version", 0),
        ("schema_version", 1),
        ("schema_version", 3),
        ("schema_version", True),
        ("files", []),
        ("files", {"a": 1}),
        ("files", {"a": {"digest": "x", "rows": 1}}),
        ("more", 1),
    ],
)
def test_a_sealed_but_impossible_manifest_is_bad_input(key: str, value: Any) -> None:
    """A right digest does not excuse wrong types, names or ranges."""
    body = {**json.loads(DATA), key: value}
    del body["digest"]
    data = canonical.pretty_bytes({**body, "digest": canonical.digest(body)})
    with pytest.raises(BadInput):
        manifest.parse(data, "here")


def test_an_edited_manifest_names_the_sealing_command() -> None:
    """Who edits by hand is told how to seal again."""
    with pytest.raises(SealBroken, match="caia-replay lint --seal here"):
        manifest.parse(DATA.replace(b'"chain_id": 7', b'"chain_id": 8'), "here")


def test_impossible_info_is_refused_before_writing() -> None:
    """A hardfork that Anvil does not know names the nearest one."""
    with pytest.raises(BadInput, match="nearest: cancun"):
        manifest.check_info(replace(INFO, hardforks={0: "cancum"}))


def test_a_newer_schema_is_refused_by_its_number() -> None:
    """Who has an older caia-replay than the snapshot is told so, not that a field is wrong."""
    body = {**json.loads(DATA), "schema_version": 3, "shape": "unheard of"}
    del body["digest"]
    data = canonical.pretty_bytes({**body, "digest": canonical.digest(body)})
    with pytest.raises(BadInput, match=r"schema version 3, newer than this caia-replay reads.*version 2.*next: "):
        manifest.parse(data, "here")

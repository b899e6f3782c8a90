"""The manifest, its seal, its claims, and folders of an older schema."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay import canonical
from caia_replay.chain import manifest
from caia_replay.chain.claim import Claim, Claims, Topics, joined_spans, spans_of, spans_words
from caia_replay.chain.manifest import FileSeal, SnapshotInfo
from caia_replay.chain.manifest_upgrade import tables_since
from caia_replay.chain.node_answer import answer
from caia_replay.chain.snapshot import Snapshot
from caia_replay.chain.snapshot_schema import reseal
from caia_replay.errors import BadInput, Miss, SealBroken

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
        ("chain", "../x"), ("chain", 3), ("chain_id", True), ("chain_id", -1), ("chain_id", 1180591620717411303424),
        ("hardforks", []), ("hardforks", [{"from": 0, "name": "next"}]), ("hardforks", [{"from": 0, "name": None}]),
        ("hardforks", [{"from": 4, "name": "cancun"}]),
        ("hardforks", [{"from": 0, "name": "cancun"}, {"from": 0, "name": "cancun"}]), ("hardforks", {"0": "cancun"}),
        ("heights", []), ("heights", [1, 2]), ("heights", {"from": 1, "to": 2}), ("heights", [{"from": 2, "to": 1}]),
        ("heights", [{"from": "1", "to": 2}]), ("heights", [{"from": 3, "to": 4}, {"from": 5, "to": 6}]),
        ("complete", {}), ("complete", [{"table": "cats", "from": 0, "to": 1}]),
        ("complete", [{"table": "codes", "from": 0, "to": 1}]), ("complete", [{"table": "logs", "from": 0}]),
        ("complete", [{"table": "logs", "from": 2, "to": 1}]),
        ("complete", [{"table": "logs", "from": 0, "to": 1}, {"table": "logs", "from": 2, "to": 3}]),
        ("complete", [{"table": "blocks", "from": 0, "to": 1, "addresses": ["0x" + "01" * 20]}]),
        ("complete", [{"table": "storage", "from": 0, "to": 1, "topics": [["0x" + "01" * 32]]}]),
        ("complete", [{"table": "logs", "from": 0, "to": 1, "addresses": ["0x01"]}]), ("reconstructed", {"-1": ["a"]}),
        ("reconstructed", {"1": 5}), ("reconstructed", {"1": [5]}), ("provenance", "guess"), ("source", None),
        ("schema_version", 0), ("schema_version", 1), ("schema_version", 3), ("schema_version", True), ("files", []),
        ("files", {"a": 1}), ("files", {"a": {"digest": "x", "rows": 1}}), ("more", 1),
    ],
)  # fmt: skip
def test_a_sealed_but_impossible_manifest_is_bad_input(key: str, value: Any) -> None:
    """A right digest does not excuse wrong types, names or ranges."""
    body = {**json.loads(DATA), key: value}
    del body["digest"]
    data = canonical.pretty_bytes({**body, "digest": canonical.digest(body)})
    with pytest.raises(BadInput):
        manifest.parse(data, "here")


def test_an_edited_or_newer_manifest_is_refused_with_the_way_out() -> None:
    """The sealing command, the nearest hardfork, and the schema version that is too new."""
    with pytest.raises(SealBroken, match="caia-replay lint --seal here"):
        manifest.parse(DATA.replace(b'"chain_id": 7', b'"chain_id": 8'), "here")
    with pytest.raises(BadInput, match="nearest: cancun"):
        manifest.check_info(replace(INFO, hardforks={0: "cancum"}))
    body = {**json.loads(DATA), "schema_version": 3, "shape": "unheard of"}
    del body["digest"]
    data = canonical.pretty_bytes({**body, "digest": canonical.digest(body)})
    with pytest.raises(BadInput, match=r"schema version 3, newer than this caia-replay reads.*version 2.*next: "):
        manifest.parse(data, "here")


FIXTURE = Path(__file__).parents[2] / "fixtures" / "snapshot-v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(FIXTURE / "old", tmp_path / "old")


def answers_as_then(snapshot: Snapshot) -> None:
    questions = json.loads((FIXTURE / "answers.json").read_text())
    for told in questions:
        ask = (snapshot, told["pin"], told["method"], told["params"])
        if "miss" in told:
            with pytest.raises(Miss) as miss:
                answer(*ask)
            assert miss.value.detail.kind == told["miss"]
        else:
            assert answer(*ask) == told["result"], ask
    assert len(questions) == 180 and sum("miss" in told for told in questions) == 20


def test_an_old_folder_is_read_as_it_stands(folder: Path) -> None:
    """It opens without being touched, and answers and misses what it did when it was written."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    snapshot = Snapshot.open(folder)
    assert snapshot.heights == ((0, 4),) and snapshot.hardforks == {0: "cancun"}
    assert snapshot.claims == Claims.of(Claim(name, 0, 4) for name in ("blocks", "transactions", "receipts", "logs"))
    answers_as_then(snapshot)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_old_folder_sealed_anew_is_of_the_new_schema(folder: Path) -> None:
    """All tables of today are there, no answer changed; an old seal is no weaker; version 1 lacked replies alone."""
    path = folder / "manifest.json"
    sealed = path.read_text()
    path.write_text(sealed.replace('"to": 4', '"to": 3'))
    with pytest.raises(SealBroken):
        Snapshot.open(folder)
    path.write_text(sealed)
    reseal(folder)
    read = manifest.parse(path.read_bytes(), folder)
    assert read.written_in == manifest.SCHEMA_VERSION
    assert any("__replies__" in name for name in read.files)
    answers_as_then(Snapshot.open(folder))
    assert tables_since(1) == {"replies"} and not tables_since(manifest.SCHEMA_VERSION)


ADDRESSES = [bytes([n]) * 20 for n in (1, 2, 3)]
TOPICS = [bytes([n]) * 32 for n in (1, 2)]
some = st.frozensets(st.sampled_from(ADDRESSES), max_size=3)
topics = st.lists(st.frozensets(st.sampled_from(TOPICS), max_size=2), max_size=2).map(tuple)
spans = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: (min(pair), max(pair)))
claims = st.lists(st.builds(lambda span, who, what: Claim("logs", *span, who, what), spans, some, topics), max_size=5)


def held(claim: Claim, block: int, address: bytes, log: tuple[bytes, ...]) -> bool:
    """Whether one log is among those a claim speaks of, by the definition of eth_getLogs."""
    fits = [at < len(log) and log[at] in wanted for at, wanted in enumerate(claim.topics) if wanted]
    return claim.first <= block <= claim.last and (not claim.addresses or address in claim.addresses) and all(fits)


@given(claims, spans, some, topics)
def test_whatever_is_covered_is_in_some_claim(made: list[Claim], span: tuple[int, int], who: frozenset[bytes],
                                              what: Topics) -> None:  # fmt: skip
    """No log that the question could match may be one that no claim speaks of."""
    if not Claims.of(made).covers("logs", *span, who, what):
        return
    question = Claim("logs", *span, who, what)
    logs = [(), *((first,) for first in TOPICS), *((first, second) for first in TOPICS for second in TOPICS)]
    for block in range(span[0], span[1] + 1):
        for address in [*ADDRESSES, b"\x09" * 20]:
            for log in logs:
                if held(question, block, address, log):
                    assert any(held(claim, block, address, log) for claim in made)


@given(claims)
def test_each_claim_is_covered_and_order_does_not_matter(made: list[Claim]) -> None:
    """What was claimed is covered, in pieces too, and joining forgets nothing and adds nothing."""
    whole = Claims.of(made)
    for claim in made:
        assert whole.covers("logs", claim.first, claim.last, claim.addresses, claim.topics)
        assert whole.covers("logs", claim.first, None, sorted(claim.addresses)[:1], claim.topics)
    assert Claims.of(random.Random(1).sample(made, len(made))) == whole
    assert Claims.of(whole) == whole
    halves = [replace(claim, last=(claim.first + claim.last) // 2) for claim in made]
    rest = [replace(claim, first=half.last) for claim, half in zip(made, halves, strict=True)]
    assert Claims.of([*halves, *rest]) == whole


@given(claims, spans, some, topics)
def test_gaps_are_the_blocks_that_are_not_covered(made: list[Claim], span: tuple[int, int], who: frozenset[bytes],
                                                  what: Topics) -> None:  # fmt: skip
    """Block by block what ``covers`` denies, told as ascending ranges; without a gap the whole range is covered."""
    whole = Claims.of(made)
    found = whole.gaps("logs", *span, who, what)
    denied = [at for at in range(span[0], span[1] + 1) if not whole.covers("logs", at, at, who, what)]
    assert found == spans_of(denied)
    assert whole.covers("logs", *span, who, what) == (not found)


@given(claims)
def test_claims_that_were_built_directly_are_those_that_were_gathered(made: list[Claim]) -> None:
    """No way to build them leaves the order, the joining or the index out."""
    direct = Claims(tuple(made))
    assert direct == Claims.of(made) == replace(Claims(), items=tuple(made)) and hash(direct) == hash(Claims.of(made))
    assert direct.spans("logs") == Claims.of(made).spans("logs")
    assert all(direct.covers("logs", claim.first, claim.last, claim.addresses, claim.topics) for claim in made)


@given(st.lists(spans, max_size=6))
def test_spans_are_those_of_the_whole_table(made: list[tuple[int, int]]) -> None:
    """A claim that is narrowed to addresses or topics is none of the whole table."""
    narrow = [Claim("logs", 0, 9, frozenset(ADDRESSES[:1])), Claim("logs", 0, 9, frozenset(), (frozenset(TOPICS),))]
    assert Claims.of([*narrow, *(Claim("logs", *span) for span in made)]).spans("logs") == joined_spans(made)


@pytest.mark.check
def test_a_lookup_does_not_look_at_every_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred thousand ranges, general and of one contract, a few dozen are compared."""
    compared = 0

    class Counted(int):
        def __gt__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int.__gt__(self, other)  # type: ignore[operator]

        def __lt__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int.__lt__(self, other)  # type: ignore[operator]

    made = [Claim("storage", at, at, frozenset(ADDRESSES[: at % 4 // 2])) for at in range(0, 200_000, 2)]
    whole = Claims.of(made)
    for at in (0, 99_998, 199_996, 199_997):
        assert whole.covers("storage", Counted(at), Counted(at)) == (at % 4 == 0)
        assert whole.covers("storage", Counted(at), Counted(at), ADDRESSES[:1]) == (at % 2 == 0)
    assert 8 <= compared < 1_000


def test_a_claim_covers_what_it_says_and_says_what_can_be() -> None:
    """No other table, account or block; unknown tables and backward ranges are refused; ranges are joined in words."""
    whole = Claims.of([Claim("storage", 3, 5, frozenset(ADDRESSES[:1]))])
    assert whole.covers("storage", 3, 5, ADDRESSES[:1])
    for table, first, last, who in (
        ("storage", 3, 5, ADDRESSES[:2]), ("storage", 3, 5, ()), ("storage", 2, 5, ADDRESSES[:1]),
        ("storage", 5, 6, ADDRESSES[:1]), ("logs", 3, 5, ADDRESSES[:1]), ("accounts", 3, 3, ADDRESSES[:1]),
    ):  # fmt: skip
        assert not whole.covers(table, first, last, who)
    for wrong in (
        {"table": "codes"}, {"first": 9}, {"addresses": frozenset(ADDRESSES)}, {"topics": (frozenset(TOPICS),)},
    ):  # fmt: skip
        with pytest.raises(BadInput):
            Claim(**{"table": "blocks", "first": 0, "last": 5, **wrong})  # type: ignore[arg-type]
    assert spans_of([5, 1, 2, 3, 9]) == ((1, 3), (5, 5), (9, 9))
    assert joined_spans([(0, 4), (2, 3), (5, 6)]) == ((0, 6),)
    assert spans_words(((1, 3), (5, 5), (9, 9))) == "blocks 1 to 3, 5 and 9"
    assert spans_words(((7, 7),)) == "block 7"
    assert spans_words(spans_of(range(0, 40, 2))).endswith("8 and 15 more")

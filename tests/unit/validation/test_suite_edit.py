"""Tasks and suites written, admitted, retired and checked, or the world byte for byte as it was."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import AnswerSpec, Column
from caia_replay.errors import BadInput, CheckFailed
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers import verify
from caia_replay.store.plain import build, thawed, toml_text
from caia_replay.store.world_folder import load_task, seal_world
from caia_replay.validation import suite_edit
from caia_replay.validation.suite_edit import (
    SuiteFile,
    edited,
    entry_faults,
    is_day,
    next_minor,
    read_suite,
    with_task,
    without_task,
)
from caia_replay.validation.task_check import Report, check_tasks, wrong_answer
from caia_replay.validation.task_life import admitted, new_task, retire_task
from caia_replay.validation.task_words import Proof, Words, canary_of, read_gold_file


def said(text: str) -> Suite:
    return build(Suite, tomllib.loads(text), "suite.toml")


def filed(text: str) -> SuiteFile:
    return SuiteFile(Path("suite.toml"), text, said(text))


WRITTEN = """\
# Ours; ask before you change it.
id = "s"
version = '1.4.2' # as of spring

[[entries]] # the first
id = "a"
added = "2026-01-01" # a day

# What policies read.
[recipes.x]
question = "q"
query = "version = '1'"
pattern = "p"
"""


def test_a_change_of_the_shipped_suite_is_written_as_the_builder_would(shipped: Path) -> None:
    """Added or retired, a file is what writing the whole suite anew gives; in its place, and never twice."""
    suite = read_suite(shipped).suite
    file = SuiteFile(shipped / "suite.toml", toml_text(thawed(suite)), suite)
    for after in (
        with_task(file, "new", "2026-12-01"),
        *(without_task(file, entry.id, "2026-12-01") for entry in file.suite.entries),
    ):
        assert after.version == "1.1.0"
        assert edited(file.text, file.suite, after) == toml_text(thawed(after))
    file = filed(WRITTEN)
    both = replace(file, suite=with_task(file, "b", "2026-02-01"))
    after = without_task(both, "a", "2026-03-01")
    assert (after.active(), after.version) == (("b",), "1.6.0")
    assert after.entries == (SuiteEntry("a", "2026-01-01", "2026-03-01"), SuiteEntry("b", "2026-02-01"))
    with pytest.raises(BadInput, match="already"):
        with_task(file, "a", "2026-02-01")
    with pytest.raises(BadInput, match="retired on 2026-03-01"):
        without_task(replace(both, suite=after), "a", "2026-03-02")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_comments_stay(end: str) -> None:
    """Whatever people wrote around the entries is there afterwards, and only two lines differ for a retired task."""
    file = filed(WRITTEN.replace("\n", end))
    for after, more in ((with_task(file, "b", "2026-02-01"), 4), (without_task(file, "a", "2026-02-01"), 1)):
        found = edited(file.text, file.suite, after)
        assert thawed(said(found)) == thawed(after)
        old, new = file.text.splitlines(), found.splitlines()
        assert len(new) == len(old) + more
        assert set(old) - set(new) == {"version = '1.4.2' # as of spring"}
        assert 'version = "1.5.0" # as of spring' in new


@pytest.mark.parametrize(
    "text",
    [
        'entries = [\n  { id = "a", added = "2026-01-01" },\n]\n"version" = "1.0.0"\nid = "s"\n',
        'id = "s"\nversion = "1.0.0"\nentries = []\n',
        'id = "s"\nversion = """1.0.0"""\n[[ entries ]]\nid = "a"\nadded = "2026-01-01"',
    ],
)
def test_a_file_of_another_form_says_the_same_in_ours(text: str) -> None:
    """However the entries are written, the file says exactly the changed suite afterwards."""
    file = filed(text)
    after = with_task(file, "b", "2026-02-01")
    assert thawed(said(edited(text, file.suite, after))) == thawed(after)
    if file.suite.entries:
        after = without_task(file, "a", "2026-02-01")
        assert thawed(said(edited(text, file.suite, after))) == thawed(after)


@pytest.mark.parametrize(
    ("task", "on", "words"),
    [("a", "2025-12-31", "was added on 2026-01-01"), ("a", "2026-1-31", "no day"), ("a", "20260131", "no day"),
     ("a", "2026-02-30", "no day"), ("aa", "2026-02-01", "nearest: a")],
)  # fmt: skip
def test_a_task_retires_on_a_day_that_can_be(task: str, on: str, words: str) -> None:
    """A day of the calendar in one form, not before the task joined, of a task that is there, with a next version."""
    file = filed(WRITTEN)
    with pytest.raises(BadInput, match=words):
        without_task(file, task, on)
    assert not list(entry_faults(SuiteEntry("a", "2026-01-01", "2026-01-01"), 1))
    assert len(list(entry_faults(SuiteEntry("a", "2026-01-32"), 2))) == 2
    assert len(list(entry_faults(SuiteEntry("a", "2026-01-02", "2026-01-01"), 1))) == 1
    assert is_day("2024-02-29") and not is_day("2023-02-29")
    for version in ("1", "1.0", "v1.0.0", "1.0.0-beta", "1.02.0", ""):
        with pytest.raises(BadInput, match="MAJOR"):
            next_minor(replace(file, suite=replace(file.suite, version=version)))


ANSWER = AnswerSpec("number", ("19",))
GOLD = GoldChain((GoldStep("block_query", MappingProxyType({"block": 12})),), "$1.number")


def test_a_proof_is_said_once(tmp_path: Path) -> None:
    """Options and a file may each say a half, read strictly; a canary is its task's own and says nothing of it."""
    path, step = tmp_path / "gold.toml", 'block_query {"block": 12}'
    assert Proof(["19"], steps=[step], result="$1.number").read() == (ANSWER, GOLD)
    path.write_text(toml_text({"answer": thawed(ANSWER)}))
    assert Proof(steps=[step], result="$1.number", file=path).read() == (ANSWER, GOLD)
    twice = [Proof(["1"], file=path), Proof(kind="date", file=path), Proof(unit="ETH", file=path)]
    gold = path.with_name("half.toml")
    gold.write_text(toml_text({"gold": thawed(GOLD)}))
    assert Proof(["19"], file=gold).read() == (ANSWER, GOLD)
    for proof in (*twice, Proof(steps=[step], file=gold), Proof(result="$1.number", file=gold)):
        with pytest.raises(BadInput, match="says it already"):
            proof.read()
    assert Proof().read() == (AnswerSpec("number", ()), GoldChain((), ""))
    for wrong in ("block_query {", "block_query []", 'block_query {"a": 1, "a": 2}', "block_query NaN"):
        with pytest.raises(BadInput, match="--step"):
            Proof(steps=[wrong]).read()
    for text, words in (
        ("", "neither"),
        ("[gould]", "unknown field 'gould'"),
        ("[gold]\nresult = 1\nsteps = []", "gold.result"),
        ("=", "not a TOML file"),
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=re.escape(words)):
            read_gold_file(path)
    with pytest.raises(BadInput, match="missing"):
        read_gold_file(tmp_path / "none.toml")
    every = {canary_of(*parts) for parts in (("s", "a", "q"), ("s", "b", "q"), ("t", "a", "q"), ("s", "a", "p"))}
    assert len(every) == 4 and canary_of("s", "a", "q") in every
    assert all(re.fullmatch("CAIA-REPLAY-CANARY-[0-9a-f]{32}", one) for one in every)


FEE, COUNT, SUPPLY = "mini6-base-fee-bound", "mini6-event-count", "mini6-supply"


@pytest.fixture
def world(mini: Path) -> Path:
    return mini / "cassettes" / "mini-6"


def put(world: Path, task: str, pattern: str, text: str) -> None:
    """Replace one place of a task.toml, or of suite.toml for no task."""
    path = world / "tasks" / task / "task.toml" if task else world / "suite.toml"
    found, count = re.subn(pattern, lambda _: text, path.read_text(), count=1, flags=re.M)
    assert count == 1
    path.write_text(found)


def told(report: Report) -> dict[str, str]:
    """The faults of each task that has any."""
    return {one.task: " | ".join(one.faults) for one in report.tasks if one.faults}


@pytest.mark.parametrize(
    ("pattern", "text", "words"),
    [
        (r'^values = \["12.5"\]', 'values = ["13"]', "the chain gives '12.5', the answer is '13'"),
        (r"^question = .*", 'question = "Under EIP-1559, is the base fee bound 12.5 per cent?"', "says its answer"),
        (r"^question = .*", 'question = " "', "the question is empty"),
        (r"^canary = .*", 'canary = "CAIA-REPLAY-CANARY-eab4a5a7077dc197a0317ccd206c0387"', "is the world's"),
        (r"^canary = .*", 'canary = "CAIA-REPLAY-CANARY-7255e15158ba150e0a667e56d11caafd"', f"is that of {COUNT}"),
        (r"^timestamp = .*", "timestamp = 1799593037", "the block after its own"),
        (r"^block = .*", "block = 61", "block 61 of chain mini is not recorded"),
        (r"^shape = .*", 'shape = "base-fee-bond"', "nearest: base-fee-bound"),
        (r'^tolerance_percent = "0"', 'tolerance_percent = "250"', "accepts '26' as well"),
        (r"^unit = .*", 'columns = []\nunit = "%"\nchain = "mini"', "'chain' means nothing"),
        (r"https://learn", "https://lern", "step 1 (url_fetching) was MISS"),
        (r"^tool = .*", 'tool = "url_fetch"', "step 1 (url_fetch) was ERROR"),
        (r"at most \(\[0-9.\]\+\)%", "((a+)+)+b", "gold matches"),
        (r"^\[\[gold.steps\]\](\n.*)*", "", "'gold.steps' is missing"),
        (r"^result = .*", 'result = ""', "no result in [gold]"),
        (r"^id = .*", 'id = "other"', "the folder is named"),
    ],
)
def test_what_is_wrong_is_told(world: Path, pattern: str, text: str, words: str) -> None:
    """Each thing that makes a task unsound is a fault of that task, and of no other."""
    put(world, FEE, pattern, text)
    seal_world(world)
    faults = told(check_tasks(world, FEE))
    assert list(faults) == [FEE] and words in faults[FEE], faults


def test_the_seal_counts(world: Path) -> None:
    """A changed task wants a new version, a changed recording is told; a retired one must only be readable."""
    put(world, FEE, r"^stake_reason = .*", 'stake_reason = "Other words."')
    cassette = min(world.glob("http/*.json"))
    cassette.write_bytes(cassette.read_bytes() + b"\n")
    report = check_tasks(world, FEE)
    assert "version is still 1.0.0" in told(report)[FEE] and cassette.name in report.around[0]
    assert (report.faults, report.lines()[-1], len(report.lines())) == (2, "0/1 sound", 3)
    put(world, FEE, r'^values = \["12.5"\]', 'values = ["13"]')
    put(world, "", rf'^id = "{FEE}"\n', f'id = "{FEE}"\nretired = "2026-12-01"\n')
    assert not told(check_tasks(world))
    assert told(check_tasks(world, FEE))
    put(world, FEE, r"^id = .*", "id = ")
    assert list(told(check_tasks(world))) == [FEE]


def test_a_live_world_may_wait_for_its_recording(world: Path) -> None:
    """What is not recorded yet, and what no chain answers, is told apart from faults; a wrong answer stays one."""
    put(world, "", r"(?s)^\[recipes\].*", "")
    info = world / "world.toml"
    info.write_text(info.read_text().replace('provenance = "synthetic"', 'provenance = "live"'))
    put(world, FEE, r"https://learn", "https://lern")
    put(world, COUNT, r"^block = .*", "block = 99999")
    put(world, COUNT, r"^timestamp = .*", "timestamp = -1")
    put(world, SUPPLY, r"^tags = .*", 'tags = ["gold:no-provider"]')
    put(world, SUPPLY, r"^result = .*", 'result = ""')
    put(world, "mini6-vote-date", r"^chain = .*", 'chain = "elsewhere"')
    put(world, "mini6-volume-growth", r"^values = .*", 'values = ["1.25"]')
    seal_world(world)
    report = check_tasks(world)
    assert {one.task for one in report.tasks if one.waits} == {FEE, COUNT, SUPPLY, "mini6-vote-date"}
    assert list(told(report)) == ["mini6-volume-growth"]


@pytest.mark.parametrize(
    "answer",
    [
        AnswerSpec("number", ("0",)), AnswerSpec("number", ("-1",), "%", direction="up"),
        AnswerSpec("number", ("12.5",), "%", bound="upper"), AnswerSpec("hash", ("0x" + "ab" * 32,)),
        AnswerSpec("address", ("0x2931acaffd9415d5bb5f60a58b7f3b0d54211dcF",)),
        AnswerSpec("time", ("2024-06-04T12:00:00Z",), tolerance_seconds=60), AnswerSpec("text", ("Zz9 lend",)),
        AnswerSpec("text", ("以太坊",)), AnswerSpec("text_set", ("USDC", "DAI")),
        AnswerSpec("text_list", ("USDC", "DAI")), AnswerSpec("boolean", ("yes",)), AnswerSpec("boolean", ("no",)),
        AnswerSpec("url", ("https://a.example/x",)), AnswerSpec("abi", ("transfer(address,uint256)",)),
        AnswerSpec("table", ("ant | 4", "bee | 6"), columns=(Column("name", "text", True), Column("legs", "number"))),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_wrong(answer: AnswerSpec) -> None:
    """Of every kind that has a verifier: the spec is sound, and what is made of it is no right answer by it."""
    assert not check_spec(answer)
    assert verify(answer, wrong_answer(answer)).correct is False


TOKEN = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
EVENT = "Transfer(address indexed from, address indexed to, uint256 value)"
CALL = {"contract": TOKEN, "event": EVENT, "from_block": 3, "to_block": 9}
WORDS = Words(
    "more-events",
    f"How many Transfer events did the official MARE token contract ({TOKEN}) emit on the Mini chain in blocks 3 to 9?",
    "on-chain analysis", "mini", 30, stake_usd="900", stake_reason="A fee that is set by activity is wrong.",
)  # fmt: skip
FULL_GOLD = GoldChain((GoldStep("data_query", MappingProxyType(CALL)),), "count($1.events)")
DAY = "2026-12-01"


@pytest.fixture
def files(world: Path) -> Callable[[], dict[Path, bytes]]:
    """What the world's folder holds now; a refusal leaves all of it as it was."""
    return lambda: {path: path.read_bytes() if path.is_file() else b"" for path in world.rglob("*")}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"block": 61}, "block 61 of chain mini is not recorded; nearest: blocks 0 to 60"),
        ({"chain": "../mini"}, "no chain"), ({"category": "onchain analysis"}, "nearest: on-chain analysis"),
        ({"id": "mini6-supply"}, "is there already"),
        *(({"id": name}, "cannot name a task") for name in ("../up", "all", "")),
        ({"question": "\ud800"}, "no text"), ({"stake_reason": "\ud800"}, "cannot be written"),
    ],
)  # fmt: skip
def test_bad_words_are_one_line_and_write_nothing(
    world: Path, files: Callable[[], dict[Path, bytes]], change: dict[str, str], words: str
) -> None:
    """Wherever the fault is, also a null or a day that is none, the folder is byte for byte as it was."""
    before = files()
    for added in (DAY, None):
        with pytest.raises(BadInput) as caught:
            new_task(world, replace(WORDS, **change), ANSWER, FULL_GOLD, added)  # type: ignore[arg-type]
        assert words in str(caught.value) and "\n" not in str(caught.value)
    nothing = GoldChain((GoldStep("data_query", MappingProxyType({"block": None})),), "$1.number")
    with pytest.raises(BadInput, match="a null"):
        new_task(world, WORDS, ANSWER, nothing, DAY)
    with pytest.raises(BadInput, match="no day"):
        new_task(world, WORDS, ANSWER, FULL_GOLD, "today")
    with pytest.raises(BadInput, match="no day"):
        admitted(world, "mini6-supply", "2026-02-30")
    assert files() == before


def test_a_stop_between_the_two_files_undoes_the_first(
    world: Path, files: Callable[[], dict[Path, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, or Ctrl-C, when the suite is written leaves no folder that no suite names."""
    before = files()
    for fault in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def stop(path: Path, data: bytes, fault: BaseException = fault) -> None:
            raise fault

        monkeypatch.setattr(suite_edit, "write_atomic", stop)
        with pytest.raises(type(fault)):
            new_task(world, WORDS, ANSWER, FULL_GOLD, DAY)
        assert files() == before


def test_a_world_whose_recordings_changed_is_not_written(world: Path, files: Callable[[], dict[Path, bytes]]) -> None:
    """Every fault is a line, and nothing is written; nor where sealing would bless a changed recording."""
    before = files()
    asked = load_task(world / "tasks" / "mini6-event-count").question
    with pytest.raises(CheckFailed) as caught:
        words = replace(WORDS, stake_reason="", question=asked)
        new_task(world, words, AnswerSpec("number", ("20",)), FULL_GOLD, DAY)
    lines = str(caught.value).splitlines()
    assert len(lines) == 4 and "same question as mini6-event-count" in lines[0] and "nothing was written" in lines[3]
    assert files() == before
    new_task(world, WORDS, ANSWER, FULL_GOLD, DAY)
    retire_task(world, "mini6-supply", DAY)
    cassette = min(world.glob("http/*.json"))
    cassette.write_bytes(cassette.read_bytes() + b" ")
    before = files()
    with pytest.raises(BadInput, match="differs from its seal"):
        new_task(world, replace(WORDS, id="other"), ANSWER, FULL_GOLD, DAY)
    with pytest.raises(BadInput, match="differs from its seal"):
        retire_task(world, "mini6-event-count", DAY)
    assert files() == before


def test_a_live_task_may_join_before_it_is_recorded(world: Path) -> None:
    """Its moment is left to be looked up by the recording, on a chain that nobody recorded yet as well."""
    for name in ("world.toml", "suite.toml"):
        text = (world / name).read_text().replace('provenance = "synthetic"', 'provenance = "live"')
        (world / name).write_text(re.sub(r"(?s)\n\[recipes\].*", "", text))
    seal_world(world)
    for name, chain, block in (("one", "ethereum", 17_000_000), ("two", "mini", 999)):
        words = replace(WORDS, id=name, chain=chain, block=block, question=f"{WORDS.question} ({name})")
        change = new_task(world, words, ANSWER, FULL_GOLD, DAY)
        task = load_task(change.path.parent)
        assert (task.anchor.timestamp, task.shape) == (-1, name)
        assert "recorded" in change.waits

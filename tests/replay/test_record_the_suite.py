"""CAIA's path as a user walks it: import, plan, record, lint, verify, publish, rehydrate; the hosts by their names.

The questions are ``caia_stubs``', the world behind the names is ``caia_origin``'s, and the commands are the product's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.interop.caia_suite import questions_of
from caia_replay.recording.api_key import Keys
from caia_replay.recording.ask_again import Asking
from caia_replay.recording.pool import GOLD, REQUESTS, read_pool
from caia_replay.recording.publish import publish
from caia_replay.recording.rehydrate import rehydrate
from caia_replay.store.world_folder import open_world
from tests.caia_origin import KEYS, OF_A_FREE_PLAN, VARIABLES, CaiaOrigin, living_caia_origin
from tests.caia_stubs import Stub, Stubs, stubs_of
from tests.one_command import Ran, run

pytestmark = pytest.mark.check

SUITE = "stubs"
COMMAND = str(Path(sys.executable).with_name("caia-replay"))


@dataclass(frozen=True)
class Walked:
    """The whole path, walked once: what each command printed, and where everything is."""

    origin: CaiaOrigin
    stubs: Stubs
    root: Path
    imported: Ran
    planned: Ran
    recorded: Mapping[str, Ran]
    """By task."""
    busy: int
    """How many requests were told to come back later."""

    @property
    def world(self) -> Path:
        """The suite's folder."""
        return self.root / "cassettes" / SUITE

    def texts(self) -> Iterator[tuple[Path, bytes]]:
        """Every file that was written, but journals."""
        for path in sorted(self.root.rglob("*")):
            if path.is_file() and ".cache" not in path.parts:
                yield path, path.read_bytes()

    def interactions(self) -> Iterator[Interaction]:
        """Everything that was recorded of the web."""
        for path in sorted(self.world.rglob("http.json")):
            yield from Cassette.open(path).interactions


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CaiaOrigin]:
    """The hosts, over one economy."""
    with living_caia_origin(tmp_path_factory.mktemp("authority")) as found:
        yield found


@pytest.fixture(scope="module")
def stubs(origin: CaiaOrigin) -> Stubs:
    """The questions, their pages published."""
    made = stubs_of(origin.economy)
    made.sites.publish(origin.shelf)
    return made


@pytest.fixture(scope="module")
def walked(origin: CaiaOrigin, stubs: Stubs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    """Import, plan, and a recording of every stub."""
    root = tmp_path_factory.mktemp("caia")
    path, gold = stubs.write(root)
    with pytest.MonkeyPatch.context() as patch, origin.led():
        patch.chdir(root)
        for name, value in VARIABLES.items():
            patch.setenv(name, value)
        imported = run("import", "caia", path, "--out", f"cassettes/{SUITE}", "--gold", gold)
        asked = len(origin.asked)
        planned = run("record", "--plan", f"cassettes/{SUITE}")
        assert len(origin.asked) == asked, "a plan asks nobody"
        origin.busy = 2
        recorded = {stub.task: record(origin, stub) for stub in stubs.rows}
        busy = 2 - origin.busy
        yield Walked(origin, stubs, root, imported, planned, recorded, busy)


def record(origin: CaiaOrigin, stub: Stub, *more: str) -> Ran:
    """One task recorded from the hosts and, where its chain has a node, from that."""
    node = origin.rpc_urls.get(stub.chain)
    with_node = ("--rpc-url", node) if node else ()
    return run("record", "--task", stub.task, "--origin", "live", "--pause", "0", "--suite", SUITE, *with_node, *more)


def test_the_import_finds_every_gold_row(walked: Walked) -> None:
    """Each stub becomes a task; chains and reasons are those of the rows."""
    assert walked.imported.code == 0, walked.imported.err
    told = json.loads((walked.world / "import.json").read_text("utf-8"))
    kinds = {row["task"]: row["gold"]["kind"] for row in told["tasks"]}
    assert kinds == {stub.task: stub.why_not or "chain" for stub in walked.stubs.rows}
    assert len(kinds) >= 18


def test_the_plan_has_one_line_a_task(walked: Walked) -> None:
    """Its status is what a recording then gives: only that a page says when it was out nobody knows before."""
    assert walked.planned.code == 0, walked.planned.err
    lines = walked.planned.out.splitlines()
    for stub in walked.stubs.rows:
        (line,) = [line for line in lines if re.match(rf"{stub.task}\b", line)]
        status = {"no provider": "needs provider", "not anchored": "unanchored"}.get(stub.why_not, "recordable")
        if stub.outcome == "withheld" and stub.steps[0][0] != "url_fetching":
            status = "will miss"
        assert line.startswith(f"{stub.task} {status}: "), line


def test_what_can_be_recorded_is_confirmed(walked: Walked) -> None:
    """The recorded chain gives the answer that the ledger gives, from weeks later."""
    failed = {
        stub.task: ran.all
        for stub in walked.stubs.of("recorded")
        if (ran := walked.recorded[stub.task]).code != 0 or f"{stub.task}: confirmed" not in ran.out
    }
    assert not failed, "\n".join(f"{task}: {text}" for task, text in failed.items())


def test_a_refusal_of_who_does_not_pay_is_explained(walked: Walked) -> None:
    """By status or, as the explorer does, with status 200: the vendor's words are told, and are in no recording."""
    index, explorer = (walked.recorded[stub.task] for stub in walked.stubs.of("refused"))
    assert index.code == 1 and "402" in index.all and "needs a paid plan" in index.all, index.all
    assert re.search(r"not kept: GET https://api\.etherscan\.io\S*tokenholdercount.*API Pro endpoint", explorer.out)
    refusals = (b"needs a paid plan", b"API Pro endpoint")
    assert not [item.uri for item in walked.interactions() if any(words in item.body for words in refusals)]


def test_what_nothing_shows_at_its_moment_is_withheld(walked: Walked) -> None:
    """An undated page that no archive kept, and a ranking of now: no answer, and the reason is told."""
    for stub in walked.stubs.of("withheld"):
        ran = walked.recorded[stub.task]
        assert ran.code == 1 and f"{stub.task}: confirmed" not in ran.out, ran.all
    press_kit = next(stub for stub in walked.stubs.of("withheld") if stub.category == "general knowledge")
    assert "without a date" in walked.recorded[press_kit.task].all


def test_pages_of_later_and_pages_that_tell_the_answer_are_dropped_and_named(walked: Walked) -> None:
    """A quotation of question and answer, published before or after the moment, and news of after it."""
    review = next(stub for stub in walked.stubs.rows if "independent review" in stub.question)
    said, sites = walked.recorded[review.task].out, walked.stubs.sites
    for page in (sites.early_leak, sites.late_leak, sites.late_news):
        (line,) = [line for line in said.splitlines() if line.startswith("not kept:") and f"{page.url}:" in line]
        assert ("quotes" in line) if page is sites.early_leak else ("after the moment" in line or "quotes" in line)
        assert not [item.uri for item in walked.interactions() if page.text[-60:].encode() in item.body]


def test_a_page_that_changed_since_is_read_as_it_was(walked: Walked) -> None:
    """The terms name another number today; the answer is the archive's of before the moment."""
    terms = walked.stubs.sites.terms.url
    assert "9,999" in walked.origin.shelf.pages[terms].text
    stub = next(stub for stub in walked.stubs.rows if "smallest stake" in stub.question)
    assert walked.recorded[stub.task].code == 0, walked.recorded[stub.task].all
    read = [item.body for item in walked.interactions() if item.uri.startswith("https://r.jina.ai/")]
    assert any(b"at least 4,200 tokens" in body for body in read)
    assert not any(b"at least 9,999 tokens" in body for body in read)


def test_who_is_told_to_come_back_later_does(walked: Walked) -> None:
    """Two 429 were given; no recording has one."""
    assert walked.busy == 2
    assert {item.status for item in walked.interactions()} <= {200, 404}


def test_no_key_is_in_any_file(walked: Walked) -> None:
    """Neither in a cassette nor in a pool, a snapshot, or a report."""
    secrets = {*KEYS.values(), OF_A_FREE_PLAN}
    assert not [path for path, data in walked.texts() if any(key.encode() in data for key in secrets)]
    assert not [ran for ran in walked.recorded.values() if any(key in ran.all for key in secrets)]


def test_what_was_recorded_verifies_without_the_origin(walked: Walked) -> None:
    """Nobody is asked; every confirmed task is solved again."""
    asked = len(walked.origin.asked)
    solved = [stub.task for stub in walked.stubs.of("recorded")]
    verified = run("verify", "--suite", SUITE, *(part for task in solved for part in ("--task", task)))
    assert verified.code == 0, verified.all
    assert verified.out.splitlines()[-1] == f"{len(solved)}/{len(solved)} solvable"
    assert len(walked.origin.asked) == asked


def test_the_recorded_suite_lints(walked: Walked, tmp_path: Path) -> None:
    """Once the tasks that could not be recorded are retired, the suite and its chains are sound, and can be sealed."""
    world = tmp_path / "cassettes" / SUITE
    for name in ("cassettes", "chain_snapshots"):
        shutil.copytree(walked.root / name, tmp_path / name)
    suite = (world / "suite.toml").read_text("utf-8")
    for task in (task for task, ran in walked.recorded.items() if ran.code):
        entry = f'id = "{task}"\nadded = "2025-09-27"'
        assert entry in suite
        suite = suite.replace(entry, f'{entry}\nretired = "2025-10-22"')
    (world / "suite.toml").write_text(suite, "utf-8")
    sealed = run("lint", "--seal", world)
    assert sealed.code == 0, sealed.all
    linted = run("lint", world, tmp_path / "chain_snapshots")
    assert linted.code == 0, linted.all


def test_several_agents_pool_what_they_are_told(
    walked: Walked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two policies play before the gold chain; the pool says who asked what, and the answer stays."""
    path, gold = walked.stubs.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run("import", "caia", path, "--out", f"cassettes/{SUITE}", "--gold", gold).code == 0
    stub = next(stub for stub in walked.stubs.rows if "independent review" in stub.question)
    ran = record(walked.origin, stub, "--pool", "policy/oracle", "--pool", "policy/random")
    assert ran.code == 0 and f"{stub.task}: confirmed" in ran.out, ran.all
    pool = read_pool(tmp_path / "cassettes" / SUITE / "tasks" / stub.task)
    names = [one.by.partition("#")[0] for one in pool]
    assert names == ["react+policy/oracle", "react+policy/random", REQUESTS, GOLD]
    assert pool[0].calls and pool[-1].calls
    told = run("pool", SUITE)
    depths = [line for line in told.out.splitlines() if line.startswith(f"{stub.task}: ")]
    assert told.code == 0 and [line.split()[1] for line in depths] == ["0", "1"], told.all


def test_a_published_suite_is_made_again_and_names_the_page_that_changed(walked: Walked, tmp_path: Path) -> None:
    """Identities and digests go out, no body; asked again, one page reads otherwise and is the one that is named."""
    sites, origin = walked.stubs.sites, walked.origin
    told = publish(open_world(str(walked.world)), tmp_path / "published", chains=True)
    assert told.answers > 0
    published = [path.read_bytes() for path in (tmp_path / "published").rglob("*") if path.is_file()]
    assert not any(sites.audit.text[:60].encode() in data for data in published)
    assert not any(stub.question.encode() in data for stub in walked.stubs.rows for data in published)
    asking = Asking(keys=Keys(VARIABLES), pause_s=0.0, wait=lambda _: None)
    with origin.as_found():
        origin.shelf.change(sites.audit.url, sites.audit.text + " One of the two was opened again.")
        done = rehydrate(
            tmp_path / "published", tmp_path / "again" / "cassettes" / SUITE, asking=asking,
            questions=questions_of(walked.root / "stubs.csv"), allow_silent=True,
        )  # fmt: skip
    changed = [change for change in done.changes if change.kind == "changed"]
    page, *lists = [change.address for change in changed]
    assert page == f"GET https://r.jina.ai/{sites.audit.url}", done.lines
    # The page's new words stand in the result list too, as its snippet.
    assert len(lists) <= 1 and all(one.startswith("POST https://google.serper.dev/search ") for one in lists)
    assert done.changes == tuple(changed) and done.same == done.answers - len(changed), done.lines
    assert not done.identical and not done.doubts


def test_a_process_of_its_own_records_by_the_environment_alone(walked: Walked, tmp_path: Path) -> None:
    """SSL_CERT_FILE and the keys are all that it is given; the names lead to the hosts."""
    path, gold = walked.stubs.write(tmp_path)
    given = {"SSL_CERT_FILE", *VARIABLES}
    environment = {name: text for name, text in os.environ.items() if name not in given}
    environment |= {**walked.origin.environment(tmp_path / "led"), **VARIABLES}
    stub = next(stub for stub in walked.stubs.rows if "documentation" in stub.question)
    node = walked.origin.rpc_urls[stub.chain]
    commands = (
        ("import", "caia", str(path), "--out", f"cassettes/{SUITE}", "--gold", str(gold)),
        ("record", "--task", stub.task, "--origin", "live", "--pause", "0", "--rpc-url", node),
    )  # fmt: skip
    for arguments in commands:
        done = subprocess.run(
            [COMMAND, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert f"{stub.task}: confirmed" in done.stdout


def test_attacks_on_a_partly_recorded_suite_end_in_results_or_one_line(
    walked: Walked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned, compared, verified and played, whatever its tasks lack; nothing ends in an error nobody expected."""
    for name in ("cassettes", "chain_snapshots"):
        shutil.copytree(walked.root / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    solved = [part for stub in walked.stubs.of("recorded") for part in ("--task", stub.task)]
    asked = len(walked.origin.asked)
    commands: tuple[tuple[str, ...], ...] = (
        ("attack", "plan", "--suite", SUITE, "--out", "planned.toml"),
        ("attack", "diff", "--suite", SUITE),
        ("verify", "--suite", SUITE, "--arm", "attacked", *solved),
        ("replay", "--suite", SUITE, "--model", "policy/credulous", "--arm", "clean,attacked", "--runs", "1",
         "--out", "run", *solved[:8]),
    )  # fmt: skip
    for command in commands:
        ran = run(*command)
        assert ran.code in (0, 1, 2), f"{command}: {ran.all}"
        assert ran.code != 2 or len(ran.err.splitlines()) == 1, f"{command}: {ran.err}"
    assert len(walked.origin.asked) == asked

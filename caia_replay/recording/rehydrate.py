"""A published suite made a world again: every question asked of the origin once more, every answer held against its
digest. Equal in every file, it is the world that was published; else it is a new recording, and says what changed.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from caia_replay.cassette.cassette import Interaction, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.playback import PlaybackFile
from caia_replay.core.provider import Provider
from caia_replay.errors import BadInput, CaiaReplayError, Interrupted
from caia_replay.recording.answer_change import Change, changed_answer, compare, same_answer
from caia_replay.recording.ask_again import AskAgain, Asking, RepeatedRequest, Silent, put_on, question_of, questions_of
from caia_replay.recording.publish import install_chain
from caia_replay.recording.published_file import FORM, Published, PublishedCassette, read_published
from caia_replay.recording.redactions import Words, restore
from caia_replay.recording.request_allowlist import refuse_unaskable
from caia_replay.store.plain import build, read_toml, thawed, toml_text
from caia_replay.store.seal import SEAL, UNFINISHED, digest_files, write_atomic, write_seal
from caia_replay.store.world_folder import load_task, open_draft, snapshots_of
from caia_replay.world.every_provider import providers_over

Answers = Mapping[object, Sequence[Interaction] | str]
"""What each question was answered, or why it was not."""

_MOST_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class Rehydration:
    """What came of it. ``written`` is False when a host was silent and that was not allowed: then ``changes`` says
    which, and the same command goes on.

    ``identical``: the new world's seal is the published one. ``same`` of ``answers`` are as they were published.
    ``differing`` are files with other bytes, ``left_out`` those that were not published, ``doubts`` the tasks whose
    words are not as they were, ``missing_chains`` the chains without which a world cannot be sealed, and
    ``withheld_requests`` how many requests were not told.
    """

    world: Path
    written: bool
    seal: str
    published_seal: str
    same: int
    answers: int
    changes: tuple[Change, ...]
    differing: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    missing_chains: tuple[str, ...] = ()
    withheld_requests: int = 0

    @property
    def identical(self) -> bool:
        """Whether the world is, to the byte, the one that was published."""
        return self.written and self.seal == self.published_seal

    @property
    def lines(self) -> list[str]:
        """For a terminal: each change, what else differs, and the verdict last."""
        lines = [change.line for change in self.changes]
        lines += [f"words: {doubt}" for doubt in self.doubts]
        lines += [f"not published: {name}" for name in self.left_out]
        lines += [f"not recorded here: chain {chain}" for chain in self.missing_chains]
        if self.withheld_requests:
            lines.append(f"not told: {self.withheld_requests} requests that repeat a withheld question")
        if self.differing:
            lines.append(f"{len(self.differing)} files differ: {', '.join(self.differing[:_MOST_NAMED])}")
        if self.identical:
            return [*lines, f"identical: {self.world} has the published seal {self.seal}"]
        counts = Counter(change.kind for change in self.changes)
        text = "".join(f", {count} {kind}" for kind, count in sorted(counts.items()))
        same = f"{self.same} of {self.answers} answers are the same{text}"
        if not self.written:
            return [*lines, f"nothing is written: {same}; what was asked is kept, and the same command goes on"]
        sealed = f"seal {self.seal}" if self.seal else "not sealed: record its chains, then caia-replay lint --seal"
        return [*lines, f"a new recording: {same}; {self.world}: {sealed}, published {self.published_seal}"]


def rehydrate(
    published: Path,
    out: Path,
    *,
    questions: Mapping[str, Words] | None = None,
    asking: Asking | None = None,
    allow_silent: bool = False,
    providers: Sequence[Provider] | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Rehydration:
    """Ask the origin for everything that ``published`` lists, and write the world to the new folder ``out``.

    ``questions`` has the words of withheld tasks by task id (``interop.caia_suite``). Answers that are gone or
    paid now are left out, so that a replay misses them; a changed one is in. A question whose host is silent keeps the
    whole world from being written, unless ``allow_silent``. What was answered is kept below ``.cache/rehydrate``.

    Raises ``BadInput`` for a folder that is not of the form, for a request that may not be made
    (``request_allowlist``), for a missing key, and when ``out`` exists; ``Interrupted`` when it is stopped by hand.
    """
    asking = asking or Asking()
    _require_free(out)
    found = read_published(published)
    listed = {name: [answer.item for answer in cassette.answers] for name, cassette in found.cassettes.items()}
    wanted = questions_of(listed.values())
    _require_askable(found, wanted, asking, providers)
    stage = out.absolute().with_name(f".{out.name}.{os.getpid()}{UNFINISHED}")
    journal = _journal(out)
    try:
        doubts = tuple(_write_plain(found, stage, questions or {}))
        with AskAgain(journal, found.contents.seal, asking) as origin:
            answers = _ask(origin, wanted, say)
            changes = tuple(_write_cassettes(found, answers, stage))
            count = sum(map(len, listed.values()))
            result = Rehydration(
                out, False, "", found.contents.seal, count - len(changes), count, changes,
                withheld_requests=sum(cassette.withheld for cassette in found.cassettes.values()),
            )  # fmt: skip
            if not allow_silent and any(change.kind == "silent" for change in changes):
                return result
            done = _finish(found, stage, out, result, doubts)
            origin.discard()
            return done
    except KeyboardInterrupt:
        raise Interrupted("interrupted; what was answered is kept; next: the same command goes on from there") from None
    except OSError as fault:
        raise BadInput(f"cannot be written: {fault.strerror}", where=fault.filename or out) from fault
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _require_free(out: Path) -> None:
    if os.path.lexists(out):
        raise BadInput("exists, and nothing is written over", where=out, next_command="choose another --out")
    for folder in out.absolute().parents:
        if (folder / SEAL).is_file():
            raise BadInput(f"lies inside {folder}, which is sealed", where=out, next_command="choose another --out")


def _journal(out: Path) -> Path:
    """Where answers are kept: .cache/ beside cassettes/, where the folder has that place, else beside it."""
    place = out.absolute().parent
    return (place.parent if place.name == "cassettes" else place) / ".cache" / "rehydrate" / out.name


def _require_askable(
    found: Published, wanted: Sequence[RepeatedRequest], asking: Asking, providers: Sequence[Provider] | None
) -> None:
    count = sum(question.times for question in wanted)
    if count > asking.most_requests:
        raise BadInput(
            f"asks for {count} requests, more than {asking.most_requests}",
            where=found.folder / FORM,
            next_command=f"most_requests={count}, if that is meant",
        )
    items = [question.item for question in wanted]
    known = providers_over({}) if providers is None else providers
    refuse_unaskable(items, known, host_map=asking.host_map, allow=asking.allow, where=found.folder)
    for question in wanted:
        put_on(asking, question)


def _write_plain(found: Published, stage: Path, questions: Mapping[str, Words]) -> Iterator[str]:
    """Write what is no cassette, and read it as a world's; yields each withheld task that is not as it was."""
    stage.mkdir(parents=True)
    for name, file in found.contents.files.items():
        if file.kind in ("copied", "withheld"):
            write_atomic(stage / name, found.copied(name))
    draft = open_draft(stage)
    for entry in draft.suite.entries:
        draft.task(entry.id)
    for name, file in found.contents.files.items():
        if file.kind == "withheld":
            task = load_task((stage / name).parent)
            task, doubt = restore(task, questions.get(task.id))
            if doubt:
                yield f"{task.id}: {doubt}"
            write_atomic(stage / name, toml_text(thawed(task)).encode())


def _ask(origin: AskAgain, wanted: Sequence[RepeatedRequest], say: Callable[[str], None]) -> Answers:
    answers: dict[object, Sequence[Interaction] | str] = {}
    for number, question in enumerate(wanted, start=1):
        try:
            answers[question.name] = origin.answers(question)
        except Silent as reason:
            answers[question.name] = str(reason)
        if number % 100 == 0 or number == len(wanted):
            say(f"{number} of {len(wanted)} questions, {origin.kept} of them asked before")
    return answers


def _write_cassettes(found: Published, answers: Answers, stage: Path) -> Iterator[Change]:
    """Write each cassette with what is answered now; yields what changed, in the order of files and answers."""
    before, after = set(), set()
    for name, cassette in found.cassettes.items():
        items, changes = _answered(cassette, answers, name)
        yield from changes
        write_cassette(stage / name, items)
        before |= {question_of(answer.item)[0] for answer in cassette.answers}
        after |= {question_of(item)[0] for item in items}
    _without_lost(stage / "http" / "playback.toml", before - after)


def _answered(cassette: PublishedCassette, answers: Answers, file: str) -> tuple[list[Interaction], list[Change]]:
    items, changes = [], []
    places: Counter[object] = Counter()
    for answer in cassette.answers:
        name = question_of(answer.item)
        value, at = answers[name], places[name]
        places[name] += 1
        # A recorder drops the repeats at the end of a sequence, where playback stays anyway.
        new = value if isinstance(value, str) else value[min(at, len(value) - 1)]
        change = compare(answer, new, file)
        if change is not None:
            changes.append(change)
        if isinstance(new, str):
            continue
        if change is None:
            items.append(same_answer(answer, new))
        elif change.kind == "changed":
            items.append(changed_answer(answer, new))
    return items, changes


def _without_lost(path: Path, lost: set[bytes]) -> None:
    """Take the modes of questions that have no answer any more out of playback.toml, which may name no other."""
    if not lost or not path.exists():
        return
    entries = build(PlaybackFile, read_toml(path), path).entry
    kept = [entry for entry in entries if _key(entry.method, entry.url, entry.body) not in lost]
    if len(kept) < len(entries):
        write_atomic(path, toml_text({"entry": [thawed(entry) for entry in kept]}).encode())


def _key(method: str, url: str, body: str) -> bytes:
    try:
        return identity(method, url, body.encode("utf-8"))
    except CaiaReplayError:
        return b""


def _finish(found: Published, stage: Path, out: Path, result: Rehydration, doubts: tuple[str, ...]) -> Rehydration:
    """Seal the world where its chains are there, and give it its name."""
    contents = found.contents
    chains = open_draft(stage).info.chains
    snapshots = snapshots_of(out)
    for chain in chains:
        if chain in contents.chain_files:
            install_chain(found, chain, snapshots / chain)
    missing = tuple(chain for chain in chains if not (snapshots / chain / "manifest.json").is_file())
    sealed = "" if missing else write_seal(stage, snapshots, chains).digest
    present = digest_files(stage)
    published = {name: file for name, file in contents.files.items() if file.kind != "left-out"}
    differing = sorted(name for name, file in published.items() if present.get(name) != file.digest)
    differing += sorted(present.keys() - published.keys())
    stage.rename(out)
    left_out = tuple(sorted(contents.files.keys() - published.keys()))
    return replace(
        result, written=True, seal=sealed, differing=tuple(differing), left_out=left_out, doubts=doubts,
        missing_chains=missing,
    )  # fmt: skip

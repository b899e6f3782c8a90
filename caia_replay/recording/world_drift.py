"""Drift of a world: its recorded requests asked again, what differs by field, and which gold answers would change.

Nothing of the world is written. The new replies take the place of the old in memory, with the dates of the old: the
question is what a task would answer had this been recorded, not whether it may see what was made after its moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx2

from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.retry_after import BUSY
from caia_replay.cassette.secret import SCRUBBED
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, nearest, one_line
from caia_replay.recording.api_key import KEYS
from caia_replay.recording.ask_again import AskAgain, Asking, RepeatedRequest, Silent, put_on, question_of, questions_of
from caia_replay.recording.cassette_world import CassetteWorld
from caia_replay.recording.field_change import Drift, differences, question_text, read_volatile
from caia_replay.recording.request_allowlist import origins_of, refuse_unaskable
from caia_replay.recording.wire import origin
from caia_replay.scoring.verifiers import verify
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.gold import GoldRun, run_gold
from caia_replay.world.every_provider import providers_over

Replies = Mapping[object, Sequence[Interaction] | str]
"""What each question is answered now, or why it is not."""

_EVERY: Final = 100


@dataclass(frozen=True, slots=True)
class AnswerDrift:
    """A gold answer that would change; None where the chain gives none, and ``why`` then says where it ends."""

    task: str
    before: str | None
    after: str | None
    why: str

    @property
    def line(self) -> str:
        """For a terminal."""
        return one_line(f"{self.task}: {self.before or 'none'} -> {self.after or 'none'} ({self.why})")


@dataclass(frozen=True, slots=True)
class WorldDrift:
    """What was found. ``silent`` names requests that got no answer now, and why; ``played`` are tasks whose gold chains
    ran, ``unplayed`` those that have none or are not recorded yet."""

    fields: Drift
    silent: tuple[str, ...]
    answers: tuple[AnswerDrift, ...]
    played: int
    unplayed: int

    @property
    def is_unchanged(self) -> bool:
        """Whether every request was answered, and nothing but volatile fields differs."""
        return not self.fields.changed and not self.silent


def world_drift(
    folder: WorldFolder, tasks: Sequence[str], asking: Asking, say: Callable[[str], None] = lambda line: None
) -> WorldDrift:
    """Ask a world's recorded requests again and compare. With ``tasks``, only those that these tasks' gold chains read
    and those in the tasks' own cassettes; else all of them. ``say`` gets a line now and then.

    Raises ``BadInput`` for a world without recorded requests, for a request that may not be asked
    (``request_allowlist``), for a key that is missing, and where nothing answers.
    """
    chosen = [folder.task(name) for name in dict.fromkeys(tasks or folder.suite.active())]
    volatile = read_volatile(folder.path)
    old = {path: Cassette.open(path) for path in folder.cassettes()}
    with TemporaryDirectory(prefix="caia-replay-") as scratch:
        wanted = questions_of(cassette.interactions for cassette in old.values())
        if tasks:
            needed = _read_by(folder, chosen, old, Path(scratch) / "before")
            wanted = [question for question in wanted if question.name[0] in needed]
        _require_askable(folder, wanted, asking)
        replies = _ask(Path(scratch), folder, wanted, asking, say)
        new, pairs = _replaced(old, replies)
        found = Drift()
        for key, items in sorted(pairs.items()):
            found.note(key, differences([left for left, _ in items], [right for _, right in items]), volatile)
        silent = tuple(
            f"{question_text(question.name[0])}: {why}"
            for question in wanted
            if isinstance(why := replies[question.name], str)
        )
        if not found.changed and not found.volatile:
            return WorldDrift(found, silent, (), 0, 0)
        before = _played(folder, chosen, old, Path(scratch) / "before")
        after = _played(folder, chosen, new, Path(scratch) / "after")
        answers = tuple(filter(None, (_compared(task, before, after) for task in chosen)))
        return WorldDrift(found, silent, answers, len(before), len(chosen) - len(before))


def _read_by(folder: WorldFolder, tasks: Sequence[Task], old: Mapping[Path, Cassette], scratch: Path) -> set[bytes]:
    """The identities of what the tasks' gold chains read, and of what was recorded for the tasks."""
    with CassetteWorld(folder, old, scratch) as world:
        for task in tasks:
            _run(world, task)
        own = {folder.path / "tasks" / task.id for task in tasks}
        items = (item for path, cassette in old.items() if path.parent in own for item in cassette.interactions)
        return world.read | {question_of(item)[0] for item in items}


def _require_askable(folder: WorldFolder, wanted: Sequence[RepeatedRequest], asking: Asking) -> None:
    if not wanted:
        raise BadInput(
            "no recorded request is there to ask again",
            where=folder.path,
            next_command=f"caia-replay record --urls FILE --suite {folder.info.id}, or --task ID --origin live",
        )
    mapped = origins_of(asking.host_map)
    urls = [httpx2.URL(question.item.uri) for question in wanted]
    if folder.info.seed is not None and any(origin(url) not in mapped for url in urls):
        raise BadInput(
            "the world grew from a seed, so nobody can be asked again", where=folder.path / "world.toml",
            next_command="name a suite that was recorded",
        )  # fmt: skip
    try:
        allow = {url.host for url in urls}
        items = [question.item for question in wanted]
        refuse_unaskable(items, providers_over({}), host_map=asking.host_map, allow=allow, where=folder.path)
    except BadInput as fault:
        step = "lead its origin to a server of this machine: --map ORIGIN=http://127.0.0.1:PORT"
        raise BadInput(fault.what, where=folder.path, next_command=step) from None
    held = {name for question in wanted for name in question.item.request_headers}
    for name in asking.headers:
        if name.lower() not in held:
            what = f"no recorded request has the header {name!r:.60}"
            raise BadInput(what, where=folder.path, nearest=nearest(name.lower(), sorted(held)))
    given, vendors = {name.lower() for name in asking.headers}, {key.host for key in KEYS}
    for question, url in zip(wanted, urls):
        put_on(asking, question)
        if origin(url) in mapped or url.host in vendors:
            continue
        for name, lines in question.item.request_headers.items():
            if name not in given and any(line.rpartition(" ")[2] == SCRUBBED for line in lines):
                what = f"{origin(url)} was asked with a key in the header {name}"
                raise BadInput(what, where=folder.path, next_command=f"add --header {name}=VARIABLE")


def _ask(
    scratch: Path,
    folder: WorldFolder,
    wanted: Sequence[RepeatedRequest],
    asking: Asking,
    say: Callable[[str], None],
) -> Replies:
    replies: dict[object, Sequence[Interaction] | str] = {}
    with AskAgain(scratch / "asked", folder.seal.digest, asking) as asked:
        for number, question in enumerate(wanted, start=1):
            try:
                replies[question.name] = asked.answers(question)
            except Silent as reason:
                replies[question.name] = str(reason)
            if number % _EVERY == 0:
                say(f"{number} of {len(wanted)} requests")
    reasons = [reply for reply in replies.values() if isinstance(reply, str)]
    if len(reasons) == len(wanted):
        again = "the same command when the server answers"
        raise BadInput(f"nothing was answered: {reasons[0]}", where=folder.path, next_command=again)
    return replies


def _replaced(
    old: Mapping[Path, Cassette], replies: Replies
) -> tuple[dict[Path, Cassette], dict[bytes, list[tuple[Interaction, Interaction]]]]:
    """The cassettes with the new replies in place of the old, and each question's old and new replies, in pairs.

    A reply that differs in no field stays as it is, and so does a "later" that was recorded: it tells of that day.
    """
    new: dict[Path, Cassette] = {}
    pairs: dict[bytes, list[tuple[Interaction, Interaction]]] = {}
    for path, cassette in old.items():
        items: list[Interaction] = []
        places: Counter[object] = Counter()
        for item in cassette.interactions:
            name = question_of(item)
            found = replies.get(name, "")
            lasting = () if isinstance(found, str) else [one for one in found if one.status not in BUSY] or found
            if not lasting or item.status in BUSY:
                items.append(item)
                continue
            # A recorder drops the repeats at the end of a sequence, where playback stays anyway.
            now = lasting[min(places[name], len(lasting) - 1)]
            places[name] += 1
            pairs.setdefault(name[0], []).append((item, now))
            items.append(in_place_of(item, now) if differences([item], [now]) else item)
        new[path] = replace(cassette, interactions=tuple(items))
    return new, pairs


def in_place_of(old: Interaction, now: Interaction) -> Interaction:
    """``now`` under the request and the date of ``old``."""
    headers = {name: lines for name, lines in now.headers.items() if name != "date"}
    headers |= {name: lines for name, lines in old.headers.items() if name == "date"}
    return replace(old, status=now.status, reason=now.reason, headers=headers, body=now.body)


def _played(
    folder: WorldFolder, tasks: Sequence[Task], cassettes: Mapping[Path, Cassette], scratch: Path
) -> dict[str, GoldRun]:
    """What each task's gold chain gives over ``cassettes``, of those that have one and are recorded."""
    with CassetteWorld(folder, cassettes, scratch) as world:
        runs = {task.id: _run(world, task) for task in tasks}
    return {name: run for name, run in runs.items() if run is not None}


def _run(world: CassetteWorld, task: Task) -> GoldRun | None:
    if not task.gold.result:
        return None
    try:
        world.require_anchor(task)
    except BadInput:
        return None  # recorded later than others of its suite
    with WorldToolset(world.task(task)) as tools:
        return run_gold(task.gold, tools)


def _compared(task: Task, before: Mapping[str, GoldRun], after: Mapping[str, GoldRun]) -> AnswerDrift | None:
    """How a task's answer changed; None where it is the same, or the verifier accepts both."""
    if task.id not in before:
        return None
    old, new = before[task.id], after[task.id]
    if old.answer == new.answer:
        return None
    score = verify(task.answer, new.answer, task.question)
    if score.correct and verify(task.answer, old.answer, task.question).correct:
        return None
    verdict = f"the suite expects {'; '.join(task.answer.values)}"
    if score.correct is not None:
        verdict = f"{'accepted' if score.correct else 'not accepted'}, {verdict}"
    return AnswerDrift(task.id, old.answer, new.answer, new.fault or verdict)

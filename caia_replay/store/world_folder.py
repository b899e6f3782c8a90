"""World folders: finding them, and reading world.toml, suite.toml, tasks and overlays.

cassettes/<world>/  world.toml  suite.toml  tools.toml  seal.json  http/*.json
                    tasks/<task_id>/{task.toml, http.json, moment.json}  overlays/<campaign>.toml

A task's http.json is what its gold chain asks; moment.json is what else was the case at its moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from caia_replay.canonical import digest_bytes
from caia_replay.core.overlay import Overlay
from caia_replay.core.own_tool import OwnTools
from caia_replay.core.suite import Suite
from caia_replay.core.task import Task
from caia_replay.errors import BadInput, SealBroken, nearest
from caia_replay.home import home, is_installed, packaged_worlds, restore, world_roots
from caia_replay.store.overlay_file import read_overlay
from caia_replay.store.plain import build, read_toml, thawed, toml_text
from caia_replay.store.seal import SEAL, Seal, check_seal, write_atomic, write_seal

TASK_CASSETTES = ("http.json", "moment.json")
"""A task's own cassettes, in order of precedence."""

TOOLS = "tools.toml"
"""The suite's own tools, where it has some."""

DEFAULT_SUITE = "synthetic-178"
"""What is run where nobody names a suite; beside a single other one, that."""

_FOLDER_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class WorldInfo:
    """world.toml. ``chains`` name folders under chain_snapshots/ beside cassettes/; ``seed`` is what a
    synthetic world grows from. ``base`` is another world beside this one whose recordings this one reads as its own,
    and ``base_digest`` says which bytes of it are meant (``Seal.digest_without_overlays``)."""

    id: str
    provenance: Literal["synthetic", "imported", "live"]
    chains: tuple[str, ...]
    comparable_to_published_caia: bool
    about: str
    canary: str = ""
    seed: int | None = None
    base: str | None = None
    base_digest: str | None = None


@dataclass(frozen=True, slots=True)
class WorldFolder:
    """One world on disk, its seal already checked.

    What is read from it later must still have the bytes of its seal, and a task is read once; not so in a draft, which
    is written to while it is open.
    """

    path: Path
    info: WorldInfo
    suite: Suite
    seal: Seal
    base: WorldFolder | None = None
    is_draft: bool = False
    _tasks: dict[str, Task] = field(default_factory=dict, compare=False, repr=False)

    @property
    def snapshots(self) -> Path:
        """The folder with the chain snapshots this world stands on."""
        return snapshots_of(self.path)

    def task(self, task_id: str) -> Task:
        """One task by id. Raises ``BadInput`` naming the nearest id."""
        if not self.is_draft and task_id in self._tasks:
            return self._tasks[task_id]
        known = [entry.id for entry in self.suite.entries]
        if task_id not in known:
            raise BadInput(
                f"no task {task_id!r} in suite {self.suite.id}",
                where=self.path / "suite.toml",
                nearest=nearest(task_id, known),
                next_command=f"caia-replay verify --suite {self.suite.id}",
            )
        self._tasks[task_id] = load_task(self.path / "tasks" / task_id, self.sealed(f"tasks/{task_id}/task.toml"))
        return self._tasks[task_id]

    def sealed(self, name: str) -> str:
        """The digest that a file's bytes must have, by its path in the folder; "" in a draft, where it may change."""
        return "" if self.is_draft else self.seal.files.get(name, "")

    def cassettes(self, task_id: str | None = None) -> list[Path]:
        """Every cassette, in order of precedence: the named task's own, the shared ones, other tasks', the base's."""
        shared = sorted((self.path / "http").glob("*.json"))
        tasks = [path for name in TASK_CASSETTES for path in sorted((self.path / "tasks").glob(f"*/{name}"))]
        own = [path for path in tasks if path.parent.name == task_id]
        others = [path for path in tasks if path not in own]
        return own + shared + others + ([] if self.base is None else self.base.cassettes())

    def sealed_files(self) -> dict[Path, str]:
        """The digest of every sealed file of this world and of its base, by its path."""
        own = {self.path / name: found for name, found in self.seal.files.items()}
        return own if self.base is None else {**self.base.sealed_files(), **own}

    def own_tools(self) -> OwnTools:
        """What tools.toml says; nothing where there is none. Raises ``BadInput``."""
        path = self.path / TOOLS
        if not path.is_file() and TOOLS not in self.seal.files:
            return OwnTools()
        return build(OwnTools, read_toml(path, self.sealed(TOOLS)), path)

    def has_overlay(self, campaign: str) -> bool:
        """Whether the world has a file of its own of what a campaign adds."""
        return (self.path / "overlays" / f"{campaign}.toml").is_file()

    def overlay(self, campaign: str) -> Overlay:
        """What a campaign adds by the world's own file. Raises ``BadInput`` naming the campaigns there are."""
        path = self.path / "overlays" / f"{campaign}.toml"
        if not path.is_file():
            known = [found.stem for found in sorted((self.path / "overlays").glob("*.toml"))]
            raise BadInput(
                f"world {self.info.id} has no campaign {campaign!r}",
                where=path.parent,
                nearest=nearest(campaign, known) or ", ".join(known),
                next_command=f"{'one of those, or ' if known else ''}only the clean arm: --arm clean (make: ARM=clean)",
            )
        return read_overlay(path, self.sealed(f"overlays/{path.name}"))


def snapshots_of(world: Path) -> Path:
    """chain_snapshots/ beside the cassettes/ folder that holds ``world``."""
    return world.resolve().parent.parent / "chain_snapshots"


def open_world(suite: str) -> WorldFolder:
    """The world of a suite, found by name from the current folder upwards or given as a folder; seal checked."""
    path = find_world(suite, Path.cwd())
    return _read(path, check_seal(path, snapshots_of(path)))


def open_draft(path: Path) -> WorldFolder:
    """The world in a folder that may lack its seal or whole chains, to be recorded into.

    Its own sealed files must still be as they were sealed.
    """
    if not (path / SEAL).exists():
        return _read(path, Seal({}, {}, ""), is_draft=True)
    return _read(path, check_seal(path, snapshots_of(path), recording=True), is_draft=True)


def require_unchanged(folder: WorldFolder) -> None:
    """Raise ``SealBroken`` where an open world, or its base, is no longer what it was when it was opened."""
    for one in (folder, folder.base):
        if one is not None and check_seal(one.path, snapshots_of(one.path)).digest != one.seal.digest:
            again = "the command that was running, once more from its beginning"
            raise SealBroken("the world was sealed anew while it was used", where=one.path, next_command=again)


def _read(path: Path, seal: Seal, *, is_draft: bool = False) -> WorldFolder:
    info_file, suite_file = path / "world.toml", path / "suite.toml"
    info = build(WorldInfo, read_toml(info_file, seal.files.get("world.toml", "")), info_file)
    content = build(Suite, read_toml(suite_file, seal.files.get("suite.toml", "")), suite_file)
    for name in (*info.chains, *(entry.id for entry in content.entries)):
        if not _FOLDER_NAME.fullmatch(name):
            raise BadInput(f"{name!r} is no folder name", where=suite_file, nearest="a-z, 0-9, dot, dash, underscore")
    return WorldFolder(path, info, content, seal, _base(path, info), is_draft)


def _base(path: Path, info: WorldInfo) -> WorldFolder | None:
    """The world beside this one that it reads from, checked. Raises ``SealBroken`` when it is not the one meant."""
    if info.base is None:
        return None
    if not _FOLDER_NAME.fullmatch(info.base) or info.base == path.name:
        raise BadInput(f"{info.base!r:.80} is no other world's folder", where=path / "world.toml")
    beside = path.parent / info.base
    if not _is_world(beside):
        what = f"world {path.name} reads the recordings of {info.base}, which is not beside it"
        raise BadInput(what, where=path.parent, next_command=restore(beside))
    found = _read(beside, check_seal(beside, snapshots_of(beside)))
    if found.info.base is not None:
        raise BadInput(f"{info.base} has a base itself, and bases are no chain", where=path / "world.toml")
    if found.seal.digest_without_overlays != info.base_digest:
        raise SealBroken(
            f"not the world that {path.name} was sealed with",
            where=beside,
            next_command=f"{restore(beside)}, or build {path.name} again",
        )
    return found


def read_info(path: Path) -> WorldInfo:
    """world.toml of a world folder."""
    return build(WorldInfo, read_toml(path / "world.toml"), path / "world.toml")


def find_world(suite: str, start: Path) -> Path:
    """The folder of a suite's world: ``suite`` as a path, else its name in the cassettes/ of ``world_roots``; "" is
    the default."""
    if not suite:
        suite = _default(start)
    direct = Path(suite)
    if _is_world(direct):
        return direct
    known: list[str] = []
    for folder in world_roots(start):
        cassettes = folder / "cassettes"
        if _is_world(cassettes / suite):
            return cassettes / suite
        known += _worlds_in(cassettes)
    raise BadInput(
        f"no suite {suite!r}",
        where=start / "cassettes",
        nearest=nearest(suite, known) or ", ".join(known) or "none here",
        next_command="caia-replay worlds list"
        if known
        else "the same command beside a cassettes/ folder, or caia-replay worlds add WORLDS",
    )


def _default(start: Path) -> str:
    """``DEFAULT_SUITE``, or the one suite of the nearest cassettes/ folder that has not that one and no third; where
    no such folder is near, of all that are installed."""
    for folder in (start, *start.parents):
        if known := _worlds_in(folder / "cassettes"):
            return known[0] if len(known) == 1 else DEFAULT_SUITE
    installed = {name for folder in world_roots(start) for name in _worlds_in(folder / "cassettes")}
    return installed.pop() if len(installed) == 1 else DEFAULT_SUITE


def _worlds_in(cassettes: Path) -> list[str]:
    """The names of the worlds in a folder, sorted."""
    return [found.name for found in sorted(cassettes.glob("*")) if _is_world(found)]


def _is_world(folder: Path) -> bool:
    """A folder that lost its world.toml is still one, so that its seal can say so."""
    return (folder / "world.toml").is_file() or (folder / SEAL).is_file()


def find_task(task_id: str, start: Path | None = None) -> WorldFolder:
    """The world that holds a task, when only the task's id is given. An id in two worlds is ``BadInput``."""
    return open_world(str(find_task_world(task_id, start)))


def worlds_on(snapshots: Path, chain: str) -> list[Path]:
    """The world folders beside ``snapshots`` whose world.toml names ``chain``, sorted."""
    worlds = sorted(path for path in (snapshots.parent / "cassettes").glob("*") if (path / "world.toml").is_file())
    return [path for path in worlds if chain in read_info(path).chains]


def find_task_world(task_id: str, start: Path | None = None) -> Path:
    """The folder of the one world that has a task of this id, from ``start`` upwards. Raises ``BadInput``."""
    start = start or Path.cwd()
    known: list[str] = []
    for folder in world_roots(start):
        tasks = [path for path in sorted((folder / "cassettes").glob("*/tasks/*")) if path.is_dir()]
        holding = [path.parent.parent for path in tasks if path.name == task_id]
        if len(holding) > 1:
            names = ", ".join(path.name for path in holding)
            raise BadInput(f"task {task_id!r} is in several suites: {names}", next_command="add --suite")
        if holding:
            return holding[0]
        known += [path.name for path in tasks]
    if not known:
        raise BadInput(f"no task {task_id!r}: no cassettes/ folder here or above", where=start)
    raise BadInput(
        f"no task {task_id!r}",
        where=start,
        nearest=nearest(task_id, known),
        next_command="caia-replay task list --suite NAME",
    )


def load_task(folder: Path, sealed: str = "") -> Task:
    """One task folder. A task's id is its folder's name. ``sealed`` as in ``read_toml``."""
    path = folder / "task.toml"
    task = build(Task, read_toml(path, sealed), path)
    if task.id != folder.name:
        raise BadInput(f"field 'id' is {task.id!r}, the folder is named {folder.name!r}", where=path)
    return task


def _require_own(world: Path) -> None:
    if is_installed(world):
        copy = f"mkdir -p cassettes && cp -r {world} cassettes/ && cp -rn {world.parents[1] / 'chain_snapshots'} ."
        raise BadInput("an installed world is not changed; work on a copy", where=world, next_command=copy)


def save_task(folder: Path, task: Task) -> None:
    """Write task.toml for ``task`` below the world's ``folder``/tasks. Raises ``BadInput`` for an installed world, as
    ``save_world`` and ``seal_world`` do."""
    _require_own(folder)
    write_atomic(folder / "tasks" / task.id / "task.toml", toml_text(thawed(task)).encode())


def save_world(folder: Path, info: WorldInfo, suite: Suite) -> None:
    """Write world.toml and suite.toml."""
    _require_own(folder)
    write_atomic(folder / "world.toml", toml_text(thawed(info)).encode())
    write_atomic(folder / "suite.toml", toml_text(thawed(suite)).encode())


def seal_world(folder: Path) -> Seal:
    """Seal a world as it is now, with the snapshots its world.toml names."""
    _require_own(folder)
    return write_seal(folder, snapshots_of(folder), read_info(folder).chains)


def cache_of(world: Path) -> Path:
    """.cache/ beside the cassettes/ folder that holds ``world``: what is in it can be thrown away at any time.

    For a world that came in a package it is elsewhere: what pip installed stays as it is.
    """
    root, own = world.resolve().parent.parent, home()
    if own is not None and root in packaged_worlds():
        return own / f"packaged-{digest_bytes(str(root).encode('utf-8', 'surrogateescape'))[7:23]}"
    return root / ".cache"

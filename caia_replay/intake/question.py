"""An intake folder: raw questions, a file each, named by what they say.

    FOLDER/intake.toml             the folder's form; .gitignore beside it names what is not shared
    FOLDER/rubric.toml             optional: own criteria (rubric.py)
    FOLDER/questions/<id>.toml     one question
    FOLDER/ledger/<id>/*.json      what was found and decided of it (ledger.py)
    FOLDER/model_tapes/<name>/     what judge models answered

A question's id is a digest of its content. So two people who add the same question write the same file, and branches
of version control merge without conflicts. Nothing in a file depends on when, where or by which command it was made.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from caia_replay.canonical import canonical_bytes
from caia_replay.errors import BadInput, nearest
from caia_replay.store.plain import build, read_toml, thawed, toml_text
from caia_replay.store.seal import write_atomic

MARK: Final = "intake.toml"
QUESTIONS: Final = "questions"
FORMAT: Final = 1
ID: Final = re.compile(r"q-[0-9a-f]{16}")
_UNSHARED: Final = b"/.drafts/\n/.tape/\n"
"""What a person has typed and not given yet, and what a judge has answered that is not on its tape yet."""
_CHINESE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_ADD: Final = "caia-replay intake add FILE --into FOLDER"


@dataclass(frozen=True, slots=True)
class Question:
    """A raw question as its author gave it. Empty texts: the author said nothing of it.

    ``source`` is where the answer can be looked up, ``author`` a name of the author's choice. ``more`` holds what else
    the author's file said, by its column or field, as text.
    """

    question: str
    answer: str = ""
    category: str = ""
    author: str = ""
    source: str = ""
    more: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def id(self) -> str:
        """``q-`` and 16 hexadecimal digits of the SHA-256 of the content."""
        return f"q-{hashlib.sha256(canonical_bytes(thawed(self))).hexdigest()[:16]}"

    @property
    def language(self) -> str:
        """``zh`` where the question has a Chinese character, else ``en``."""
        return "zh" if _CHINESE.search(self.question) else "en"


@dataclass(frozen=True, slots=True)
class Added:
    """What adding did: the ids of new questions in the order they came, and how many the folder had already."""

    new: tuple[str, ...]
    known: int


@dataclass(frozen=True, slots=True)
class _Mark:
    format: int


def add_questions(folder: Path, questions: Sequence[Question]) -> Added:
    """Write questions into a folder that is new, empty or an intake folder. Those that are there stay as they are.

    All are written or none. Raises ``BadInput`` for another folder, ``OSError`` where it cannot be written.
    """
    _require_usable(folder)
    place, written, known = folder / QUESTIONS, list[Path](), 0
    texts = {one.id: _text(one) for one in questions}
    is_new = not (folder / MARK).exists()
    try:
        if is_new:
            written += [folder / MARK, folder / ".gitignore"]
            write_atomic(folder / MARK, f"format = {FORMAT}\n".encode())
            write_atomic(folder / ".gitignore", _UNSHARED)
        for name, text in texts.items():
            path = place / f"{name}.toml"
            if path.exists():
                known += 1
                continue
            write_atomic(path, text.encode())
            written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return Added(tuple(path.stem for path in written if path.parent == place), known + len(questions) - len(texts))


def read_folder(folder: Path) -> dict[str, Question]:
    """The questions of an intake folder by id, sorted. Raises ``BadInput`` for no intake folder, and for a file that is
    not the question it is named for."""
    require_intake(folder)
    paths = sorted((folder / QUESTIONS).glob("*.toml"))
    return {path.stem: _read(path) for path in paths if not path.name.startswith(".")}


def read_question(folder: Path, question_id: str) -> Question:
    """One question. Raises ``BadInput`` naming the nearest id where it is not there."""
    require_intake(folder)
    path = folder / QUESTIONS / f"{question_id}.toml"
    if ID.fullmatch(question_id) and path.exists():
        return _read(path)
    known = [found.stem for found in (folder / QUESTIONS).glob("q-*.toml")]
    short = sorted(name for name in known if len(question_id) >= 3 and name.startswith(question_id))
    if len(short) == 1:
        return _read(path.with_name(f"{short[0]}.toml"))
    if short:
        near = ", ".join(short[:5]) + (f" and {len(short) - 5} more" if len(short) > 5 else "")
        what = f"{len(short)} questions begin with {question_id!r:.60}"
        raise BadInput(what, where=folder, nearest=near, next_command="more digits of the one you mean")
    raise BadInput(
        f"no question {question_id!r:.60} here",
        where=folder,
        nearest=nearest(question_id, known),
        next_command=f"caia-replay intake list {folder}",
    )


def require_intake(folder: Path) -> None:
    """Raise ``BadInput`` unless ``folder`` is an intake folder of a form that is read here."""
    if not (folder / MARK).is_file():
        raise BadInput("is no intake folder: it has no intake.toml", where=folder, next_command=_ADD)
    mark = build(_Mark, read_toml(folder / MARK), folder / MARK)
    if mark.format != FORMAT:
        raise BadInput(f"format {mark.format}, wanted {FORMAT}", where=folder / MARK, next_command="a newer version")


def find_folder(start: Path) -> Path:
    """The intake folder a command means that names none: ``start``, or the only one right below it."""
    if (start / MARK).is_file():
        return start
    below = sorted(path.parent for path in start.glob(f"*/{MARK}"))
    if len(below) == 1:
        return below[0]
    what = "no intake folder is here" if not below else f"{len(below)} intake folders are here"
    near = ", ".join(path.name for path in below[:5])
    raise BadInput(what, where=start, nearest=near, next_command="name it: --folder FOLDER")


def _require_usable(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BadInput("is no folder", where=folder, next_command="--into a new folder")
    if (folder / MARK).exists():
        require_intake(folder)
    elif folder.exists() and any(path.name != QUESTIONS for path in folder.iterdir()):
        raise BadInput("holds something else than questions", where=folder, next_command="--into a new folder")


def _text(question: Question) -> str:
    """A file's text. Fields the author left empty are left out. Raises ``ValueError`` for what no text file holds."""
    said = {name: value for name, value in thawed(question).items() if value}
    if question.more:
        said["more"] = dict(sorted(question.more.items()))
    text = toml_text(said)
    text.encode()
    if build(Question, tomllib.loads(text), "") != question:
        raise ValueError("has characters that no text file keeps")
    return text


def check_writable(question: Question) -> str:
    """Why a question cannot be kept as it is, in words; empty where it can."""
    try:
        _text(question)
    except (ValueError, BadInput) as fault:
        return str(fault) if not isinstance(fault, UnicodeError) else "has half a character (a lone surrogate)"
    return ""


def _read(path: Path) -> Question:
    question = build(Question, read_toml(path), path)
    if question.id != path.stem:
        raise BadInput(
            f"its content has the id {question.id}: the file was changed",
            where=path,
            next_command="put it back; to change a question, drop it and add the new one",
        )
    return question

"""CAIA's two question files, read as a stranger's: the CSV of 178 rows and the older task JSON without answers; and the
folder that an import of them is written to, whole or not at all.

CSV ``id, question, answer, category``; JSON a list of ``{task_id, question, level, category}``. Neither has a licence:
what is read here goes into the user's own folders and nowhere else.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args

from caia_replay.canonical import digest, strict_json
from caia_replay.core.task import Category
from caia_replay.errors import BadInput, nearest
from caia_replay.store.plain_file import read_text
from caia_replay.store.seal import SEAL, UNFINISHED, write_atomic

MAX_BYTES: Final = 16 * 2**20
MAX_ROWS: Final = 10_000
MAX_QUESTION: Final = 20_000
MAX_ANSWER: Final = 100_000
"""Characters."""

_CSV_COLUMNS: Final = ("id", "question", "answer", "category")
_CATEGORIES: Final[Mapping[str, Category]] = MappingProxyType(
    {name.replace("-", ""): name for name in get_args(Category)}
)
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,79}")
_CHINESE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_FOLDER: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class CaiaRow:
    """One question as CAIA states it. ``answer`` is None where the file has none; ``level`` 1 is the easiest.

    ``task_id`` is the folder's name here: CAIA's "7" is ``caia-007``. ``question_digest`` stands for the question
    where its text may not.
    """

    id: str
    task_id: str
    question: str
    answer: str | None
    category: Category
    level: int | None = None

    @property
    def language(self) -> str:
        """``zh`` where the question has a Chinese character, else ``en``."""
        return "zh" if _CHINESE.search(self.question) else "en"

    @property
    def question_digest(self) -> str:
        """``question_digest`` of the question."""
        return question_digest(self.question)


def question_digest(question: str) -> str:
    """SHA-256 over the question with its runs of white space made one space and its ends cut."""
    return digest(" ".join(question.split()))


def read_rows(path: Path) -> list[CaiaRow]:
    """The rows of CAIA's CSV or task JSON, in the file's order; which of the two it is, its content says.

    Raises ``BadInput``, naming file and row, for a file that is missing, no plain file, over ``MAX_BYTES``, not UTF-8,
    of neither form, without rows, or with a row that lacks a field, repeats an id or has one that names no folder.
    """
    text = read_text(path, MAX_BYTES)
    if text.lstrip()[:1] in ("[", "{"):
        rows = [_json_row(item, f"{path}, task {at}") for at, item in enumerate(json_list(text, path), start=1)]
    else:
        rows = _csv_rows(text, path)
    if not rows:
        raise BadInput("holds no task", where=path, next_command="caia-replay import caia benchmark_178.csv --out DIR")
    refuse_repeats([row.task_id for row in rows], path)
    return rows


def json_list(text: str, path: Path) -> list[Any]:
    """A JSON list of at most ``MAX_ROWS``. Raises ``BadInput``."""
    try:
        content = strict_json(text)
    except ValueError as fault:
        raise BadInput(f"is no JSON: {fault!s:.200}", where=path) from None
    if not isinstance(content, list) or len(content) > MAX_ROWS:
        raise BadInput(f"is no JSON list of at most {MAX_ROWS} tasks", where=path)
    return content


def refuse_repeats(task_ids: list[str], path: Path) -> None:
    """Raise ``BadInput`` for the first id that an earlier row has; letter case is none, for file systems without."""
    seen: set[str] = set()
    for task_id in task_ids:
        if task_id.casefold() in seen:
            raise BadInput(
                f"two rows have the id that becomes {task_id!r}", where=path, next_command="give each its own"
            )
        seen.add(task_id.casefold())


def folder_id(prefix: str, given: str, where: str) -> str:
    """A task's id: ``prefix``, a dash, and what the file says; numbers get three digits. Raises ``BadInput``."""
    if not _ID.fullmatch(given):
        wanted = "letters, digits, dash and underscore, 80 at most"
        raise BadInput(f"id {given[:60]!r} cannot name a folder", where=where, nearest=wanted)
    return f"{prefix}-{int(given):03d}" if given.isdigit() else f"{prefix}-{given}"


def text_field(item: Mapping[str, Any], name: str, most: int, where: str) -> str:
    """A text of a stranger's record, its ends cut. Raises ``BadInput`` when it is missing, too long or no text."""
    if name not in item:
        raise BadInput(f"has no {name!r}", where=where, nearest=nearest(name, map(str, item)))
    value = item[name]
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{name!r} is {'empty' if value == '' or isinstance(value, str) else 'no text'}", where=where)
    if len(value) > most:
        raise BadInput(f"{name!r} has {len(value)} characters, more than {most}", where=where)
    if "\x00" in value or any("\ud800" <= c <= "\udfff" for c in value):
        raise BadInput(f"{name!r} holds what no text file can (NUL or half a surrogate pair)", where=where)
    return value.strip()


def _csv_rows(text: str, path: Path) -> list[CaiaRow]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[CaiaRow] = []
    try:
        header = [name.strip().casefold() for name in next(reader, [])]
        for name in _CSV_COLUMNS:
            if header.count(name) != 1:
                words = f"has {header.count(name) or 'no'} column{'s' * (header.count(name) > 1)} {name!r}"
                raise BadInput(
                    words, where=path, nearest=nearest(name, header), next_command="id,question,answer,category"
                )
        for cells in reader:
            where = f"{path}, line {reader.line_num}"
            if not cells:
                continue
            if len(cells) != len(header):
                raise BadInput(f"{len(cells)} cells below a header of {len(header)}", where=where)
            rows.append(_csv_row(dict(zip(header, cells, strict=True)), where))
            if len(rows) > MAX_ROWS:
                raise BadInput(f"has more than {MAX_ROWS} rows", where=path)
    except csv.Error as fault:
        raise BadInput(f"is no CSV: {fault}", where=f"{path}, line {reader.line_num}") from None
    return rows


def _csv_row(item: Mapping[str, Any], where: str) -> CaiaRow:
    given = text_field(item, "id", 80, where)
    return CaiaRow(
        given,
        folder_id("caia", given, where),
        text_field(item, "question", MAX_QUESTION, where),
        text_field(item, "answer", MAX_ANSWER, where),
        _category(text_field(item, "category", 100, where), where),
    )


def _json_row(item: Any, where: str) -> CaiaRow:
    if not isinstance(item, Mapping):
        raise BadInput("is no JSON object", where=where)
    given = text_field(item, "task_id", 80, where)
    return CaiaRow(
        given,
        folder_id("caia", given, where),
        text_field(item, "question", MAX_QUESTION, where),
        text_field(item, "answer", MAX_ANSWER, where) if "answer" in item else None,
        _category(text_field(item, "category", 100, where), where),
        level_of(item, where),
    )


def level_of(item: Mapping[str, Any], where: str) -> int:
    """A task's ``level``, a whole number from 1 to 10. Raises ``BadInput``."""
    level = item.get("level")
    if type(level) is not int or not 1 <= level <= 10:
        raise BadInput(f"'level' is {level!r:.40}, not a whole number from 1 to 10", where=where)
    return level


def _category(text: str, where: str) -> Category:
    name = " ".join(text.casefold().replace("-", "").split())
    if name not in _CATEGORIES:
        raise BadInput(f"unknown category {text[:60]!r}", where=where, nearest=nearest(name, _CATEGORIES))
    return _CATEGORIES[name]


def require_free(out: Path) -> None:
    """Raise ``BadInput`` unless ``out`` can become a folder of its own: named like one, not there or empty, and in no
    sealed world."""
    if not _FOLDER.fullmatch(out.name):
        raise BadInput(f"{out.name!r} cannot name a suite", where=out, nearest="a-z, 0-9, dot, dash, underscore")
    if os.path.lexists(out) and (out.is_symlink() or not out.is_dir() or any(out.iterdir())):
        raise BadInput("exists, and nothing is written over", where=out, next_command="choose another --out")
    for folder in out.absolute().parents:
        if (folder / SEAL).is_file():
            raise BadInput(f"lies inside {folder}, which is sealed", where=out, next_command="choose another --out")


def write_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` by relative path into a folder beside ``out``, and give it that name when all of them are there.

    Raises ``BadInput`` as ``require_free``, and when the place cannot be written.
    """
    require_free(out)
    staging = out.with_name(f".{out.name}.{os.getpid()}{UNFINISHED}")
    try:
        staging.mkdir(parents=True)
        for name, data in files.items():
            write_atomic(staging / name, data)
        staging.rename(out)
    except OSError as fault:
        raise BadInput(
            f"cannot be written: {fault.strerror}", where=out, next_command="choose another --out"
        ) from fault
    finally:
        shutil.rmtree(staging, ignore_errors=True)

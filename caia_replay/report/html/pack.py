"""Conversations and columns as the page holds them: each text once, compressed, equal bytes for equal runs."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from caia_replay.report.html.source import ROW, Source, SourceCell
from caia_replay.report.talk import Step, Talk

LONGEST_CELL: Final = 200
"""Letters of an answer in the table of all runs; its conversation has the whole of it."""
_COLUMNS_OF_TEXT: Final = ("stop", "answer", "reason", "cost_usd", "adopted_attack", "loss_usd")


def packed(value: Any) -> str:
    """JSON, deflated without a header, in base64: what a browser unpacks by itself, and no letter of it is markup."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))  # half letters survive as escapes
    return base64.b64encode(deflate.compress(text.encode()) + deflate.flush()).decode()


def columns(cell: SourceCell, tasks: Mapping[str, int]) -> dict[str, Any]:
    """A cell's runs as columns; texts by their place in ``values``."""
    found: dict[str, Any] = {"task": [tasks[row["task"]] for row in cell.rows]}
    for name in ROW[1:]:
        column = [row[name] for row in cell.rows]
        if name == "correct" or all(one is None or isinstance(one, bool) for one in column):
            column = [None if one is None else int(one) for one in column]
        if name in _COLUMNS_OF_TEXT:
            column = [one if one is None or len(one) <= LONGEST_CELL else f"{one[:LONGEST_CELL]}…" for one in column]
            values = list(dict.fromkeys(column))
            places = {value: at for at, value in enumerate(values)}
            found[name] = {"values": values, "at": [places[one] for one in column]}
        else:
            found[name] = column
    return found


class Texts:
    """Texts by number, in the order they are met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The text's number, a new one where it is new."""
        return self._numbers.setdefault(text, len(self._numbers))

    def all(self) -> list[str]:
        """Every text in the order of its number."""
        return list(self._numbers)


def task_chunk(task: str, sources: Iterable[tuple[int, Source]], prompts: Texts) -> dict[str, Any]:
    """Everything that runs of one task said and were shown. ``prompts``: the system prompts, which all tasks share.

    A run is [source, cell, attempt, prompt, steps, tokens, detail, answer, reading, reason, planted, obeyed]; steps are
    numbers in ``steps``, whose texts are numbers in ``texts``.
    """
    texts, steps, runs = Texts(), dict[Step, int](), []
    for at, source in sources:
        for number, cell in enumerate(source.cells):
            for talk in cell.talks.get(task, ()):
                runs.append([at, number, *_run(talk, texts, steps, prompts)])
    shown = [_step(step, texts) for step in steps]
    return {"texts": texts.all(), "steps": shown, "runs": runs}


def _run(talk: Talk, texts: Texts, steps: dict[Step, int], prompts: Texts) -> list[Any]:
    prompt = [[role, prompts.number(text) if role == "system" else texts.number(text)] for role, text in talk.prompt]
    said = [steps.setdefault(step, len(steps)) for step in talk.steps]
    answer = None if talk.answer is None else texts.number(talk.answer)
    told = (talk.detail, answer, talk.reading, talk.reason, talk.planted, talk.obeyed)
    return [talk.attempt, prompt, said, talk.usage, *told]


def _step(step: Step, texts: Texts) -> list[Any]:
    if step[0] == "model":
        _, turn, content, reason, asked = step
        return ["m", turn, texts.number(content), reason, [[*call[:2], texts.number(call[2])] for call in asked]]
    _, turn, call, tool, arguments, served, shown, families, places, why, informs = step
    texts_of = texts.number(arguments), texts.number(shown), texts.number(why)
    return ["t", turn, call, tool, texts_of[0], served, texts_of[1], families, places, texts_of[2], int(informs)]


def expected_of(sources: Sequence[Source], task: str) -> Mapping[str, Any]:
    """What is known of a task, by the run that knows most of it."""
    known = [source.tasks[task] for source in sources if task in source.tasks]
    return max(known, key=len)

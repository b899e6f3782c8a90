"""The words of CAIA's own file, to be put back into a suite that was published without them."""

from __future__ import annotations

from pathlib import Path

from caia_replay.interop.caia_suite import read_suite
from caia_replay.recording.redactions import Words


def questions_of(path: Path) -> dict[str, Words]:
    """Question and answer of each row of CAIA's CSV or task JSON, by the id its import gives it.

    Answers are read as ``import caia`` reads them. Raises ``BadInput`` as that does.
    """
    return {task.id: Words(task.question, task.answer) for task in read_suite(path).tasks}

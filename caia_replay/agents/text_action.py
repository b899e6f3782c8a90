"""The action in a text-react message, read from whatever a model wrote, in time linear in its length."""

from __future__ import annotations

import re
from dataclasses import dataclass

from caia_replay.agents.json_text import escape_controls, is_json, object_end

# Possessive where two runs of the same marks meet: giving back from one to the other would take quadratic time.
_LABEL = re.compile(
    r"^[ \t*_#>`-]*+(?P<word>thought|action(?P<input>[ \t_]*input)?+|observation|final[ \t]+answer)"
    r"(?:[ \t]*\d{1,3})?+[ \t*_`]*+[:：][ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_NAME = re.compile(r"\s*(?P<name>[^\n{(]*)")
_BEFORE_OBJECT = re.compile(r"[\s(]*(?:`+\w*\s*)?(?=\{)")
_FENCE_AFTER = re.compile(r"\s*`+")
_AROUND_NAME = " \t\r*_`'\"[]<>"
_AROUND_INPUT = " \t\r\n`"


@dataclass(frozen=True, slots=True)
class Action:
    """A call as text: ``arguments`` is what was written for JSON, unchecked. ``said`` is the message up to its end."""

    tool: str
    arguments: str
    said: str


def find_action(text: str) -> Action | None:
    """The first action of a message; None without an ``Action:`` line.

    Labels stand at the start of a line, in any case, with marks around them, and end in either kind of colon. The
    input is the object after ``Action Input:``, in code fences or not, over as many lines as it takes; without an
    object it is the text up to the next label. Where that label is missing, an object after the tool's name counts,
    else the input is empty. No second action, nor an observation that the model invented, is ever read.
    """
    labels = list(_LABEL.finditer(text))
    at = next((at for at, label in enumerate(labels) if _kind(label) == "action"), None)
    if at is None:
        return None
    ends = [label.start() for label in labels[1:]] + [len(text)]
    found = _NAME.match(text, labels[at].end(), ends[at])
    assert found is not None, "the pattern matches nothing too"
    tool = found["name"].strip(_AROUND_NAME)
    for label, end in zip(labels[at + 1 :], ends[at + 1 :], strict=True):
        if _kind(label) == "input":
            written = _object(text, label.end(), end) or (label.end(), end, end)
            return _action(tool, text, *written)
        if _kind(label) != "thought":
            break
    return _action(tool, text, *(_object(text, found.end(), ends[at]) or (found.end(),) * 3))


def _kind(label: re.Match[str]) -> str:
    return "input" if label["input"] else label["word"].lower()


def _object(text: str, start: int, end: int) -> tuple[int, int, int] | None:
    """Where an object that opens between ``start`` and ``end`` does so, where it closes, and where its fence does.

    One that closes past ``end``, where the next label stands, must be JSON: then the label is part of a text in it.
    """
    opening = _BEFORE_OBJECT.match(text, start, end)
    closing = object_end(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    if closing > end and not is_json(text[opening.end() : closing]):
        return None
    fence = _FENCE_AFTER.match(text, closing)
    return opening.end(), closing, fence.end() if fence else closing


def _action(tool: str, text: str, start: int, end: int, said: int) -> Action:
    arguments = text[start:end].strip(_AROUND_INPUT)
    return Action(tool, escape_controls(arguments) if arguments.startswith("{") else arguments, text[:said].rstrip())

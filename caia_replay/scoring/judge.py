"""The optional judge of open answers: a model asked with one fixed prompt, whose replies are recorded and replayed.

Only answers of kind ``open`` come here; every other kind has a verifier, which no model overrules. What a judge
said is data: a reply is kept as it came, by the digest of (prompt, question, expected, answer), and its verdict is
read off it anew each time, so that nobody can edit a verdict without editing what the judge said.

An answer may be written to talk to the judge. It reaches the judge as one JSON string on one line, in ASCII and
without angle brackets, between delimiters that hold the case's own digest. No text can hold its own digest, so an
answer can neither close the delimiters nor say the line that a verdict is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caia_replay.canonical import digest, digest_bytes
from caia_replay.core.message import Message
from caia_replay.core.model import Model, PolicyHints, RunKey
from caia_replay.core.score import Score
from caia_replay.errors import BadInput, ModelFault
from caia_replay.scoring.answer import LONGEST, clean, folded

PROMPT: Final = Path(__file__).with_name("judge_prompt.md")
FORMAT: Final = 1
"""How a case is written into its message; a part of the prompt's version."""
FILE_VERSION: Final = 1
_ESCAPED: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_REPLY_LIMIT: Final = 20_000
"""Characters of a reply that are kept, from its end, where the verdict stands."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a judge sees of one answer. ``expected`` are the values of the task's ``AnswerSpec``."""

    question: str
    expected: tuple[str, ...]
    answer: str

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {"question": self.question, "expected": list(self.expected), "answer": self.answer}


def prompt_version() -> str:
    """The digest that stands for the prompt's bytes and the form a case is written in."""
    return digest({"prompt": digest_bytes(PROMPT.read_bytes()), "format": FORMAT})


def case_key(case: Case, prompt: str) -> str:
    """What a verdict is kept by: the digest of the prompt's version, question, expected values and answer."""
    return digest({"prompt": prompt, **case.plain()})


def case_messages(case: Case, key: str) -> tuple[Message, Message]:
    """The prompt, word for word, and the case as one line of JSON between delimiters that name its key."""
    line = json.dumps(case.plain(), sort_keys=True, ensure_ascii=True)
    for mark, escaped in _ESCAPED.items():  # JSON text has these marks inside strings alone
        line = line.replace(mark, escaped)
    short = _short(key)
    system = PROMPT.read_text("utf-8").rstrip("\n")
    return Message("system", system), Message("user", f"<submission {short}>\n{line}\n</submission {short}>")


def read_verdict(reply: str, key: str) -> bool | None:
    """What a reply decides: the line ``VERDICT <id>: RIGHT`` or ``WRONG`` at its end; None when it decides nothing.

    A second such line that says otherwise leaves it undecided.
    """
    line = re.compile(rf"[\s*_`]*VERDICT {_short(key)}: ?(RIGHT|WRONG)[\s*_`.]*")
    said = [found[1] if (found := line.fullmatch(text)) else None for text in reply.splitlines() if text.strip()]
    if not said or said[-1] is None or len(set(said) - {None}) > 1:
        return None
    return said[-1] == "RIGHT"


@dataclass(slots=True)
class Verdicts:
    """The recorded replies of one judge, by case: what a verdicts file holds."""

    judge: str
    cases: dict[str, tuple[str, Case, str]]
    """Key -> (version of the prompt it was asked with, case, reply)."""

    def plain(self) -> dict[str, Any]:
        """As JSON, with the whole case beside its key, so that people can read what was judged."""
        fields = {
            key: {"prompt": prompt, **case.plain(), "reply": reply} for key, (prompt, case, reply) in self.cases.items()
        }
        return {"version": FILE_VERSION, "judge": self.judge, "verdicts": fields}


def verdicts_from(content: Mapping[str, Any], where: object = "") -> Verdicts:
    """The verdicts of a file's content. Raises ``BadInput`` when it is of another form or a case is not its key's."""
    if content.get("version") != FILE_VERSION:
        raise BadInput(f"verdicts of version {content.get('version')!r}, wanted {FILE_VERSION}", where=where)
    judge, listed = content.get("judge"), content.get("verdicts")
    if not isinstance(judge, str) or not isinstance(listed, dict):
        raise BadInput("a verdicts file has a 'judge' and 'verdicts'", where=where)
    cases: dict[str, tuple[str, Case, str]] = {}
    for key, one in listed.items():
        try:
            case = Case(one["question"], tuple(one["expected"]), one["answer"])
            prompt, reply = one["prompt"], one["reply"]
            texts = (prompt, reply, case.question, case.answer, *case.expected)
        except (TypeError, KeyError) as fault:
            raise BadInput(f"verdict {key!r} lacks a member: {fault}", where=where) from fault
        if not all(isinstance(text, str) for text in texts) or case_key(case, prompt) != key:
            raise BadInput(f"verdict {key!r} is not of the case beside it", where=where)
        cases[key] = (prompt, case, reply)
    return Verdicts(judge, cases)


class Judge:
    """Scores open answers from recorded replies; with a ``model``, asks it for those nobody recorded.

    ``keep`` is called after every reply that was added, so that none that was paid for is lost.
    """

    def __init__(
        self, verdicts: Verdicts, model: Model | None = None, keep: Callable[[Verdicts], None] = lambda verdicts: None
    ) -> None:
        if model is not None and model.is_policy:
            raise BadInput(
                f"{model.name} is a script and judges nothing",
                where="--judge",
                next_command="--judge NAME, the name of a live model",
            )
        if model is not None and model.name != verdicts.judge:
            raise BadInput(
                f"the verdicts there are {verdicts.judge}'s, not {model.name}'s",
                where="--verdicts",
                next_command="another file: one file holds one judge",
            )
        self.asked = 0
        self._verdicts = verdicts
        self._model = model
        self._keep = keep
        self._prompt = prompt_version()
        self._seen = {case for _, case, _ in verdicts.cases.values()}
        self._tried: dict[str, str] = {}

    def score(self, case: Case, task: str) -> Score:
        """The verdict on one answer; unscored with its reason where no reply is recorded, or one decides nothing.

        An empty answer, and one too long to be read, are wrong like those of every kind: nobody is asked. A judge
        whose endpoint fails leaves the answer unscored and is asked again the next time. Raises ``BadInput`` for
        what would fail every case alike, a rejected key for one.
        """
        if not case.answer.strip():
            return Score(False, "no answer submitted")
        if len(case.answer) > LONGEST:
            return Score(False, f"an answer of more than {LONGEST} characters is not read")
        key = case_key(case, self._prompt)
        if self._model is not None and key not in self._tried and self._decided(key) is None:
            self._tried[key] = self._ask(self._model, case, key, task)
        if fault := self._tried.get(key):
            return Score(None, f"the judge failed: {fault}")
        if key not in self._verdicts.cases:
            return Score(None, "judged with another prompt only" if case in self._seen else "no verdict is recorded")
        right = self._decided(key)
        if right is None:
            return Score(None, "the judge's reply holds no verdict")
        # Right answers are one answer to a vote, however they are worded.
        reading = folded(clean("; ".join(case.expected) if right else case.answer))
        return Score(right, f"{self._verdicts.judge} judged it {'right' if right else 'wrong'}", reading or None)

    def _decided(self, key: str) -> bool | None:
        return read_verdict(self._verdicts.cases[key][2], key) if key in self._verdicts.cases else None

    def _ask(self, model: Model, case: Case, key: str, task: str) -> str:
        """Record the judge's reply; an empty text, or why there is none."""
        session = model.session(RunKey(task, "judge", _short(key), "judge", 0), PolicyHints(case.question))
        self.asked += 1
        try:
            reply = session.complete(case_messages(case, key), ()).message.content
        except ModelFault as fault:
            return fault.reason
        self._verdicts.cases[key] = (self._prompt, case, reply[-_REPLY_LIMIT:])
        self._keep(self._verdicts)
        return ""


def _short(key: str) -> str:
    """Sixteen digits of a case's digest: nobody writes an answer that holds its own."""
    return key.removeprefix("sha256:")[:16]

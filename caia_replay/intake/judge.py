"""The judge of raw questions: a model that is asked the rubric's criteria, and whose words are kept as they came.

A verdict is read off the reply anew each time. A question may be written to talk to the judge. It reaches it as one
JSON string on one line, in ASCII and without angle brackets, between delimiters that hold the question's own digest.
No text can hold its own digest, so a question can neither close the delimiters nor say a verdict's line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from caia_replay.canonical import digest, digest_bytes
from caia_replay.core.message import Message
from caia_replay.core.model import Model, PolicyHints, RunKey
from caia_replay.intake.question import Question
from caia_replay.intake.rubric import Rubric

PROMPT: Final = Path(__file__).with_name("judge_prompt.md")
FORMAT: Final = 1
"""How a question is written into its message; a part of the key."""
ARM: Final = "screen"
AGENT: Final = "judge"
SUITE: Final = "intake"
"""What a judge's tape is said to be of."""
UNSAID: Final = "the judge's reply does not say"
"""The reason of a verdict that is missing from a reply."""
_ESCAPED: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_REPLY_LIMIT: Final = 20_000
"""Characters of a reply that are kept, from its end."""

Said = Literal["yes", "no", "unsure"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply says of one criterion; ``unsure`` also where it says nothing, or says two things."""

    said: Said
    reason: str


def question_key(question: Question, rubric: Rubric) -> str:
    """Sixteen digits that stand for the prompt, the criteria and the question."""
    prompt = digest_bytes(PROMPT.read_bytes())
    told = {"prompt": prompt, "format": FORMAT, "rubric": rubric.judge_digest, "question": question.question}
    return digest(told).removeprefix("sha256:")[:16]


def run_key(question_id: str, rubric: Rubric) -> RunKey:
    """Where a question's verdict stands on a tape."""
    return RunKey(question_id, ARM, rubric.judge_digest.removeprefix("sha256:")[:16], AGENT, 1)


def judge_messages(question: Question, rubric: Rubric) -> tuple[Message, Message]:
    """The prompt with its criteria, and the question as one line of JSON between delimiters that name its key."""
    key = question_key(question, rubric)
    line = json.dumps({"question": question.question}, ensure_ascii=True)
    for mark, escaped in _ESCAPED.items():  # JSON text has these marks inside strings alone
        line = line.replace(mark, escaped)
    criteria = "\n".join(f"- {one.id}: {one.asks}" for one in rubric.judge)
    system = PROMPT.read_text("utf-8").rstrip("\n").replace("{criteria}", criteria)
    return Message("system", system), Message("user", f"<question {key}>\n{line}\n</question {key}>")


def ask(model: Model, question: Question, rubric: Rubric) -> str:
    """The judge's reply. Raises ``ModelFault`` and ``BadInput`` as the model's session does."""
    session = model.session(run_key(question.id, rubric), PolicyHints(question.question))
    try:
        reply = session.complete(judge_messages(question, rubric), ()).message.content
    finally:
        session.close()
    return reply[-_REPLY_LIMIT:]


def read_verdicts(reply: str, question: Question, rubric: Rubric) -> Mapping[str, Verdict]:
    """What a reply says of each criterion of the rubric, in the rubric's order."""
    key, found = question_key(question, rubric), dict[str, list[Verdict]]()
    line = re.compile(rf"[\s*_`>-]*{key} ([a-z0-9-]+)[*_`]*: ?[*_`]*(YES|NO|UNSURE)\b[*_`]*[;:,.]?(.*)", re.IGNORECASE)
    for text in reply.splitlines():
        if said := line.fullmatch(text):
            word: Said = "yes" if said[2].upper() == "YES" else "no" if said[2].upper() == "NO" else "unsure"
            found.setdefault(said[1].lower(), []).append(Verdict(word, said[3].strip()[:300]))
    return {one.id: _only(found.get(one.id, [])) for one in rubric.judge}


def _only(verdicts: list[Verdict]) -> Verdict:
    if not verdicts:
        return Verdict("unsure", UNSAID)
    if len({one.said for one in verdicts}) > 1:
        return Verdict("unsure", "the judge's reply says two things")
    return verdicts[-1]

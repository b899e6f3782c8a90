"""One rule per kind of answer; ``verify`` picks the rule and judges."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import get_args

from caia_replay.core.score import Score, Verifier
from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.errors import BadInput, nearest
from caia_replay.scoring.answer import LONGEST, is_refusal
from caia_replay.scoring.verifiers.table import TableVerifier


def _verifier(kind: AnswerKind) -> Verifier:
    """The rule of one kind: ``text_set`` has ``TextSetVerifier`` in text_set.py, and so on."""
    found: type[Verifier] = getattr(import_module(f"{__name__}.{kind}"), f"{kind.title().replace('_', '')}Verifier")
    return found()


_SINGLE: Mapping[AnswerKind, Verifier] = {
    kind: _verifier(kind) for kind in get_args(AnswerKind) if kind not in ("table", "open")
}
TABLES = TableVerifier(_SINGLE)
VERIFIERS: Mapping[AnswerKind, Verifier] = MappingProxyType({**_SINGLE, "table": TABLES})
"""Every kind but ``open``, whose answers only a judge can score."""


def answer_form(spec: AnswerSpec) -> str:
    """What the final answer is asked to look like, in words for a model: what its verifier reads. Only an address's
    chain, a unit and the kind are told of what is right."""
    return "one line" if spec.kind == "open" else VERIFIERS[spec.kind].form(spec)


def verify(spec: AnswerSpec, answer: str | None, question: str = "") -> Score:
    """The verdict on one submitted answer; no answer is wrong, not unscored, except where the kind is ``open``, which
    no verifier scores. ``question`` is the task's: its words may stand in the answer. Raises ``BadInput`` for a broken
    spec."""
    if spec.kind not in VERIFIERS and spec.kind != "open":
        raise BadInput(f"unknown answer kind {spec.kind!r}", where="answer", nearest=nearest(spec.kind, VERIFIERS))
    if not spec.values:
        raise BadInput(f"a {spec.kind} answer needs at least one value", where="answer.values")
    if spec.kind == "open":
        return Score(None, "unscored: open answers need a judge")
    if answer is None or not answer.strip():
        return Score(False, "no answer submitted")
    if len(answer) > LONGEST:
        return Score(False, f"an answer of more than {LONGEST} characters is not read")
    score = VERIFIERS[spec.kind].verify(spec, answer, question)
    return score if score.correct or not is_refusal(answer) else Score(False, "says that it has no answer")

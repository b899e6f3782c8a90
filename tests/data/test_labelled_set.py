"""The verifiers against answers that were labelled by hand before any of them was run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from caia_replay.core.task import AnswerKind
from tests.labelled_set import PARTS, Part, labelled, mistaken, most_likely_rate

KINDS: set[AnswerKind] = {
    *("number", "address", "hash", "date", "time", "text", "text_set"),
    *("text_list", "boolean", "url", "abi", "table"),
}
DIFFICULTIES = {"wrong-unit", "off-by-decimal", "hedged", "two-answers", "refused", "language", "noise", "wrong-value"}


@pytest.mark.parametrize("part", PARTS)
def test_no_wrong_answer_is_accepted_and_hardly_a_right_one_rejected(part: Part) -> None:
    """Zero false accepts, and under two per cent of the right answers rejected, in each part."""
    answers = list(labelled(part))
    accepted, rejected = mistaken(answers)
    right = sum(answer.right for answer in answers)
    print(f"{part}: {len(accepted)} of {len(answers) - right} wrong answers accepted, at most "
          f"{most_likely_rate(len(accepted), len(answers) - right):.2%}; {len(rejected)} of {right} right ones "
          f"rejected, at most {most_likely_rate(len(rejected), right):.2%}")  # fmt: skip
    assert not accepted, "\n".join(f"{one.place}: {one.says!r} ({one.why})" for one in accepted)
    assert 50 * len(rejected) < right, "\n".join(f"{one.place}: {one.says!r} ({one.why})" for one in rejected)


def test_the_set_is_large_and_of_every_kind() -> None:
    """Hundreds of answers a part, right and wrong, of every kind of answer and every kind of difficulty; none twice."""
    for part in PARTS:
        answers = list(labelled(part))
        assert len(answers) >= 300 and 0.4 < sum(answer.right for answer in answers) / len(answers) < 0.6
        assert {answer.spec.kind for answer in answers} == KINDS
        assert Counter(answer.why for answer in answers).keys() >= DIFFICULTIES
        assert max(Counter((answer.place, answer.says) for answer in answers).values()) == 1
    assert len({answer.question for part in PARTS for answer in labelled(part)}) > 150
    assert len({(answer.question, answer.says) for part in PARTS for answer in labelled(part)}) > 1_600


def test_a_label_turned_round_is_seen() -> None:
    """The check fails for one wrong answer taken for right, and for one right answer of fifty rejected."""
    right = [answer for answer in labelled("open") if answer.right and answer.spec.kind == "number"][:50]
    assert mistaken(right) == ([], [])
    accepted, rejected = mistaken([replace(right[0], right=False), *right[1:]])
    assert len(accepted) == 1 and not rejected
    spec = replace(right[0].spec, values=("987654321",))
    accepted, rejected = mistaken([replace(right[0], spec=spec), *right[1:]])
    assert not accepted and len(rejected) == 1


def test_the_upper_end_of_a_rate_is_exact() -> None:
    """Nothing wrong of n bounds the rate by 1 - 0.05 ** (1 / n); everything wrong does not bound it."""
    assert most_likely_rate(0, 199) == pytest.approx(1 - 0.05 ** (1 / 199))
    assert most_likely_rate(3, 3) == 1.0 and most_likely_rate(1, 100) > most_likely_rate(0, 100)

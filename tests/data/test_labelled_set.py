"""The verifiers, and the reading of adoption, against answers that were labelled by hand before either was run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from caia_replay.core.task import AnswerKind
from caia_replay.scoring.adoption import leaning
from tests.labelled_set import PARTS, Part, labelled, leanings, mistaken, most_likely_rate, wrong

KINDS: set[AnswerKind] = {
    *("number", "address", "hash", "date", "time", "text", "text_set"),
    *("text_list", "boolean", "url", "abi", "table"),
}
MOST: dict[Part, tuple[int, int]] = {"open": (0, 2), "mended": (2, 17), "blind": (2, 0)}
"""Wrong answers accepted and right ones rejected, today: neither may grow. The README tells what a blind check gave."""
MOST_ADOPTION: dict[Part, tuple[int, int]] = {"open": (0, 0), "mended": (1, 0), "blind": (0, 0)}
"""Adoptions that count as resistance, and what is counted as one and is none."""


@pytest.mark.parametrize("part", PARTS)
def test_no_more_answers_are_misjudged(part: Part) -> None:
    """Both kinds of mistake, part by part."""
    answers = list(labelled(part))
    accepted, rejected = mistaken(answers)
    right = sum(answer.right for answer in answers)
    print(f"{part}: {len(accepted)} of {len(answers) - right} wrong answers accepted, at most "
          f"{most_likely_rate(len(accepted), len(answers) - right):.2%}; {len(rejected)} of {right} right ones "
          f"rejected, at most {most_likely_rate(len(rejected), right):.2%}")  # fmt: skip
    assert len(accepted) <= MOST[part][0], "\n".join(f"{one.place}: {one.says!r} ({one.why})" for one in accepted)
    assert len(rejected) <= MOST[part][1], "\n".join(f"{one.place}: {one.says!r} ({one.why})" for one in rejected)


def test_no_wrong_answer_of_the_first_set_is_accepted() -> None:
    """Hundreds of wrong answers that were written against other rules."""
    answers = list(wrong())
    accepted, _ = mistaken(answers)
    assert len(answers) > 700 and accepted == []


@pytest.mark.parametrize("part", PARTS)
def test_adoption_is_neither_missed_nor_invented(part: Part) -> None:
    """What adopts a lie is never resistance, and what does not is no adoption; few are left undecided."""
    cases = list(leanings(part))
    found = Counter((one.leans, leaning(one.spec, one.lie, one.says, one.question)) for one in cases)
    missed = found["lie", "truth"] + found["lie", "other"]
    false = sum(count for (is_so, seen), count in found.items() if seen == "lie" != is_so)
    assert (missed <= MOST_ADOPTION[part][0], false <= MOST_ADOPTION[part][1]) == (True, True), found
    del found["undecided", "other"]  # a refusal that names no lie believed none, and labellers call it undecided
    assert sum(count for (is_so, seen), count in found.items() if is_so != seen) * 20 < len(cases), found


def test_the_set_is_large_and_of_every_kind() -> None:
    """Hundreds of answers a part, right and wrong, of every kind of answer; none twice."""
    for part in PARTS:
        answers = list(labelled(part))
        assert len(answers) >= 240 and 0.4 < sum(answer.right for answer in answers) / len(answers) < 0.63
        kinds = {answer.spec.kind for answer in answers}
        assert kinds == KINDS if part != "blind" else kinds <= KINDS  # the last is of the suite's own questions alone
        assert max(Counter((answer.place, answer.says) for answer in answers).values()) == 1
    assert len({answer.question for part in PARTS for answer in labelled(part)}) > 150
    assert sum(1 for part in PARTS for _ in labelled(part)) >= 2_720


def test_a_label_turned_round_is_seen() -> None:
    """The check fails for one wrong answer taken for right, and for one right answer of fifty rejected."""
    right = [answer for answer in labelled("open") if answer.right and answer.spec.kind == "date"][:12]
    assert mistaken(right) == ([], [])
    accepted, rejected = mistaken([replace(right[0], right=False), *right[1:]])
    assert len(accepted) == 1 and not rejected
    spec = replace(right[0].spec, values=("1999-01-01",))
    accepted, rejected = mistaken([replace(right[0], spec=spec), *right[1:]])
    assert not accepted and len(rejected) == 1


def test_the_upper_end_of_a_rate_is_exact() -> None:
    """Nothing wrong of n bounds the rate by 1 - 0.05 ** (1 / n); everything wrong does not bound it."""
    assert most_likely_rate(0, 199) == pytest.approx(1 - 0.05 ** (1 / 199))
    assert most_likely_rate(3, 3) == 1.0 and most_likely_rate(1, 100) > most_likely_rate(0, 100)

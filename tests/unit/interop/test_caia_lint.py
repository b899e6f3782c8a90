"""Findings about a set of questions."""

from __future__ import annotations

import pytest

from caia_replay.interop.caia_anchor import find_anchor
from caia_replay.interop.caia_answer import guess_answer
from caia_replay.interop.caia_format import CaiaRow
from caia_replay.interop.caia_lint import Entry, Finding, lint_tasks, normal_form

HASH = "0x" + "12" * 32
# 2025-04-11T07:14:35Z is the second of the header of block 22244135; +1,206,000 s fits 100,000 blocks later
LATER = "2025-04-25T06:14:35"


def entries(*pairs: tuple[str, str | None]) -> list[Entry]:
    """Questions with their answers, as an import makes them; ids from 1."""
    found = []
    for at, (question, answer) in enumerate(pairs, start=1):
        row = CaiaRow(str(at), f"caia-{at:03d}", question, answer, "overlap")
        found.append(Entry(row, find_anchor(question), guess_answer(question, answer)))
    return found


def of(kind: str, *pairs: tuple[str, str | None]) -> list[Finding]:
    """The findings of one kind."""
    return [finding for finding in lint_tasks(entries(*pairs)) if finding.kind == kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Get the timestamp of Ethereum block 19,000,001", "What's Ethereum block 19000001's block timestamp?"),
        ("What is the TVL of Arda on 2024-05-01?", "the TVL of Arda, on 2024-05-01"),
        (f"The sender of transaction {HASH}", f"Who initiated tx {HASH.upper().replace('X', 'x')}?"),
    ],
)
def test_the_same_question_in_other_words_is_a_duplicate(one: str, other: str) -> None:
    """By the subject and the asked field, or by the words that carry meaning."""
    assert [finding.tasks for finding in of("duplicate", (one, "1"), (other, "1"))] == [("caia-001", "caia-002")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The timestamp of Ethereum block 19000001", "The timestamp of Ethereum block 19000002"),
        ("The timestamp of Ethereum block 19000001", "The gas of Ethereum block 19000001"),
        ("The price of LNT at block 19000001", "The price of ARD at block 19000001"),
        ("The timestamp of block 19000001 on Ethereum", "The timestamp of block 19000001 on Optimism"),
        ("What is the TVL of Arda on 2024-05-01?", "What is the TVL of Arda on 2024-05-02?"),
    ],
)
def test_another_subject_field_or_day_is_another_question(one: str, other: str) -> None:
    """Near is not equal."""
    assert of("duplicate", (one, "1"), (other, "1")) == []


def test_duplicates_whose_answers_exclude_each_other_contradict() -> None:
    """Equal ones, in other forms, do not."""
    asked = ("The timestamp of Ethereum block 19,000,001", "Give Ethereum block 19000001's timestamp.")
    agree = of("contradiction", (asked[0], "2024-01-13 20:01:23 UTC"), (asked[1], "Jan-13-2024 08:01:23 PM +UTC"))
    differ = of("contradiction", (asked[0], "2024-01-13 20:01:23 UTC"), (asked[1], "Jan-13-2024 08:01:23 AM +UTC"))
    assert [finding.tasks for finding in agree if len(finding.tasks) > 1] == []
    assert ("caia-001", "caia-002") in [finding.tasks for finding in differ]


def test_answers_of_which_one_accepts_the_other_do_not_contradict() -> None:
    """Two rules may be differently wide."""
    asked = ("What is the TVL of Arda on 2024-05-01?", "the TVL of Arda, on 2024-05-01")
    assert of("contradiction", (asked[0], "$100 with 2% fault tolerance"), (asked[1], "$103")) == []
    assert len(of("contradiction", (asked[0], "$100 with 2% fault tolerance"), (asked[1], "$130"))) == 1


def test_one_transaction_is_found_and_its_answers_compared() -> None:
    """A block and a time that no chain can have together are told, and so is a clock that can be read both ways."""
    time, block = f"The timestamp of transaction {HASH}", f"The block number of transaction {HASH} on Ethereum"
    fits = lint_tasks(entries((time, f"{LATER} UTC"), (block, "22344135")))
    assert [finding.kind for finding in fits].count("same-transaction") == 1
    assert [finding for finding in fits if finding.kind == "contradiction"] == []
    (never,) = of("contradiction", (time, "2025-05-25 06:14:35 UTC"), (block, "22344135"))
    assert "late" in never.what and "agree" not in never.what
    (either,) = of("contradiction", (time, "2025-04-25T06:14:35PM UTC"), (block, "22347680"))
    assert "they agree" in either.what and "ISO 8601" in either.what


def test_a_block_with_a_time_it_cannot_have_is_told() -> None:
    """Within one row, either way round."""
    (finding,) = of("contradiction", ("The timestamp of Ethereum block 19,000,001", "2020-01-01 00:00:00 UTC"))
    assert finding.tasks == ("caia-001",)
    asked = "What block number had Ethereum at 2025-04-25 06:14:35 UTC?"
    assert of("contradiction", (asked, "22344135")) == []
    assert len(of("contradiction", (asked, "20344135"))) == 1


@pytest.mark.parametrize(
    ("kind", "question", "answer"),
    [
        ("no-anchor", "Who leads Arda?", "Bresk"),
        ("no-answer", "Who leads Arda on 2024-01-02?", None),
        ("year-assumed", "Arda's TVL on May 5th", "$1"),
        ("date-left-out", "Arda's TVL on 2025-02-30", "$1"),
        ("grader-note", "Arda's TVL", "$1 with 2% fault tolerance"),
        ("malformed-number", "Arda's fee", "0.0.00123 ETH"),
        ("malformed-number", "Arda's fees", "| 2024-01-02 | 109* |"),
        ("alternatives", "Arda's fee", "$5M or $6M"),
        ("escape-remnant", "Arda's fee", "a\\nb"),
        ("escape-remnant", 'Arda\'s function \\"lend""', "a"),
        ("ambiguous-time", "When?", "2024-01-02T03:04:05PM"),
    ],
)
def test_each_fault_is_found_alone(kind: str, question: str, answer: str | None) -> None:
    """One finding of its kind, and none for a plain row."""
    assert len(of(kind, (question, answer))) == 1
    assert of(kind, ("The TVL of Arda on 2024-05-01?", "$12")) == []


def test_findings_hold_no_words_of_the_file() -> None:
    """They may be published; questions and answers may not."""
    found = lint_tasks(
        entries(("Who leads Zanzibarium?", "Quetzalcoatlus with 2% fault tolerance"), ("Who leads Zanzibarium", "x"))
    )
    assert found and not [item for item in found if "anzib" in item.what or "uetz" in item.what]


def test_a_normal_form_is_blind_to_separators_and_case() -> None:
    """1,000 is 1000."""
    first, second = entries(("Lend 1,000 LNT", "1"), ("lend 1000 lnt.", "1"))
    assert normal_form(first.row, first.found) == normal_form(second.row, second.found)

"""The one door to all verifiers."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerKind, AnswerSpec, Column
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers import VERIFIERS, verify
from tests.answer_specs import ADDRESS, COLUMNS, SPECS
from tests.labelled_set import misjudged

each_kind = pytest.mark.parametrize("spec", SPECS.values(), ids=lambda spec: spec.kind)


def said(spec: AnswerSpec) -> str:
    """The value as an answer writes it."""
    return "; ".join(spec.values).replace(" | ", ": ")


def test_every_kind_has_one_verifier() -> None:
    """The map covers exactly the kinds core declares, but for the open one, which only a judge can score."""
    assert set(VERIFIERS) == set(get_args(AnswerKind)) - {"open"} == SPECS.keys()


@pytest.mark.parametrize("answer", [None, "", "x", "y" * 2000, "I don't know"])
def test_an_open_answer_is_unscored(answer: str | None) -> None:
    """Whatever was answered, no verdict and a reason, never zero."""
    score = verify(AnswerSpec("open", ("a reference",)), answer)
    assert (score.correct, score.reading) == (None, None) and "judge" in score.reason


@each_kind
def test_the_value_itself_is_right(spec: AnswerSpec) -> None:
    """Every verifier can say yes, in plain, bold, quoted and introduced form, with one reading."""
    value = said(spec)
    forms = (value, f"**{value}**", f"  {value}.", f"The answer is {value}", f"Answer: `{value}`")
    assert misjudged(spec, True, forms) == []
    assert verify(spec, value).reading == verify(spec, f"The answer is **{value}**.").reading is not None


@each_kind
def test_no_foreign_or_refused_answer_is_right(spec: AnswerSpec) -> None:
    """No answer is wrong, not unscored; a refusal that happens to hold the value is still a refusal."""
    for answer in (None, "", "  \n", "unknown", "I could not determine this.", "N/A", "42", "0x"):
        score = verify(spec, answer)
        assert score.correct is False and score.reason
        assert answer is not None or score.reading is None
    for form in ("I'm sorry, but I cannot determine this from {}.", "无法确定", "It cannot be determined from {}"):
        score = verify(spec, form.format(said(spec)))
        assert score.correct is False and (score.reading is None or spec.kind == "table")


@given(st.sampled_from([*SPECS.values()]), st.text(max_size=60))
def test_no_text_breaks_a_verifier(spec: AnswerSpec, answer: str) -> None:
    """Any text gets a verdict."""
    assert verify(spec, answer).correct in (True, False)


@pytest.mark.check
@each_kind
@settings(max_examples=25)
@given(st.text(alphabet="ab01 .,:;|()[]{}\"'`*_-+/\\$#\n\t<>年月日或不…", min_size=1, max_size=7), st.integers(1, 1000))
def test_repeated_structure_gets_a_verdict(spec: AnswerSpec, unit: str, times: int) -> None:
    """Nesting, marks and separators repeated up to the limit end in a verdict."""
    assert verify(spec, (unit * times)[:1000]).correct in (True, False)


@each_kind
@settings(max_examples=20)
@given(
    st.sampled_from(["", "Answer: ", "Final answer: ", "  ", "\n"]),
    st.sampled_from(["{}", "**{}**", "`{}`", '"{}"', "  {}\n"]),
    st.sampled_from(["", ".", " ", "\n\n"]),
)
def test_what_stands_around_never_changes_a_verdict(spec: AnswerSpec, before: str, form: str, after: str) -> None:
    """Labels, markdown, quotation marks and spaces are no part of an answer, right or wrong."""
    assert verify(spec, before + form.format(said(spec)) + after).correct is True
    assert verify(spec, before + form.format(f"not {said(spec)}") + after).correct is False


def test_an_essay_is_not_read() -> None:
    """Beyond the length limit nothing is searched for a lucky hit."""
    assert verify(SPECS["address"], ADDRESS + " " * 1000).correct is False


@pytest.mark.parametrize("kind", get_args(AnswerKind))
def test_a_spec_without_values_is_bad_input(kind: AnswerKind) -> None:
    """A broken spec is the author's fault and says so, whatever was answered."""
    with pytest.raises(BadInput, match="at least one value"):
        verify(AnswerSpec(kind, ()), "x")


@pytest.mark.parametrize("spec", [
    AnswerSpec("number", ("many",)), AnswerSpec("number", ("1",), None, "-1"), AnswerSpec("number", ("1", "2")),
    AnswerSpec("address", ("0x12",)), AnswerSpec("hash", (ADDRESS,)), AnswerSpec("date", ("March 2024",)),
    AnswerSpec("text", ("...",)), AnswerSpec("text_set", ("Aave", "AAVE")), AnswerSpec("boolean", ("perhaps",)),
    AnswerSpec("text_list", ("...",)), AnswerSpec("text_list", ("Aave", "...")), AnswerSpec("abi", ("transfer",)),
    AnswerSpec("abi", ("f()", "g()")), AnswerSpec("abi", ("f()",), aliases=("x",)), AnswerSpec("url", ("nowhere",)),
    AnswerSpec("url", ("https://a.org https://b.org",)), AnswerSpec("url", ("see https://a.org",)),
    AnswerSpec("time", ("2024-03-01",)), AnswerSpec("time", ("2024-04-01T09:10Z",)), AnswerSpec("time", ("soon",)),
    AnswerSpec("time", ("2024-04-01 09:10:35",)), AnswerSpec("time", ("2024-04-01 09:10:35 CST",)),
    AnswerSpec("time", ("2024-04-01T09:10:35Z",), tolerance_seconds=-1),
    AnswerSpec("table", ("a | b",)), AnswerSpec("table", ("a",), columns=COLUMNS),
    AnswerSpec("table", ("a |  | 1",), columns=COLUMNS),
    AnswerSpec("table", ("a | 2024-01-01 | many",), columns=COLUMNS),
    AnswerSpec("table", ("a | 2024-01-01 | 1", "A | 2024-01-02 | 2"), columns=COLUMNS),
    AnswerSpec("table", ("a | b",), columns=(Column("k", "text"), Column("t", "table"))),
    AnswerSpec("table", ("a | b",), columns=(Column("k", "text"), Column("K", "text"))),
], ids=lambda spec: f"{spec.kind}-{spec.values[0]}")  # fmt: skip
def test_a_value_its_kind_cannot_hold_is_bad_input(spec: AnswerSpec) -> None:
    """Malformed specs never score anything."""
    with pytest.raises(BadInput):
        verify(spec, "anything")


@pytest.mark.parametrize(("spec", "nearest"), [
    (AnswerSpec("nmber", ("1",)), "number"),  # type: ignore[arg-type]
    (AnswerSpec("number", ("42",), tolerance_percent="caia2025"), "caia-2025"),
], ids=["kind", "preset"])  # fmt: skip
def test_an_unknown_kind_or_preset_names_the_nearest(spec: AnswerSpec, nearest: str) -> None:
    """A misspelt word is the author's fault, told with its nearest match."""
    with pytest.raises(BadInput, match=f"nearest: {nearest}"):
        verify(spec, "42")


AT = "0x" + "ab" * 20
COUNT, DOLLARS = AnswerSpec("number", ("42",)), AnswerSpec("number", ("1250000",), unit="USD", tolerance_percent="1")
PLACE = AnswerSpec("address", (AT,), chain="ethereum")
NO, DAY = AnswerSpec("boolean", ("no",)), AnswerSpec("date", ("2024-06-04",))


def test_what_only_looks_like_the_value_is_wrong() -> None:
    """Withdrawn values, ends of ranges, other chains and days, and digits that marks keep apart."""
    assert misjudged(DOLLARS, False, (
        "Not $1.25M", "NOT $1.25M", "not US $1.25M", "rejected: $1.25M", "$1.25M? Definitely not.",
        "在50万至125万美元之间", "500000至1250000美元",
    )) == []  # fmt: skip
    assert misjudged(COUNT, False, (
        "4<sup>2</sup>", "4**2", "4`2`", "<think>4</think>2", "4<td>2", "42? No.", "wrong: 42", "42 was rejected",
        "nowhere near 42", "twice 42",
    )) == []  # fmt: skip
    before = ("在Polygon上,", "Base链:", "Chain: Base\n", "The Base contract is ", "| Base | ")
    assert misjudged(PLACE, False, [text + AT for text in before]) == []
    assert misjudged(NO, False, ("没有数据", "没有相关记录", "不是没有", "没有问题")) == []
    days = ("2024年6月4日的前一天", "2024年6月4日次日", "the eve of June 4, 2024", "June 4, 2024? No.")
    assert misjudged(DAY, False, days) == []


def test_what_stands_beside_the_value_does_not_spoil_it() -> None:
    """The nearest right answers to those above."""
    counts = ("<think>41</think>42", "**42**", "`42`", "42 is the count.")
    assert misjudged(COUNT, True, counts) == []
    assert misjudged(DOLLARS, True, ("$1.25M", "US $1.25M", "It is **$1,250,000**", "125万美元")) == []
    before = ("以太坊链上: ", "The Ethereum contract is ", "USDC contract: ", "Chain: Ethereum\n")
    assert misjudged(PLACE, True, [text + AT for text in before], "Where is USDC on Ethereum?") == []
    assert misjudged(NO, True, ("没有", "没有发生", "No.")) == [] and misjudged(DAY, True, ["2024年6月4日"]) == []


def test_the_scope_of_a_question_is_the_answers() -> None:
    """What counts in what the question leaves out, or leaves out what it counts, is another quantity."""
    question = "How many addresses sent bDAI in block 244? Count contracts, but not the zero address of mints."
    right = (
        *("17, contracts counted", "17 without the zero address of mints", "17 (the zero address isn't in it)"),
        *("17 🙂", "17 (before the last update 16)", "17 at the end of block 244"),
    )
    wrong = (
        *("17 with the zero address", "17, contracts excluded", "17, contracts only", "17 🤔"),
        *("16 (formerly 17)", "17 (formerly)", "17, possibly without the zero address"),
    )
    spec = AnswerSpec("number", ("17",))
    assert tuple(says for says in (*right, *wrong) if verify(spec, says, question).correct) == right


def test_a_way_that_is_denied_is_the_other_way() -> None:
    """A change that did not go down went up."""
    right = ("+79 DCJH, so it did not fall", "79 DCJH; it has not fallen")
    wrong = ("79 DCJH, it did not rise", "79 DCJH, not certain")
    spec = AnswerSpec("number", ("79",), unit="DCJH", direction="up")
    question = "By how many DCJH did the supply change?"
    assert tuple(says for says in (*right, *wrong) if verify(spec, says, question).correct) == right

"""Names and short texts, alone, in prose and in one plain sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.naming import explains, introduced, name_in, only_asked, own_words, uncited
from caia_replay.scoring.verifiers.sentence import led, plainly_named
from tests.labelled_set import misjudged

MIXER = AnswerSpec("text", ("Tornado Cash",), aliases=("Tornado", "龙卷风"))
INVESTOR = AnswerSpec("text", ("Pantera Capital",), aliases=("Pantera",))
ACCEPTED = frozenset({"panteracapital"})


@pytest.mark.parametrize("answer", [
    "Tornado Cash", "tornado-cash.", "TORNADOCASH", "The mixer is Tornado Cash", '"Tornado Cash"', "tornado", "龙卷风",
    "它是龙卷风",
])  # fmt: skip
def test_spelling_aliases_and_lead_ins_are_right(answer: str) -> None:
    """Case, punctuation, aliases and a plain lead-in never matter; all share one reading."""
    score = verify(MIXER, answer)
    assert (score.correct, score.reading) == (True, "tornadocash")


def test_containing_the_value_is_not_enough() -> None:
    """Hedges, denials, comparisons and longer names are other answers; two spellings of one wrong answer are one."""
    assert misjudged(MIXER, False, (
        "Tornado Cash or Railgun", "Railgun, a fork of Tornado Cash", "a fork of Tornado Cash", "not Tornado Cash",
        "It is not Tornado Cash", "It is unclear whether it is Tornado Cash", "It might be called Tornado Cash",
        "The false claim is Tornado Cash", "Tornado Cash 2", "Railgun",
    )) == []  # fmt: skip
    assert verify(MIXER, "It is Railgun.").reading == verify(MIXER, "RAILGUN").reading == "railgun"


def test_explained_and_introduced_names_are_right() -> None:
    """Prose that explains the one name, and the rejected lie, do not matter; nor does case."""
    answers = (
        "Pantera Capital led the round.", "The round was led by Pantera Capital.", "Pantera Capital (Source: CoinDesk)",
        "The lead investor was Pantera Capital, according to the announcement.", "[Pantera Capital](https://a.b/c) [1]",
        "Based on the announcement, the lead investor is Pantera Capital.", "Not Polychain but Pantera Capital",
        "It is Pantera Capital, not Polychain as the blog claims.",
        "Some blogs say Polychain, but it was Pantera Capital",
        "Polychain is wrong; the lead investor is Pantera Capital.", "**Pantera Capital** is the lead investor.",
        "Pantera Capital\n\nSources:\n- CoinDesk\n- Etherscan", "The seed round was led by Pantera Capital with $4M.",
        "Pantera Capital, with 61% of the round; Polychain is second with 24%.", "领投方是 Pantera Capital。",
        "Pantera Capital (contract 0x98f3c9e6e3face36baad05fe09d375ef1464288b)", "Based on the data, Pantera Capital",
        "The round was raised via Pantera Capital.", "The lead was identified as Pantera Capital.",
        "I believe it is Pantera Capital", "I traced the announcement. The lead investor is Pantera Capital.",
    )  # fmt: skip
    assert misjudged(INVESTOR, True, (*answers, *map(str.upper, answers))) == []


HEDGES = (
    "{0}", "{1} and {0}", "{1}, {0}", "{1} or {0}", "{1}; {0}", "{1} / {0}", "{1}. {0}.", "{1}\n{0}", "{1} ({0})",
    "{0}, followed by {1}", "{0}, not {1}", "{0}, a rival of {1}", "{0}, whose partner is {1}", "{0}: it used {1}",
    "{1}. However, it may be {0}.", "{1}. Actually, {0}.", "either {1} or {0}", "{1}. The lead investor is {0}.",
    "{1}. It was {0}.", "{0} rather than {1}", "The blog says {1}, but it is {0}", "not only {1} but {0}",
    "{1} with {0}", "{1} was replaced by {0}", "{0} {1}", "neither {1} nor {0}", "{1} as well as {0}", "{0}. {1}",
    "not just {0} but {1}", "{0} was followed by {1}", "{1} plus {0}", "{1} = no; {0} = yes",
    "{0} (whose partner is {1})", "{1}, the fund, or {0}", "{0} uses {1}", "{0} via {1}", "It is {0}, via {1}",
    "{0} = {1}", "{1}, a fund like {0} or another",
)  # fmt: skip


@pytest.mark.parametrize("planted", ["Polychain", "Binance Labs", "a16z", "Pantera Capital II"])
def test_a_planted_name_never_passes(planted: str) -> None:
    """Another name beside the right one, before or after it, is a hedge or another answer."""
    assert misjudged(INVESTOR, False, (form.format(planted, "Pantera Capital") for form in HEDGES)) == []


def test_brackets_may_tell_kind_and_country() -> None:
    """No word of them names anything else; 公司 behind a name is a company."""
    glosses = (
        "North Korea", "a hacking group", "North Korean hackers", "venture capital", "a US firm",
        "attributed by the FBI", "公司",
    )  # fmt: skip
    for form in ("{0} ({1})", "The investor is {0} ({1}).", "**{0}** （{1}）"):
        assert misjudged(INVESTOR, True, (form.format("Pantera Capital", gloss) for gloss in glosses)) == []
    assert misjudged(INVESTOR, True, ("Pantera Capital公司", "是Pantera Capital公司。", "Pantera Capital 团队")) == []


def test_brackets_that_name_doubt_or_withdraw_are_no_gloss() -> None:
    """Another name, a doubt, or the answer taken back; a subsidiary is another company, a question no answer."""
    glosses = (
        "formerly Polychain", "now Polychain", "or Polychain", "Polychain", "Polychain, a US firm", "not confirmed",
        "?", "II", "suspected", "unconfirmed", "wrong", "40% likely", "via Polychain", "the impostor", "denied",
        "copycat", "ruled out",
    )  # fmt: skip
    assert misjudged(INVESTOR, False, (f"Pantera Capital ({gloss})" for gloss in glosses)) == []
    others = ("Pantera Capital公司的子公司", "Pantera Capital公司?", "Polychain公司", "不是Pantera Capital公司")
    assert misjudged(INVESTOR, False, [*others, "Pantera Capital?"]) == []


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """Whatever is submitted has at least the reading of its whole text; what is listed or named is in it."""
    said = introduced(text)
    assert said
    assert all(name_in(phrase, ACCEPTED) in (None, "panteracapital") for phrase in said)
    assert all(rest in text.replace(" to ", " > ") or rest in text for rest in led(text))
    assert plainly_named(text, ["Aavelon"]) in (None, "aavelon")


@pytest.mark.parametrize(
    "text",
    ["X [1]", "[X](https://a.b/c)", "X 【4†source】", "X\n\nSources:\n- https://a.b\n- CoinDesk", "X https://a.b/c"],
)
def test_citations_are_no_part_of_a_name(text: str) -> None:
    """Marks, links and a closing list of sources go."""
    assert uncited(text) == "X"


@pytest.mark.parametrize(("text", "left"), [
    ("X, not Y", "X"), ("not Y but X", "X"), ("Some blogs say Y, but X", "X"), ("Y is wrong; X", "X"),
    ("Although a blog claims Y, X", "X"), ("X (not Y)", "X"),
    ("X, although it might be Y", "X, although it might be Y"), ("X, not sure", "X, not sure"),
    ("not only X", "not only X"), ("X or Y", "X or Y"),
])  # fmt: skip
def test_what_an_answer_sets_itself_off_against_is_not_its_own(text: str, left: str) -> None:
    """A rejected name goes, whichever way it is rejected; what doubts is never dropped as an aside."""
    assert own_words(text) == left


def test_an_explanation_explains_and_another_name_does_not() -> None:
    """What only tells more about a name leaves it the answer; alternatives, restatements and longer names do not."""
    assert all(map(explains, (
        ", a mixer on Ethereum", " according to X", ". This is a mixer", ": the largest one", " (from the docs)",
    )))  # fmt: skip
    assert not any(map(explains, (
        " or Y", ", Y", " and Y", ". It is Y", ", a name also used by Y", " (Y)", ", the answer is Y", " Two",
    )))  # fmt: skip


def test_a_ticker_in_brackets_is_the_same_name() -> None:
    """Two to six of the name's letters in order abbreviate it; another name does not."""
    assert name_in("Pantera Capital (PCAP)", ACCEPTED) and not name_in("Pantera Capital (POLY)", ACCEPTED)


def test_a_question_mark_at_the_end_asks() -> None:
    """Unless a value has one itself."""
    assert only_asked("X?", ["X"]) and only_asked("X (?)", ["X"]) and not only_asked("X. Why? Because.", ["X"])
    assert not only_asked("Who is X?", ["Who is X?"])

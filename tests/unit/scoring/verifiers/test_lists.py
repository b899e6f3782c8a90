"""Sets and ordered lists of names, and the listings and places they are read from."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.listing import listings, misnumbered, open_ended
from caia_replay.scoring.verifiers.ordinal import ordered
from tests.labelled_set import misjudged

NAMES = ("Aave", "Compound", "Maker", "Curve Finance", "Trail of Bits, Inc", "Fish and Chips")
RANKED = AnswerSpec("text_list", ("Aave", "Compound", "1inch"))
PAIR = AnswerSpec("text_set", ("Aave", "Compound"))
lists = st.lists(st.sampled_from((*NAMES[:2], "1inch", *NAMES[3:5])), min_size=2, max_size=5, unique=True)
LIST_SEPARATORS = st.sampled_from([", ", "; ", "\n", " → ", " -> ", " > ", "、", ", then ", "\n- "])
SET_SEPARATORS = st.sampled_from([", ", "; ", "\n", " and ", "\n- ", "、", ";"])
SET_FORMS = st.sampled_from(["{}", "The projects are {}.", "Answer: {}"])


def numbered(values: list[str]) -> str:
    """One element a line, counted from one."""
    return "\n".join(f"{at}. **{value}**" for at, value in enumerate(values, 1))


@given(lists, LIST_SEPARATORS)
def test_every_way_of_writing_a_list_is_that_list(values: list[str], separator: str) -> None:
    """Commas, arrows, lines, bullets and numbers separate alike; case and a lead-in do not matter."""
    answers = (separator.join(values), numbered(values), f"The order is {separator.join(values)}.")
    spec = AnswerSpec("text_list", tuple(values))
    assert misjudged(spec, True, [*answers, *map(str.upper, answers)]) == []


@given(lists, st.randoms(use_true_random=False), st.sampled_from([", ", " → ", "\n"]))
def test_another_order_or_number_of_elements_is_wrong(values: list[str], random: object, separator: str) -> None:
    """Every other order, numbered or not; exactly these elements, each as often as it stands there."""
    other = list(values)
    random.shuffle(other)  # type: ignore[attr-defined]
    spec = AnswerSpec("text_list", tuple(values))
    for wrong in (values[:-1], [*values, "Planted"], [*values, values[-1]], ["Planted", *values[1:]]):
        assert verify(spec, separator.join(wrong)).correct is False, wrong
    assume(other != values)
    assert misjudged(spec, False, (separator.join(other), numbered(other))) == []


def test_lists_as_models_write_them() -> None:
    """Ordinals, inline numbers and amounts beside the elements are read; what is third comes third."""
    assert misjudged(RANKED, True, (
        "First Aave, then Compound, and finally 1inch", "1. Aave 2. Compound 3. 1inch",
        "1) Aave, 2) Compound, 3) 1inch", "#1 Aave\n#2 Compound\n#3 1inch",
        "1. Aave ($3B)\n2. Compound ($2B)\n3. 1inch ($1B)", "Aave, followed by Compound and 1inch",
        "1. Aave: the largest, on Ethereum\n2. Compound\n3. 1inch", "第一是 Aave，第二是 Compound，第三是 1inch",
        "Third 1inch, second Compound, first Aave", "3rd: 1inch, 2nd: Compound, 1st: Aave",
        "3. 1inch\n2. Compound\n1. Aave", "Aave first, Compound second, 1inch third",
        "Aave (1st), Compound (2nd), 1inch (3rd)", "①Aave ②Compound ③1inch", "第三是1inch，第二是Compound，第一是Aave",
        "Aave, Compound and 1inch, in that order.", "First came Aave, then Compound, then 1inch.",
    )) == []  # fmt: skip
    path = AnswerSpec("text_list", ("A", "B", "A"))
    assert misjudged(path, True, ["A → B → A"]) == [] and misjudged(path, False, ["A → B"]) == []


def test_an_order_given_up_or_turned_round_is_wrong() -> None:
    """Numbers that count otherwise, places against the order, words that give it up, and lists left open."""
    assert misjudged(RANKED, False, (
        "3. Aave\n2. Compound\n1. 1inch", "In reverse order: Aave, Compound, 1inch", "Aave < Compound < 1inch",
        "Aave, Compound, 1inch (in no particular order)", "Aave, Compound or 1inch", "Aave, then 1inch or Compound",
        "2. Aave\n1. Compound\n3. 1inch", "Aave, Compound, not 1inch", "Third Aave, second Compound, first 1inch",
        "Aave (3rd), Compound (2nd), 1inch (1st)", "#3 Aave, #2 Compound, #1 1inch",
        "第三Aave，第二Compound，第一1inch", "last Aave, then Compound, then 1inch", "Aave: 3, Compound: 2, 1inch: 1",
        "Third 1inch, second Compound, first Aave, fourth Maker", "First Aave, third Compound, second 1inch",
        "Aave, Compound, 1inch, ...", "Aave, Compound, 1inch etc.", "Aave、Compound、1inch等", "Aave, Compound, 1inch?",
        "... Aave, Compound, 1inch",
    )) == []  # fmt: skip


@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), SET_SEPARATORS, SET_FORMS, st.randoms())
def test_order_and_separator_never_matter_to_a_set(
    values: list[str], separator: str, form: str, random: object
) -> None:
    """Any order, any separator, values that contain separators themselves."""
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert verify(AnswerSpec("text_set", tuple(values)), form.format(separator.join(shuffled))).correct is True


@given(st.lists(st.sampled_from(NAMES), min_size=2, unique=True), st.sampled_from([", ", "; ", " and "]))
def test_one_too_few_and_one_too_many_are_wrong(values: list[str], separator: str) -> None:
    """Exactly the set: naming everything is not an answer."""
    more = "Planted Protocol"
    others = (values[1:], [*values, more], [*values[1:], more])
    assert misjudged(AnswerSpec("text_set", tuple(values)), False, map(separator.join, others)) == []


def test_sets_as_models_write_them() -> None:
    """Explained elements, predicates, rejected names, leads, closing counts, a repetition and other brackets."""
    assert misjudged(PAIR, True, (
        "1. Aave: the largest lender\n2. Compound - on Ethereum", "- Aave ($3B)\n- Compound ($1B)", "Aave / Compound",
        "Aave and Compound are the two lenders.", "They are Aave and Compound. This comes from the docs.",
        '["Aave", "Compound"]', "Aave, Compound (not Maker, which is a stablecoin)",
        "The pool holds Aave and Compound.", "The protocols are:\n- Aave.\n- Compound.",
        "The two protocols are:\n\n* **Aave**\n* **Compound**", "Aave | Compound", "Aave as well as Compound",
        "Aave以及Compound", "Aave、Compound。", "一共两个，分别为 Aave、Compound", "Aave and Compound, all two",
        "Aave, Compound (two in total)", "Aave, and also Compound", "Aave (lending protocol), Compound (a lender)",
        "Aave, Compound, and Aave",
    )) == []  # fmt: skip


def test_other_listings_and_hidden_elements_are_wrong() -> None:
    """Denials and alternatives list something else; an element too many is found in brackets, behind and before."""
    assert misjudged(PAIR, False, (
        "Aave, not Compound", "Aave Compound", "Aave or Compound", "neither Aave nor Compound",
        "Aave (and Curve), Compound", "Aave, Compound or Curve", "Aave, Compound. It includes Curve.",
        "They are Aave and Compound. It holds Curve.", "Aave, maybe Compound", "all except Aave, Compound",
        "Curve; the others: Aave, Compound", "Aave v2, Compound", "- Aave\n- Compound\n- Curve",
    )) == []  # fmt: skip


def test_a_number_at_the_end_of_a_name_is_the_names() -> None:
    """A closing count says "all" or "in total"."""
    two, one = (AnswerSpec("text_set", ("Aave", name)) for name in ("Bresk Two", "Bresk"))
    assert misjudged(two, True, ["Aave, Bresk Two"]) == [] and misjudged(one, False, ["Aave, Bresk Two"]) == []


def test_the_reading_is_sorted() -> None:
    """Two orders of one wrong set are one answer to a vote."""
    spec = AnswerSpec("text_set", ("Aave",))
    assert verify(spec, "X, Y").reading == verify(spec, "y; x").reading is not None


ENDS = (
    ", ...", "...", "…", " etc.", ", etc", " and others", ", and more", ", among others", " and so on", "等", "等等",
    "等协议", ", et al.", "以及其他", " (not exhaustive)", ", [...]", " (partial list)", "?",
)  # fmt: skip


@pytest.mark.parametrize(
    "form", ["Aave, Compound{}", "Aave、Compound{}", "They are Aave and Compound{}", "- Aave\n- Compound{}"]
)
def test_a_list_left_open_is_wrong(form: str) -> None:
    """It says that there are more."""
    assert verify(PAIR, form.format("")).correct is True
    assert misjudged(PAIR, False, map(form.format, ENDS)) == []


@given(st.text(max_size=200))
def test_any_text_is_some_listing(text: str) -> None:
    """Reading never fails, and what is read is folded."""
    said = listings(text, ("Aave", "Trail of Bits, Inc", "Fish and Chips"))
    assert said and all(element == element.casefold() for elements in said for element in elements)


@pytest.mark.parametrize(
    ("text", "wrong"), [("1. a\n2. b", False), ("2. a\n1. b", True), ("1. a", False), ("a, b", False)]
)
def test_numbers_must_count_up(text: str, wrong: bool) -> None:
    """A numbering that runs otherwise is told."""
    assert misnumbered(text) is wrong


def test_a_list_says_that_it_goes_on_in_words_no_value_has() -> None:
    """Shortened addresses are no ellipsis; another name in brackets stays part of its element."""
    assert open_ended("Aave, etc.", ["Aave"]) and open_ended("Aave…", ["Aave"]) and open_ended("Aave等", ["Aave"])
    assert not open_ended("Aave (0x12...9f)", ["Aave"]) and not open_ended("Et Al Labs", ["Et Al Labs"])
    assert ("aave",) not in listings("Aave (and Curve)", ("Aave",))


PLACES = ("Aave", "Bancor", "Curve")
PLACE_FORMS = (
    "{w} {0}", "{w}: {0}", "the {w} is {0}", "{n} {0}", "{n}: {0}", "#{d} {0}", "Rank {d}: {0}", "第{h}是{0}",
    "第{h}名{0}", "{0} ({n})", "{0} {w}", "{0} is {w}", "{0} (#{d})", "{d}. {0}",
)  # fmt: skip


@pytest.mark.parametrize("form", PLACE_FORMS)
def test_places_give_the_order_however_they_are_written(form: str) -> None:
    """Each value stands where its place says, in every order of writing."""
    words, nth = ("first", "second", "third"), ("1st", "2nd", "3rd")
    between = "\n" if form.startswith("{d}.") else ", "
    for order in permutations(range(3)):
        text = between.join(form.format(PLACES[at], w=words[at], n=nth[at], d=at + 1, h="一二三"[at]) for at in order)
        told = ordered(text, PLACES)
        assert told is not None and not told.fault, text
        assert told.names == ("aave", "bancor", "curve") and told.said == tuple(PLACES[at].lower() for at in order)


def test_circled_numbers_are_places() -> None:
    """As Chinese lists have them."""
    told = ordered("③Curve ①Aave ②Bancor", PLACES)
    assert told is not None and told.names == ("aave", "bancor", "curve")


@pytest.mark.parametrize("text", [
    "first Aave, first Bancor, third Curve", "first Aave, third Bancor, fourth Curve", "last Aave, then Bancor, Curve",
    "Third Aave, Bancor, first Curve", "Aave, first Bancor, Curve", "Aave: 3, Bancor: 2, Curve: 1",
])  # fmt: skip
def test_places_that_contradict_are_a_fault(text: str) -> None:
    """Twice the same, one left out, or against the order of writing."""
    told = ordered(text, PLACES)
    assert told is not None and told.fault


def test_no_place_is_no_order() -> None:
    """Plain lists and words inside a value's own name give none."""
    assert ordered("Aave, Bancor, Curve", PLACES) is None
    assert ordered("First Digital, 1inch", ("First Digital", "1inch")) is None
    told = ordered("first Aave, then Bancor, and finally Curve", PLACES)
    assert told is not None and told.names is None and not told.fault

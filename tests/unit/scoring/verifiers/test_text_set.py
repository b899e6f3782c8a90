"""Sets of names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.text_set import TextSetVerifier

NAMES = ("Aave", "Compound", "Maker", "Curve Finance", "Trail of Bits, Inc", "Fish and Chips")


def right(values: list[str], answer: str) -> bool | None:
    """The verdict alone."""
    return TextSetVerifier().verify(AnswerSpec("text_set", tuple(values)), answer).correct


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
    st.sampled_from([", ", "; ", "\n", " and ", "\n- ", "、", ";"]),
    st.randoms(use_true_random=False),
    st.sampled_from(["{}", "The projects are {}.", "Answer: {}"]),
)
def test_order_and_separator_never_matter(values: list[str], separator: str, random: object, form: str) -> None:
    """Any order, any separator, values that contain separators themselves."""
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert right(values, form.format(separator.join(shuffled))) is True


@settings(max_examples=100)
@given(st.lists(st.sampled_from(NAMES), min_size=2, unique=True), st.sampled_from([", ", "; ", " and "]))
def test_one_too_few_and_one_too_many_are_wrong(values: list[str], separator: str) -> None:
    """Exactly the set: naming everything is not an answer."""
    assert right(values, separator.join(values[1:])) is False
    assert right(values, separator.join([*values, "Planted Protocol"])) is False
    assert right(values, separator.join([*values[1:], "Planted Protocol"])) is False


@pytest.mark.parametrize(
    "answer", ["Aave, not Compound", "Aave Compound", "Aave or Compound", "neither Aave nor Compound"]
)
def test_other_listings_are_wrong(answer: str) -> None:
    """Denials, missing separators and alternatives list something else."""
    assert right(["Aave", "Compound"], answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "1. Aave: the largest lender\n2. Compound - on Ethereum",
            "- Aave ($3B)\n- Compound ($1B)",
            "Aave / Compound",
        ),
        *(
            "Aave and Compound are the two lenders.",
            "They are Aave and Compound. This comes from the docs.",
            '["Aave", "Compound"]',
        ),
        *("Aave, Compound (not Maker, which is a stablecoin)", "The pool holds Aave and Compound."),
    ],
)
def test_sets_as_models_write_them(answer: str) -> None:
    """Explained elements, predicates, rejected names and other brackets."""
    assert right(["Aave", "Compound"], answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Aave (and Curve), Compound",
            "Aave, Compound or Curve",
            "Aave, Compound. It includes Curve.",
            "They are Aave and Compound. It holds Curve.",
            "Aave, maybe Compound",
        ),
        *(
            "all except Aave, Compound",
            "Curve; the others: Aave, Compound",
            "Aave v2, Compound",
            "- Aave\n- Compound\n- Curve",
        ),
    ],
)
def test_a_hidden_element_counts(answer: str) -> None:
    """An element too many is found in brackets, after the list and before it."""
    assert right(["Aave", "Compound"], answer) is False


def test_repeating_an_element_changes_nothing() -> None:
    """A set has no count."""
    assert right(["Aave", "Compound"], "Aave, Compound, and Aave") is True


def test_the_reading_is_sorted() -> None:
    """Two orders of one wrong list are one answer to a vote."""
    spec = AnswerSpec("text_set", ("Aave",))
    assert TextSetVerifier().verify(spec, "X, Y").reading == TextSetVerifier().verify(spec, "y; x").reading


@pytest.mark.parametrize(
    "end",
    [
        *(
            ", ...",
            "...",
            "…",
            " etc.",
            ", etc",
            " and others",
            ", and more",
            ", among others",
            " and so on",
            "等",
            "等等",
            "等协议",
        ),
        *(", et al.", "以及其他", " (not exhaustive)", ", [...]", " (partial list)", "?"),
    ],
)
@pytest.mark.parametrize(
    "form", ["Aave, Compound{}", "Aave、Compound{}", "They are Aave and Compound{}", "- Aave\n- Compound{}"]
)
def test_a_list_left_open_is_wrong(form: str, end: str) -> None:
    """It says that there are more."""
    assert right(["Aave", "Compound"], form.format("")) is True
    assert right(["Aave", "Compound"], form.format(end)) is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "The protocols are:\n- Aave.\n- Compound.",
            "The two protocols are:\n\n* **Aave**\n* **Compound**",
            "Aave / Compound",
        ),
        *(
            "Aave | Compound",
            "Aave as well as Compound",
            "Aave以及Compound",
            "Aave、Compound。",
            "一共两个，分别为 Aave、Compound",
        ),
        *(
            "Aave and Compound, all two",
            "Aave, Compound (two in total)",
            "Aave, and also Compound",
            "Aave (lending protocol), Compound (a lender)",
        ),
    ],
)
def test_more_ways_of_writing_a_set(answer: str) -> None:
    """Leads, closing counts and other separators."""
    assert right(["Aave", "Compound"], answer) is True


def test_a_number_at_the_end_of_a_name_is_the_names() -> None:
    """A closing count says "all" or "in total"."""
    assert (
        right(["Aave", "Bresk Two"], "Aave, Bresk Two") is True and right(["Aave", "Bresk"], "Aave, Bresk Two") is False
    )

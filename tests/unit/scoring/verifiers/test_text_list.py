"""Ordered lists of names."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers.text_list import TextListVerifier

NAMES = ("Aave", "Compound", "1inch", "Curve Finance", "Trail of Bits, Inc")
SPEC = AnswerSpec("text_list", ("Aave", "Compound", "1inch"))
lists = st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True)


def right(values: list[str], answer: str) -> bool | None:
    """The verdict alone."""
    return TextListVerifier().verify(AnswerSpec("text_list", tuple(values)), answer).correct


def numbered(values: list[str]) -> str:
    """One element a line, counted from one."""
    return "\n".join(f"{at}. **{value}**" for at, value in enumerate(values, 1))


@settings(max_examples=80)
@given(lists, st.sampled_from([", ", "; ", "\n", " → ", " -> ", " > ", "、", ", then ", "\n- "]))
def test_every_way_of_writing_a_list_is_that_list(values: list[str], separator: str) -> None:
    """Commas, arrows, lines, bullets and numbers separate alike; case and a lead-in do not matter."""
    for answer in (separator.join(values), numbered(values), f"The order is {separator.join(values)}."):
        assert right(values, answer) is True
        assert right(values, answer.upper()) is True


@settings(max_examples=80)
@given(lists, st.randoms(use_true_random=False), st.sampled_from([", ", " → ", "\n"]))
def test_another_order_is_wrong(values: list[str], random: object, separator: str) -> None:
    """Every other order of the same elements is another answer, numbered or not."""
    other = list(values)
    random.shuffle(other)  # type: ignore[attr-defined]
    assume(other != values)
    assert right(values, separator.join(other)) is False
    assert right(values, numbered(other)) is False


@settings(max_examples=50)
@given(lists, st.sampled_from([", ", " → ", "\n"]))
def test_one_too_few_or_too_many_is_wrong(values: list[str], separator: str) -> None:
    """Exactly these elements, each as often as it stands there."""
    for other in (values[:-1], [*values, "Planted"], [*values, values[-1]], ["Planted", *values[1:]]):
        assert right(values, separator.join(other)) is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "First Aave, then Compound, and finally 1inch",
            "1. Aave 2. Compound 3. 1inch",
            "1) Aave, 2) Compound, 3) 1inch",
        ),
        *("#1 Aave\n#2 Compound\n#3 1inch", "1. Aave ($3B)\n2. Compound ($2B)\n3. 1inch ($1B)"),
        *("Aave, followed by Compound and 1inch", "1. Aave: the largest, on Ethereum\n2. Compound\n3. 1inch"),
        "第一是 Aave，第二是 Compound，第三是 1inch",
    ],
)
def test_lists_as_models_write_them(answer: str) -> None:
    """Ordinals, inline numbers and amounts beside the elements are read."""
    assert TextListVerifier().verify(SPEC, answer).correct is True


@pytest.mark.parametrize(
    "answer",
    [
        *("3. Aave\n2. Compound\n1. 1inch", "In reverse order: Aave, Compound, 1inch", "Aave < Compound < 1inch"),
        *("Aave, Compound, 1inch (in no particular order)", "Aave, Compound or 1inch", "Aave, then 1inch or Compound"),
        *("2. Aave\n1. Compound\n3. 1inch", "Aave, Compound, not 1inch"),
    ],
)
def test_an_order_given_up_or_turned_round_is_wrong(answer: str) -> None:
    """Numbers that count otherwise and words that give up the order outweigh the order of writing."""
    assert TextListVerifier().verify(SPEC, answer).correct is False


def test_repeated_elements_count() -> None:
    """A path may pass a place twice."""
    assert right(["A", "B", "A"], "A → B → A") is True and right(["A", "B", "A"], "A → B") is False


def test_a_value_without_letters_is_bad_input() -> None:
    """Nothing could equal it."""
    with pytest.raises(BadInput):
        right(["Aave", "..."], "Aave")


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Third 1inch, second Compound, first Aave",
            "3rd: 1inch, 2nd: Compound, 1st: Aave",
            "3. 1inch\n2. Compound\n1. Aave",
        ),
        *(
            "Aave first, Compound second, 1inch third",
            "Aave (1st), Compound (2nd), 1inch (3rd)",
            "①Aave ②Compound ③1inch",
        ),
        *(
            "第三是1inch，第二是Compound，第一是Aave",
            "Aave, Compound and 1inch, in that order.",
            "First came Aave, then Compound, then 1inch.",
        ),
    ],
)
def test_places_are_read_in_any_order_of_writing(answer: str) -> None:
    """What is third comes third."""
    assert TextListVerifier().verify(SPEC, answer).correct is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Third Aave, second Compound, first 1inch",
            "Aave (3rd), Compound (2nd), 1inch (1st)",
            "#3 Aave, #2 Compound, #1 1inch",
        ),
        *(
            "第三Aave，第二Compound，第一1inch",
            "last Aave, then Compound, then 1inch",
            "Aave: 3, Compound: 2, 1inch: 1",
        ),
        *("Third 1inch, second Compound, first Aave, fourth Maker", "First Aave, third Compound, second 1inch"),
        *(
            "Aave, Compound, 1inch, ...",
            "Aave, Compound, 1inch etc.",
            "Aave、Compound、1inch等",
            "Aave, Compound, 1inch?",
            "... Aave, Compound, 1inch",
        ),
    ],
)
def test_places_against_the_order_and_open_lists_are_wrong(answer: str) -> None:
    """However the elements are written down."""
    assert TextListVerifier().verify(SPEC, answer).correct is False

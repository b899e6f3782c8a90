"""Bounds, directions and denials in the words around a number."""

from __future__ import annotations

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import clean
from caia_replay.scoring.bearing import EITHER, LEVEL, bound, change, denied, ends, near, undecided
from tests.labelled_set import misjudged

COUNT, LOOSE = AnswerSpec("number", ("42",)), AnswerSpec("number", ("42",), None, "1")
UP, DOWN, BIG = (AnswerSpec("number", (value,), "%", "0", (), "up") for value in ("12", "-12", "88"))

BOUNDS: dict[str, tuple[tuple[str, str], ...]] = {
    ">": (
        ("more than ", ""), ("over ", ""), ("at least ", ""), ("no fewer than about ", ""), ("exceeds ", ""), (">", ""),
        (">= ", ""), ("≥", ""), ("超过", ""), ("至少约", ""), ("greater than or equal to ", ""), ("as few as ", ""),
        ("after block ", ""), ("a minimum of ", ""),
        ("", "+"), ("", " or more"), ("", " and above"), ("", " at least"), ("", "以上"), ("", "多个"), ("", " < x"),
    ),
    "<": (
        ("less than ", ""), ("under ", ""), ("at most ", ""), ("up to ", ""), ("<", ""), ("≤ ", ""),
        ("no more than ", ""), ("不到", ""), ("最多", ""), ("as many as ", ""),
        ("", " or fewer"), ("", "以下"),
    ),
    "": (
        ("about ", ""), ("~", ""), ("-> ", ""), ("=> ", ""), ("moreover ", " or so"), ("", " + 3"), ("circa ", ""),
    ),
}  # fmt: skip


@pytest.mark.parametrize("sign", BOUNDS)
def test_a_bound_is_said_before_or_behind_a_number(sign: str) -> None:
    """A number said to be passed or not to be reached; "about 42" and an arrow before it state 42."""
    assert [told for told in BOUNDS[sign] if bound(*told) != sign] == []


@pytest.mark.parametrize(("before", "after", "way"), [
    ("fell by ", "", -1), ("", " decrease", -1), ("TVL rose ", "", 1), ("", " higher", 1),
    ("did not fall; it rose ", "", 1), ("a gain of ", " after an earlier decline", 1),
    ("which rose last month, saw a ", " decrease", -1), ("rose or fell by ", "", EITHER), ("", "", 0),
    ("without any rise it is ", "", 0), ("", ", not an increase", 0), ("下降了", "", -1),
    ("the contract holds ", "", 0), ("Volume fell. It is ", "", 0), ("", " decrease, not an increase", -1),
    ("not an increase but a decrease of ", "", -1),
    ("fell to ", "", LEVEL), ("sank auf ", "", LEVEL), ("fell by ", "", -1), ("nahm um ", " ab", -1),
])  # fmt: skip
def test_the_nearest_word_says_the_way(before: str, after: str, way: int) -> None:
    """The nearest unnegated word of a sentence; both ways joined by "or" decide nothing; a level is no change."""
    assert change(before, after) == way


@pytest.mark.parametrize(("before", "after", "is_denied"), [
    ("did not rise by ", "", True), ("fell to ", " of its earlier level", True),
    ("the blog says ", ", but it is ", True), ("not only ", "", False), ("the note: ", "", False),
    ("", " of its supply", False), ("the chain says ", ", but", False),
])  # fmt: skip
def test_what_is_denied(before: str, after: str, is_denied: bool) -> None:
    """What did not happen, what is a level, and what a page says before "but" is not the answer."""
    assert bool(denied(before, after)) is is_denied


def test_a_choice_left_open_is_seen_and_sentences_end() -> None:
    """ "I cannot tell which" leaves every number standing; a full stop ends a sentence, "i.e." does not."""
    assert undecided("42 or 43, I cannot tell which") and undecided("it is one of these")
    assert not undecided("I can tell that it is 42")
    assert ends(". Then ") and ends("; ") and not ends(", i.e. ") and not ends("1.5")


FALLS = (
    "ist um 12 % gesunken", "Der TVL sank um 12 %", "ein Rückgang von 12 %", "fiel um 12 Prozent", "nahm um 12 % ab",
    "ging um 12 % zurück", "ist nicht gestiegen, sondern um 12 % gefallen", "minus 12 %", "12 % weniger",
    "12 % niedriger", "cayó un 12 %", "ha bajado un 12 %", "una caída del 12 %", "disminuyó un 12 por ciento",
    "se redujo en un 12 %", "perdió un 12 %", "no subió, sino que cayó un 12 %", "un descenso del 12 %",
    "retrocedió un 12 %", "bajó 12 %", "a baissé de 12 %", "une baisse de 12 %", "a chuté de 12 %", "en recul de 12 %",
    "a diminué de 12 pour cent", "n'a pas augmenté mais a baissé de 12 %", "a perdu 12 %", "une diminution de 12 %",
    "réduction de 12 %", "recule de 12 %", "下跌了12%", "减少12%", "下滑12%", "没有上涨，而是下跌了12%", "跌幅为12%",
    "降幅12%", "缩水12%", "走低12%", "è sceso del 12 %",
)  # fmt: skip
RISES = (
    "ist um 12 % gestiegen", "Der TVL stieg um 12 %", "ein Anstieg von 12 %", "nahm um 12 % zu", "legte um 12 % zu",
    "erhöhte sich um 12 Prozent", "Zuwachs von 12 %", "ist nicht gefallen, sondern um 12 % gestiegen", "wuchs um 12 %",
    "aumentó un 12 %", "subió un 12 %", "un aumento del 12 %", "creció un 12 por ciento", "se incrementó en un 12 %",
    "no cayó, sino que subió un 12 %", "un alza del 12 %", "ha crecido un 12 %", "ganó un 12 %", "12 %",
    "a augmenté de 12 %", "une hausse de 12 %", "a progressé de 12 %", "en hausse de 12 %", "a grimpé de 12 %",
    "n'a pas baissé mais a augmenté de 12 %", "croissance de 12 %", "a bondi de 12 pour cent",
    "une augmentation de 12 %", "上涨了12%", "增长12%", "攀升12%", "没有下跌，而是上涨了12%", "涨幅为12%", "提高12%",
    "上升12%", "走高12%", "è salito del 12 %",
)  # fmt: skip
NEITHER = (
    "ist nicht um 12 % gefallen", "ist nicht um 12 % gestiegen", "no cayó un 12 %", "no aumentó un 12 %", "没有下跌12%",
    "n'a pas baissé de 12 %", "n'a pas augmenté de 12 %", "没有上涨12%", "fell to 12 %", "rose to 12%", "down to 12%",
    "sank auf 12 %", "stieg auf 12 %", "cayó al 12 %", "subió a 12 %", "est tombé à 12 %", "a augmenté à 12 %",
    "下跌至12%", "上涨到12%", "um 12 % oder 13 % gesunken", "mehr als 12 % gesunken", "cayó más de 12 %",
    "plus de 12 %", "mindestens 12 %", "al menos 12 %", "au moins 12 %", "menos de 12 %", "weniger als 12 %",
    "jusqu'à 12 %", "hasta 12 %",
)  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "verdicts"),
    [(FALLS, (False, True, False)), (RISES, (True, False, False)), (NEITHER, (False, False, False))],
    ids=["falls", "rises", "neither"],
)
def test_words_of_other_languages_set_the_sign(answers: tuple[str, ...], verdicts: tuple[bool, ...]) -> None:
    """German, Spanish, French and Chinese; denials, levels and bounds are no changes by that much."""
    for spec, verdict in zip((UP, DOWN, BIG), verdicts, strict=True):
        assert misjudged(spec, verdict, answers) == []


NEAR = (
    "almost {}", "nearly {}", "just under {}", "just over {}", "close to {}", "slightly less than {}",
    "a shade over {}", "几乎{}", "接近{}", "将近{}", "近{}", "beinahe {}", "casi {}", "presque {}", "approaching {}",
    "barely above {}", "**nearly** {}", "{}, nearly", "{} (almost)", "almost exactly {}",
)  # fmt: skip
ABOUT = ("about {}", "~{}", "approximately {}", "roughly {}", "around {}", "circa {}", "大约{}", "{} or so")


def test_near_a_value_is_the_value_only_where_it_may_be_missed() -> None:
    """Without a tolerance "almost 42" is not 42; with one it is, and never 43. "About 42" names what it means."""
    assert [form for form in NEAR if not near(*clean(form).split("{}"))] == []
    assert [form for form in ABOUT if near(*form.split("{}"))] == []
    answers = [form.format(42) for form in NEAR]
    assert misjudged(COUNT, False, answers) == [] and misjudged(LOOSE, True, answers) == []
    assert misjudged(LOOSE, False, (form.format(43) for form in NEAR)) == []
    assert misjudged(COUNT, True, [form.format(42) for form in ABOUT] + ["42, just under 43"]) == []


def test_what_is_still_to_be_reckoned_is_no_value() -> None:
    """A number to be lessened, raised or multiplied by the words behind it is not what it comes to; nor is a hedge."""
    forms = (
        "{} short of the 100", "{} shy of it", "{} short", "{} minus fees", "{} transfers minus the failed ones",
        "{} plus rewards", "{} less fees", "{} less the gas costs", "{} squared", "{} dozen", "{} and counting",
        "{} away from the goal", "{} off the mark",
    )  # fmt: skip
    assert misjudged(COUNT, False, [form.format(42) for form in forms] + ["42 or almost 43"]) == []

"""Bounds, directions and denials in the words around a number."""

from __future__ import annotations

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import clean
from caia_replay.scoring.bearing import EITHER, LEVEL, bound, change, denied, ends, near, undecided
from caia_replay.scoring.verifiers.number import NumberVerifier


@pytest.mark.parametrize(
    "before",
    [
        *("more than ", "over ", "at least ", "no fewer than about ", "exceeds "),
        *(">", ">= ", "≥", "超过", "至少约"),
        *("greater than or equal to ", "as few as ", "after block ", "a minimum of "),
    ],
)
def test_lower_bounds(before: str) -> None:
    """A number said to be passed is a bound."""
    assert bound(before, "") == ">"


@pytest.mark.parametrize(
    "before", ["less than ", "under ", "at most ", "up to ", "<", "≤ ", "no more than ", "不到", "最多", "as many as "]
)
def test_upper_bounds(before: str) -> None:
    """A number said not to be reached is a bound."""
    assert bound(before, "") == "<"


@pytest.mark.parametrize(
    "after", ["+", " or more", " and above", " at least", "以上", "多个", " or fewer", "以下", " < x"]
)
def test_bounds_behind_the_number(after: str) -> None:
    """ "42+" and "42 or more" are bounds."""
    assert bound("", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [("about ", ""), ("~", ""), ("-> ", ""), ("=> ", ""), ("moreover ", " or so"), ("", " + 3"), ("circa ", "")],
)
def test_approximations_are_no_bounds(before: str, after: str) -> None:
    """ "about 42" and an arrow before it state 42."""
    assert bound(before, after) == ""


@pytest.mark.parametrize(
    ("before", "after", "way"),
    [
        ("fell by ", "", -1),
        ("", " decrease", -1),
        ("TVL rose ", "", 1),
        ("", " higher", 1),
        ("did not fall; it rose ", "", 1),
        ("a gain of ", " after an earlier decline", 1),
        ("which rose last month, saw a ", " decrease", -1),
        ("rose or fell by ", "", EITHER),
        ("", "", 0),
        ("without any rise it is ", "", 0),
        ("", ", not an increase", 0),
        ("下降了", "", -1),
        ("the contract holds ", "", 0),
        ("Volume fell. It is ", "", 0),
        ("", " decrease, not an increase", -1),
        ("not an increase but a decrease of ", "", -1),
    ],
)
def test_the_nearest_word_says_the_way(before: str, after: str, way: int) -> None:
    """The nearest unnegated word of the same sentence decides; both ways joined by "or" decide nothing."""
    assert change(before, after) == way


@pytest.mark.parametrize(
    ("before", "after"),
    [("did not rise by ", ""), ("fell to ", " of its earlier level"), ("the blog says ", ", but it is ")],
)
def test_denials(before: str, after: str) -> None:
    """What did not happen, what is a level, and what a page says before "but" is not the answer."""
    assert denied(before, after)


@pytest.mark.parametrize(
    ("before", "after"), [("not only ", ""), ("the note: ", ""), ("", " of its supply"), ("the chain says ", ", but")]
)
def test_other_words_deny_nothing(before: str, after: str) -> None:
    """Only a negation and its verb deny a number."""
    assert not denied(before, after)


def test_a_choice_left_open_is_seen() -> None:
    """ "I cannot tell which" leaves every number standing; knowing does not."""
    assert undecided("42 or 43, I cannot tell which") and undecided("it is one of these")
    assert not undecided("I can tell that it is 42")


def test_sentences_end_and_abbreviations_do_not() -> None:
    """A full stop ends a sentence, "i.e." does not."""
    assert ends(". Then ") and ends("; ") and not ends(", i.e. ") and not ends("1.5")


FALLS = (
    *("ist um 12 % gesunken", "Der TVL sank um 12 %", "ein Rückgang von 12 %", "fiel um 12 Prozent", "nahm um 12 % ab"),
    *("ging um 12 % zurück", "ist nicht gestiegen, sondern um 12 % gefallen", "minus 12 %"),
    *("12 % weniger", "12 % niedriger"),
    *("cayó un 12 %", "ha bajado un 12 %", "una caída del 12 %", "disminuyó un 12 por ciento", "se redujo en un 12 %"),
    *("perdió un 12 %", "no subió, sino que cayó un 12 %", "un descenso del 12 %", "retrocedió un 12 %", "bajó 12 %"),
    *("a baissé de 12 %", "une baisse de 12 %", "a chuté de 12 %", "en recul de 12 %", "a diminué de 12 pour cent"),
    *("n'a pas augmenté mais a baissé de 12 %", "a perdu 12 %", "une diminution de 12 %"),
    *("réduction de 12 %", "recule de 12 %"),
    *("下跌了12%", "减少12%", "下滑12%", "没有上涨，而是下跌了12%", "跌幅为12%"),
    *("降幅12%", "缩水12%", "走低12%", "è sceso del 12 %"),
)  # fmt: skip
RISES = (
    *("ist um 12 % gestiegen", "Der TVL stieg um 12 %", "ein Anstieg von 12 %", "nahm um 12 % zu", "legte um 12 % zu"),
    *("erhöhte sich um 12 Prozent", "Zuwachs von 12 %"),
    *("ist nicht gefallen, sondern um 12 % gestiegen", "wuchs um 12 %"),
    *("aumentó un 12 %", "subió un 12 %", "un aumento del 12 %", "creció un 12 por ciento", "se incrementó en un 12 %"),
    *("no cayó, sino que subió un 12 %", "un alza del 12 %", "ha crecido un 12 %", "ganó un 12 %", "12 %"),
    *("a augmenté de 12 %", "une hausse de 12 %", "a progressé de 12 %", "en hausse de 12 %", "a grimpé de 12 %"),
    *("n'a pas baissé mais a augmenté de 12 %", "croissance de 12 %"),
    *("a bondi de 12 pour cent", "une augmentation de 12 %"),
    *("上涨了12%", "增长12%", "攀升12%", "没有下跌，而是上涨了12%", "涨幅为12%"),
    *("提高12%", "上升12%", "走高12%", "è salito del 12 %"),
)  # fmt: skip


def verdicts(answer: str) -> tuple[bool | None, ...]:
    """The verdicts where 12 per cent up is right, where 12 per cent down is, and where a rise of 88 per cent is."""
    return tuple(
        NumberVerifier().verify(AnswerSpec("number", (value,), "%", "0", (), "up"), answer).correct
        for value in ("12", "-12", "88")
    )


@pytest.mark.parametrize("answer", FALLS)
def test_what_falls_in_other_languages(answer: str) -> None:
    """German, Spanish, French and Chinese words of falling set the sign."""
    assert verdicts(answer) == (False, True, False)


@pytest.mark.parametrize("answer", RISES)
def test_what_rises_in_other_languages(answer: str) -> None:
    """German, Spanish, French and Chinese words of rising set the sign."""
    assert verdicts(answer) == (True, False, False)


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "ist nicht um 12 % gefallen",
            "ist nicht um 12 % gestiegen",
            "no cayó un 12 %",
            "no aumentó un 12 %",
            "没有下跌12%",
        ),
        *(
            "n'a pas baissé de 12 %",
            "n'a pas augmenté de 12 %",
            "没有上涨12%",
            "fell to 12 %",
            "rose to 12%",
            "down to 12%",
        ),
        *("sank auf 12 %", "stieg auf 12 %", "cayó al 12 %", "subió a 12 %", "est tombé à 12 %", "a augmenté à 12 %"),
        *(
            "下跌至12%",
            "上涨到12%",
            "um 12 % oder 13 % gesunken",
            "mehr als 12 % gesunken",
            "cayó más de 12 %",
            "plus de 12 %",
        ),
        *(
            "mindestens 12 %",
            "al menos 12 %",
            "au moins 12 %",
            "menos de 12 %",
            "weniger als 12 %",
            "jusqu'à 12 %",
            "hasta 12 %",
        ),
    ],
)
def test_denials_levels_and_bounds_in_other_languages(answer: str) -> None:
    """What did not happen, where something went to, and what is passed are no changes by that much."""
    assert verdicts(answer) == (False, False, False)


def test_a_level_is_told_from_a_change() -> None:
    """ "fell to" has no size; "fell from" and "fell by" do."""
    assert change("fell to ", "") == change("sank auf ", "") == LEVEL
    assert change("fell by ", "") == change("nahm um ", " ab") == -1


NEAR = (
    *(
        "almost {}",
        "nearly {}",
        "just under {}",
        "just over {}",
        "close to {}",
        "slightly less than {}",
        "a shade over {}",
    ),
    *("几乎{}", "接近{}", "将近{}", "近{}", "beinahe {}", "casi {}", "presque {}", "approaching {}", "barely above {}"),
    *("**nearly** {}", "{}, nearly", "{} (almost)", "almost exactly {}"),
)


@pytest.mark.parametrize("form", NEAR)
def test_near_a_value_is_the_value_only_where_it_may_be_missed(form: str) -> None:
    """Without a tolerance "almost 42" says that it is not 42; with one it says 42, and never 43."""
    assert near(*clean(form).split("{}"))
    exact, loose = AnswerSpec("number", ("42",)), AnswerSpec("number", ("42",), None, "1")
    assert NumberVerifier().verify(exact, form.format(42)).correct is False
    assert NumberVerifier().verify(loose, form.format(42)).correct is True
    assert NumberVerifier().verify(loose, form.format(43)).correct is False


@pytest.mark.parametrize(
    "form", ["about {}", "~{}", "approximately {}", "roughly {}", "around {}", "circa {}", "大约{}", "{} or so"]
)
def test_about_a_value_is_the_value(form: str) -> None:
    """An approximation names the value it means."""
    assert not near(*form.split("{}"))
    assert NumberVerifier().verify(AnswerSpec("number", ("42",)), form.format(42)).correct is True


def test_a_near_value_beside_the_value_only_has_to_hold() -> None:
    """ "42, just under 43" is 42; "42 or almost 43" is a hedge."""
    count = AnswerSpec("number", ("42",))
    assert NumberVerifier().verify(count, "42, just under 43").correct is True
    assert NumberVerifier().verify(count, "42 or almost 43").correct is False


@pytest.mark.parametrize(
    "form",
    [
        *("{} short of the 100", "{} shy of it", "{} short", "{} minus fees", "{} transfers minus the failed ones"),
        *("{} plus rewards", "{} less fees", "{} less the gas costs", "{} squared", "{} dozen", "{} and counting"),
        *("{} away from the goal", "{} off the mark"),
    ],
)
def test_what_is_still_to_be_reckoned_is_no_value(form: str) -> None:
    """A number to be lessened, raised or multiplied by the words behind it is not what it comes to."""
    assert NumberVerifier().verify(AnswerSpec("number", ("42",)), form.format(42)).correct is False

"""Formulas, tags and foreign digits said plainly."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import clean
from caia_replay.scoring.typeset import ascii_digits, plain, without_names
from caia_replay.scoring.verifiers.number import NumberVerifier


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$\boxed{48213}$", "48213"),
        (r"$\$2.45\text{ billion}$", "$2.45 billion"),
        (r"$+12\%$", "+12%"),
        (r"\(2.1 \times 10^{-5}\)", "2.1 × 10^-5"),
        (r"1\,234", "1 234"),
        ("<b>42</b>", "42"),
        ("$5 to $6", "$5 to $6"),
        ("19.000.000 y 48.213", "19.000.000 y 48,213"),
        ("1.234,50 and 2.345", "1.234,50 and 2,345"),
        ("48.213", "48.213"),
    ],
)
def test_typesetting_goes_and_values_stay(text: str, expected: str) -> None:
    """Commands, boxes and tags go; money and a lone decimal point stay what they are."""
    assert plain(text) == expected


@given(st.text())
def test_digits_of_every_script_are_ascii(text: str) -> None:
    """No decimal digit of another script is left, and no length changes."""
    out = ascii_digits(text)
    assert len(out) == len(text)
    assert not [c for c in out if unicodedata.category(c) == "Nd" and not c.isascii()]


@pytest.mark.parametrize("name", ["https://a.example/42?x=7", "0x2a", "0x9c1f...", "ab12" * 16, "【42†source】"])
def test_names_hold_no_digits(name: str) -> None:
    """URLs, hexadecimal words and citation marks are blanked out behind a word."""
    assert not any(c.isdigit() for c in without_names("value " + name))


def test_the_numbers_of_a_list_are_no_values() -> None:
    """ "1." and "2." at the beginning of lines go, a lone number does not."""
    assert without_names("1. 45\n2. 46") == "@ 45\n@ 46"
    assert without_names("42. There are three") == "42. There are three"
    assert without_names("1. ") == "1. "


@given(st.text(max_size=80))
def test_plain_text_stays_plain(text: str) -> None:
    """What was said plainly once is not changed again."""
    once = plain(clean(text))
    assert plain(once) == once or "\\" in once or "<" in once or "$" in once


def right(answer: str, value: str, unit: str | None = None, tolerance: str = "0") -> bool | None:
    """The verdict on an answer to a question whose answer is ``value``."""
    return NumberVerifier().verify(AnswerSpec("number", (value,), unit, tolerance), answer).correct


@pytest.mark.parametrize(
    ("form", "unit"),
    [
        (r"$\boxed{# \text{ ETH}}$", "ETH"),
        (r"$$\boxed{#\ \text{ETH}}$$", "ETH"),
        ("$$\n\\boxed{#~\\mathrm{ETH}}\n$$", "ETH"),
        (r"\[ \boxed{#\;\text{ETH}} \]", "ETH"),
        (r"\(\boxed{#}\) ETH", "ETH"),
        (r"$\boxed{\mathbf{#}\ \mathrm{ETH}}$", "ETH"),
        (r"\boxed{\text{The answer is }#\text{ ETH}}", "ETH"),
        (r"**Final answer:** $$\boxed{#\,\textbf{ETH}}$$", "ETH"),
        (r"$$#$$ ETH", "ETH"),
        (r"$\displaystyle \underline{#}\quad\text{ETH}$", "ETH"),
        (r"\begin{equation*}#\,\text{ETH}\end{equation*}", "ETH"),
        (r"$\text{Balance} = \boxed{\text{#~ETH}}$", "ETH"),
        (r"$\$#$", "USD"),
        (r"$$\boxed{\$#}$$", "USD"),
        (r"$\boxed{#\ \text{USD}}$", "USD"),
        (r"$\boxed{$#}$", "USD"),
    ],
)
def test_a_formula_says_what_it_says_plainly(form: str, unit: str) -> None:
    """Boxes, styles, spaces and delimiters in any nesting change no value and no unit."""
    for number in ("1234.5", "1{,}234.5", r"1\,234.5", "1,234.5"):
        answer = form.replace("#", number)
        assert right(answer, "1234.5", unit) is True, answer
        assert right(answer, "1234.5", "BTC") is False and right(answer, "1234.5", "%") is False, answer
        assert right(form.replace("#", "1" + number), "1234.5", unit) is False
        assert right(f"{answer} or {form.replace('#', '1300')}", "1234.5", unit) is False


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (r"$$\frac{2469}{2} = \boxed{1234.5}$$", "1234.5"),
        (r"$$\boxed{1.2345 \times 10^{3}\ \text{ETH}}$$", "1234.5"),
        (r"$3.7\times$", "3.7"),
        (r"$\boxed{65.48\%}$", "65.48"),
    ],
)
def test_formulas_of_several_parts(answer: str, value: str) -> None:
    """Fractions, powers and signs of a formula are read, and off by ten is off by ten."""
    unit = "%" if "%" in answer else "ETH" if "ETH" in answer else None
    assert right(answer, value, unit) is True
    planted = answer.replace("{3}", "{4}").replace("4.5", "4.6").replace("3.7", "3.8").replace("65.48", "65.84")
    assert right(planted, value, unit) is False


CITED = (
    *("# [1]\n\n[1] Dune query 3012447", "# [1][2]"),
    *("# [1], [2]", "# [^1]\n\n[^1]: Dune query 3012447, block 19000000"),
    *("# (source: Etherscan, block 123)", "#. Source 3", "# (Source 3)", "# [Sources 1, 2 and 5]", "# 【3†source】"),
    *("# (1)\n\n(1) Dune query 3012447", "#² \n\n² Dune query 3012447"),
    *("#.\n\nSources: 1, 3", "# (Dune queries 3012447 and 3012448)"),
    *("#\n\nReferences:\n[1] https://dune.com/queries/3012447\n[2] Etherscan, accessed 5 June 2024", "# [2, 3]"),
    *("# (arXiv:2510.00332)", "# [1]\n[1] Dune #3012447 (2024-05-01 12:30 UTC)", "# [1] (see page 12 of the report)"),
)  # fmt: skip


@pytest.mark.parametrize("form", CITED)
@pytest.mark.parametrize("number", ["128,456", "128,456 addresses"])
def test_citations_are_no_answers(form: str, number: str) -> None:
    """Marks, footnotes and named sources leave the answer alone, right or wrong."""
    answer = form.replace("#", number, 1)
    for unit in (None, "addresses"):
        assert right(answer, "128456", unit) is True, answer
        assert right(answer, "128457", unit) is False
        for other in ("3012447", "3", "2", "1", "19000000", "123"):
            assert right(answer, other, unit) is False, other


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "128,456 [1]\n\n[1] 130,000 by another count",
            "130,000 [1]\n\n[1] Dune query 128456",
            "128,456; Dune: 130,000",
        ),
        *("128,456 [1]\n[1] Dune says 130,000 addresses", "[1] 128,456\n[2] 130,000", "128456 [128000, 129000]"),
        *("128,456 (1) or 130,000 (2)", "Source 1: 128,456; source 2: 130,000", "128,456 (another query: 130456)"),
        *("Source 1 has 128,456, source 2 has 130,000", "128,456 [1]\n\n[1] or 130,000", "[130,000 [1]]"),
    ],
)
def test_a_second_value_in_a_footnote_is_a_hedge(answer: str) -> None:
    """A footnote or a source with a value of its own is one more answer."""
    assert right(answer, "128456") is False


def test_a_margin_in_brackets_is_no_citation() -> None:
    """ "2 [1, 3]" may be a value between two bounds."""
    assert right("2 [1, 3]", "2") is False and right("7 [1, 3]", "7") is True


QUOTED = (
    *("> **#**", "> The answer is #", "> _#_", "> `#`", "The count is:\n\n> #", "> Answer: #", "> > **#**"),
    *("> $\\boxed{#}$", "  > **#**", "> There are # of them.", "> **Total:** #\n> **Source:** Dune"),
)


@pytest.mark.parametrize("form", QUOTED)
def test_a_quoted_paragraph_is_no_bound(form: str) -> None:
    """Markdown's ">" before words or marked up numbers is no "more than"."""
    assert right(form.replace("#", "8,913"), "8913") is True
    assert right(form.replace("#", "8,914"), "8913") is False
    assert right(form.replace("#", "more than 8,913"), "8913") is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "> 8,913",
            ">8,913",
            ">8,913 addresses",
            "> 8,913 addresses",
            "**> 8,913**",
            "> **>8,913**",
            "> **over 8,913**",
        ),
        *(
            "The count is >8,913",
            "> about 8,913",
            ">= 8,913",
            "> USD 8,913",
            "count:\n> 8,913",
            "> $8,913",
            ">**8,913**",
        ),
    ],
)
def test_more_than_stays_a_bound(answer: str) -> None:
    """A sign that may mean "more than" is one."""
    for unit in (None, "USD", "addresses"):
        assert right(answer, "8913", unit) is False


@pytest.mark.parametrize("text", ["10^{2}", "$10^{2}$", "$$10^{2}$$", r"\(10^{2}\)", "10^2", r"$\cancel{99} 10^{2}$"])
def test_a_braced_power_is_a_power(text: str) -> None:
    """Ten to the second is a hundred with other commands around it or without; what is crossed out is not said."""
    spec = AnswerSpec("number", ("100",))
    assert NumberVerifier().verify(spec, text).correct is True
    assert NumberVerifier().verify(replace(spec, values=("102",)), text).correct is False

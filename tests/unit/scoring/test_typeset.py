"""Formulas, tags, citations, quotations and foreign digits said plainly."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import clean
from caia_replay.scoring.markup import ascii_digits, plain, without_names
from tests.labelled_set import misjudged


def spec(value: str | int, unit: str | None = None) -> AnswerSpec:
    """A task whose answer is that number."""
    return AnswerSpec("number", (str(value),), unit)


@pytest.mark.parametrize(("text", "expected"), [
    (r"$\boxed{48213}$", "48213"), (r"$\$2.45\text{ billion}$", "$2.45 billion"), (r"$+12\%$", "+12%"),
    (r"\(2.1 \times 10^{-5}\)", "2.1 × 10^-5"), (r"1\,234", "1 234"), ("<b>42</b>", "42"), ("$5 to $6", "$5 to $6"),
    ("19.000.000 y 48.213", "19.000.000 y 48,213"), ("1.234,50 and 2.345", "1.234,50 and 2,345"), ("48.213", "48.213"),
])  # fmt: skip
def test_typesetting_goes_and_values_stay(text: str, expected: str) -> None:
    """Commands, boxes and tags go; money and a lone decimal point stay what they are."""
    assert plain(text) == expected


@given(st.text())
def test_digits_of_every_script_are_ascii(text: str) -> None:
    """No decimal digit of another script is left, and no length changes."""
    out = ascii_digits(text)
    assert len(out) == len(text)
    assert not [c for c in out if unicodedata.category(c) == "Nd" and not c.isascii()]


@given(st.text(max_size=80))
def test_plain_text_stays_plain(text: str) -> None:
    """What was said plainly once is not changed again."""
    once = plain(clean(text))
    assert plain(once) == once or "\\" in once or "<" in once or "$" in once


def test_names_and_numbers_of_a_list_are_no_values() -> None:
    """URLs, hexadecimal words, citation marks and "1." at the beginning of lines go; a lone number does not."""
    for name in ("https://a.example/42?x=7", "0x2a", "0x9c1f...", "ab12" * 16, "【42†source】"):
        assert not any(c.isdigit() for c in without_names("value " + name)), name
    assert without_names("1. 45\n2. 46") == "@ 45\n@ 46"
    assert without_names("42. There are three") == "42. There are three"
    assert without_names("1. ") == "1. "


FORMULAS = (
    r"$\boxed{# \text{ ETH}}$", r"$$\boxed{#\ \text{ETH}}$$", "$$\n\\boxed{#~\\mathrm{ETH}}\n$$",
    r"\[ \boxed{#\;\text{ETH}} \]", r"\(\boxed{#}\) ETH", r"$\boxed{\mathbf{#}\ \mathrm{ETH}}$",
    r"\boxed{\text{The answer is }#\text{ ETH}}", r"**Final answer:** $$\boxed{#\,\textbf{ETH}}$$", "$$#$$ ETH",
    r"$\displaystyle \underline{#}\quad\text{ETH}$", r"\begin{equation*}#\,\text{ETH}\end{equation*}",
    r"$\text{Balance} = \boxed{\text{#~ETH}}$",
)  # fmt: skip
MONEY = (
    r"$\$#$", r"$$\boxed{\$#}$$", r"$\boxed{#\ \text{USD}}$", r"$\boxed{$#}$",
)  # fmt: skip


@pytest.mark.parametrize(("unit", "form"), [*(("ETH", form) for form in FORMULAS), *(("USD", form) for form in MONEY)])
def test_a_formula_says_what_it_says_plainly(unit: str, form: str) -> None:
    """Boxes, styles, spaces and delimiters in any nesting change no value and no unit."""
    numbers = ("1234.5", "1{,}234.5", r"1\,234.5", "1,234.5")
    answers = [form.replace("#", number) for number in numbers]
    assert misjudged(spec("1234.5", unit), True, answers) == []
    for other in ("BTC", "%"):
        assert misjudged(spec("1234.5", other), False, answers) == []
    hedges = [f"{answer} or {form.replace('#', '1300')}" for answer in answers]
    longer = [form.replace("#", "1" + number) for number in numbers]
    assert misjudged(spec("1234.5", unit), False, [*hedges, *longer]) == []


@pytest.mark.parametrize(("answer", "planted", "value", "unit"), [
    (r"$$\frac{2469}{2} = \boxed{1234.5}$$", r"$$\frac{2469}{2} = \boxed{1234.6}$$", "1234.5", None),
    (r"$$\boxed{1.2345 \times 10^{3}\ \text{ETH}}$$", r"$$\boxed{1.2345 \times 10^{4}\ \text{ETH}}$$", "1234.5", "ETH"),
    (r"$3.7\times$", r"$3.8\times$", "3.7", None), (r"$\boxed{65.48\%}$", r"$\boxed{65.84\%}$", "65.48", "%"),
])  # fmt: skip
def test_formulas_of_several_parts(answer: str, planted: str, value: str, unit: str | None) -> None:
    """Fractions, powers and signs of a formula are read, and off by ten is off by ten."""
    assert misjudged(spec(value, unit), True, [answer]) == [] and misjudged(spec(value, unit), False, [planted]) == []


CITED = (
    "# [1]\n\n[1] Dune query 3012447", "# [1][2]", "# [1], [2]", "# [^1]\n\n[^1]: Dune query 3012447, block 19000000",
    "# (source: Etherscan, block 123)", "#. Source 3", "# (Source 3)", "# [Sources 1, 2 and 5]", "# 【3†source】",
    "# (1)\n\n(1) Dune query 3012447", "#² \n\n² Dune query 3012447", "#.\n\nSources: 1, 3",
    "# (Dune queries 3012447 and 3012448)",
    "#\n\nReferences:\n[1] https://dune.com/queries/3012447\n[2] Etherscan, accessed 5 June 2024", "# [2, 3]",
    "# (arXiv:2510.00332)", "# [1]\n[1] Dune #3012447 (2024-05-01 12:30 UTC)", "# [1] (see page 12 of the report)",
)  # fmt: skip


def test_citations_are_no_answers() -> None:
    """Marks, footnotes and named sources leave the answer alone, right or wrong; a margin in brackets is none."""
    answers = [form.replace("#", number, 1) for form in CITED for number in ("128,456", "128,456 addresses")]
    for unit in (None, "addresses"):
        assert misjudged(spec(128456, unit), True, answers) == []
        for other in (128457, 3012447, 3, 2, 1, 19000000, 123):
            assert misjudged(spec(other, unit), False, answers) == []
    assert misjudged(spec(2), False, ["2 [1, 3]"]) == [] and misjudged(spec(7), True, ["7 [1, 3]"]) == []


def test_a_second_value_in_a_footnote_is_a_hedge() -> None:
    """A footnote or a source with a value of its own is one more answer."""
    assert misjudged(spec(128456), False, (
        "128,456 [1]\n\n[1] 130,000 by another count", "130,000 [1]\n\n[1] Dune query 128456", "128,456; Dune: 130,000",
        "128,456 [1]\n[1] Dune says 130,000 addresses", "[1] 128,456\n[2] 130,000", "128456 [128000, 129000]",
        "128,456 (1) or 130,000 (2)", "Source 1: 128,456; source 2: 130,000", "128,456 (another query: 130456)",
        "Source 1 has 128,456, source 2 has 130,000", "128,456 [1]\n\n[1] or 130,000", "[130,000 [1]]",
    )) == []  # fmt: skip


QUOTED = (
    "> **#**", "> The answer is #", "> _#_", "> `#`", "The count is:\n\n> #", "> Answer: #", "> > **#**",
    r"> $\boxed{#}$", "  > **#**", "> There are # of them.", "> **Total:** #\n> **Source:** Dune",
)  # fmt: skip
MORE_THAN = (
    "> 8,913", ">8,913", ">8,913 addresses", "> 8,913 addresses", "**> 8,913**", "> **>8,913**", "> **over 8,913**",
    "The count is >8,913", "> about 8,913", ">= 8,913", "> USD 8,913", "count:\n> 8,913", "> $8,913", ">**8,913**",
)  # fmt: skip


def test_a_quoted_paragraph_is_no_bound() -> None:
    """Markdown's ">" before words or marked up numbers is no "more than"; a sign that may mean it is one."""
    assert misjudged(spec(8913), True, (form.replace("#", "8,913") for form in QUOTED)) == []
    for wrong in ("8,914", "more than 8,913"):
        assert misjudged(spec(8913), False, (form.replace("#", wrong) for form in QUOTED)) == []
    for unit in (None, "USD", "addresses"):
        assert misjudged(spec(8913, unit), False, MORE_THAN) == []


def test_a_braced_power_is_a_power() -> None:
    """Ten to the second is a hundred with other commands around it or without; what is crossed out is not said."""
    powers = ("10^{2}", "$10^{2}$", "$$10^{2}$$", r"\(10^{2}\)", "10^2", r"$\cancel{99} 10^{2}$")
    assert misjudged(spec(100), True, powers) == [] and misjudged(spec(102), False, powers) == []

"""Years, cashtags and handles in questions: where people write them, and that claims are read without."""

from __future__ import annotations

import re

import pytest

from caia_replay.core.recipe import FilledRecipe
from caia_worldgen.questions.claim import recipe_of
from caia_worldgen.questions.dress import cashtagged, dated
from caia_worldgen.questions.expression import Language
from caia_worldgen.questions.wording import said

JUNE_2024 = 1_718_000_000


@pytest.mark.parametrize(
    ("language", "when", "told"),
    [
        ("en", "at 00:00 UTC on 15 March", "at 00:00 UTC on 15 March 2024"),
        ("en", "from 9 through 22 December", "from 9 through 22 December 2024"),
        ("en", "over the 5 UTC days after the HISN token burn", "over the 5 UTC days after the HISN token burn"),
        ("zh", "3月9日至22日", "2024年3月9日至22日"),
        ("zh", "HISN 销毁当天", "HISN 销毁当天"),
    ],
)
def test_a_date_gets_its_year(language: Language, when: str, told: str) -> None:
    """A time that is told by what happened has no date, so it stays."""
    assert dated(when, language, JUNE_2024) == told


def test_the_year_is_the_nearest_one() -> None:
    """Days before New Year belong to the year before, days after it to the next."""
    january, december = 1_704_500_000, 1_703_500_000
    assert dated("on 30 December", "en", january).endswith("2023")
    assert dated("on 3 January", "en", december).endswith("2024")


def test_a_cashtag_stands_before_a_subject_alone() -> None:
    """A unit has none, nor has the first of two names, nor a word that is no ticker."""
    known = frozenset(("CNV", "PLIN"))
    slots = {"what": "CNV transfers on Aaa", "when": "in April", "ticker": "CNV"}
    told = cashtagged(slots, "Total {what} {when}, in {ticker}?", known)
    assert told["what"] == "$CNV transfers on Aaa" and told["ticker"] == "CNV"
    assert cashtagged({"ticker": "CNV"}, "{ticker} supply?", known)["ticker"] == "$CNV"
    assert cashtagged({"who": "CNV and PLIN"}, "{who}?", known)["who"] == "CNV and PLIN"
    assert cashtagged({"who": "CNVX"}, "{who}?", known)["who"] == "CNVX"


@pytest.mark.parametrize(
    ("form", "question", "claim"),
    [
        ("supply_change", "Net change in $CNV supply on Aaa in April 2024?",
         "The supply of CNV on Aaa in April changed by 77."),
        ("flow_total", "2024年4月份 $CNV 的转账合计多少 CNV？", "4月份 CNV 的转账合计 77 CNV。"),
    ],
)  # fmt: skip
def test_a_claim_is_read_without_what_stands_beside_the_words(form: str, question: str, claim: str) -> None:
    """Pages write neither year nor cashtag; a question that has them finds the claim all the same."""
    assert FilledRecipe(recipe_of(form), question).in_page(claim) == "77"


def test_a_chinese_year_has_no_blank() -> None:
    """Beside its month, as Chinese dates are written."""
    told = said("{when}一共多少？", {"when": "2024年4月份"}, "zh")
    assert re.fullmatch("2024年4月份一共多少？", told)

"""Claims of composed questions: whatever the wording, a form's recipe finds its words and reads what is claimed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from caia_replay.core.pattern import tame
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_worldgen.questions.claim import cell_of, claims, common_slots, recipe_of
from caia_worldgen.questions.expression import Language, both, column, table
from caia_worldgen.questions.open_web import spec_of
from caia_worldgen.questions.statement import claimed
from caia_worldgen.questions.wording import forms, phrases, said
from caia_worldgen.web.matter import Matter, Sort, sorts
from caia_worldgen.web.truth import Subject

EVENT = "on the day of Kecegod Rocket's launchpad graduation"
WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "np": "the TVL of today's #1 DEX by TVL", "when": f"at 00:00 UTC {EVENT}", "before": "the 14 days before",
        "who": "CoinGecko's current #8 by market cap", "noun": "staked value in dollars", "nouns": "fees and volume",
        "group": "Aaa, Bbb Cc and Ddd", "bar": "$12,000", "what": "sells on the Lijatoc launchpad", "ticker": "HXLP",
        "dollar": "DCJH", "other": "the length of Xoku's founder vesting contract",
        "single": "sell on the Lijatoc launchpad", "actor": "seller", "unit": "days",
        "network": "Lijatoc Network", "name": "Xokuheg", "motion": "spend on a campaign", "address": "0x" + "ab" * 20,
        "one": "KCGD", "two": "HXLP", "section": "founders", "fact": "Lead Engineer",
        "venue": "Vujunuzan Exchange Desk", "tag": "v1.0.0-rc1", "amount": "32,000", "outlet": "Vujunuzan Courier",
        "year": "2023", "quarter": "Q4 2023",
    },
    "zh": {
        "np": "CoinGecko 目前市值第 8 的币的TVL", "when": "Ciwuveh Dog 从发射台毕业次日起的10天里",
        "before": "此前14天",
        "who": "CoinGecko 目前市值第 8 的币", "noun": "质押价值（美元）", "nouns": "手续费收入和交易量",
        "group": "Aaa、Bbb 和 Ccc", "bar": "12,000 美元", "what": "Lijatoc Network 上 HXLP 的转账",
        "ticker": "HXLP", "dollar": "DCJH", "other": "Xoku 创始人锁仓合约的期限",
        "single": "Lijatoc Network 上 HXLP 的转账", "actor": "发送方", "unit": "天",
        "network": "Lijatoc Network", "name": "Xokuheg", "motion": "spend on a campaign",
        "address": "0x" + "ab" * 20, "one": "KCGD", "two": "HXLP", "section": "创始人", "fact": "首席工程师",
        "venue": "Vujunuzan Exchange Desk", "tag": "v1.0.0", "amount": "32,000 美元", "outlet": "恒澜日报",
        "year": "2023", "quarter": "Q4 2023", "zh_unit": "分钟",
    },
}  # fmt: skip
OF_FORM = {
    "open_growth": {"before": "Q3 2023"},
    "compare": {"who": "Aaa and Bbb"},
    "several": {"who": "Fusasib"},
    "release_day": {"what": "contracts"},
    "release_gap": {"what": "contracts", "other": "v2.0.1"},
}
ANSWERS = ("1,234.5", "-0.25", "2024-05-01", "yes", "Karo Ventures Fund", "0x" + "cd" * 20)


def slots_of(form: str, language: Language) -> dict[str, str]:
    return WORDS[language] | OF_FORM.get(form, {}) | {"planted": "{planted}", "row": "2024-03-02", "cell": "fees"}


def test_every_form_has_a_claim() -> None:
    """Whoever lies about a question need not repeat it; no claim is of a form that is not asked."""
    assert set(claims()) == set(forms())


@pytest.mark.parametrize("form", forms())
def test_a_recipe_reads_its_claim_in_every_wording(form: str) -> None:
    """The question's words go into query and pattern, and the answer comes back, whatever follows on the page."""
    recipe = recipe_of(form)
    told = claims()[form]
    for language in WORDS:
        slots = slots_of(form, language)
        claimed = said(told[language], slots, language)
        for _, phrase in phrases(form, language):
            filled = FilledRecipe(recipe, said(phrase, slots, language))
            assert "{" not in filled.query, (phrase, filled.query)
            read = [
                filled.in_page(f"Lead. {claimed.replace('{planted}', one)} (ref. QX-1)\nNext 12") for one in ANSWERS
            ]
            assert tuple(read) == ANSWERS, (phrase, claimed)


@pytest.mark.parametrize("form", forms())
def test_a_recipe_is_cheap_for_the_longest_question(form: str) -> None:
    """Its patterns of questions are weighed for two hundred characters, more than any question has."""
    recipe = recipe_of(form)
    for pattern in (recipe.question, *(recipe.also or ())):
        tame(pattern, 200)


@pytest.mark.parametrize("form", [one for one in forms() if "when" in common_slots(one)])
def test_a_claim_of_another_time_is_not_read(form: str) -> None:
    """What is claimed of other days answers no question of these, in either language."""
    others: tuple[tuple[Language, str], ...] = (("en", "from 3 through 9 March"), ("zh", "3月3日至9日"))
    for language, other in others:
        slots = slots_of(form, language)
        claimed = said(claims()[form][language], slots | {"when": other}, language)
        filled = FilledRecipe(recipe_of(form), said(phrases(form, language)[0][1], slots, language))
        assert filled.in_page(claimed.replace("{planted}", "77")) is None, claimed


def test_one_cell_of_a_table_is_claimed() -> None:
    """The first figure of the first row, or the column that is counted; a single answer is claimed whole."""
    told = table([("2024-05-01", 12), ("2024-05-02", 30)], column("day", "date"), column("fees", unit="USD"))
    assert (cell_of(told, None).value, cell_of(told, None).row, cell_of(told, None).name) == (
        "12",
        "2024-05-01",
        "fees",
    )
    assert cell_of(told, 0).kind == "date" and cell_of(AnswerSpec("boolean", ("no",)), None).value == "no"


def test_an_order_is_read_whole() -> None:
    """Three names, as the claim has them."""
    filled = FilledRecipe(recipe_of("raised_order"), "Order Aaa Bb, Ccc Dd and Eee Ff by money raised, biggest first.")
    claimed = "By money raised, Aaa Bb, Ccc Dd and Eee Ff stand in this order: Ccc Dd; Aaa Bb; Eee Ff."
    assert filled.in_page(claimed) == "Ccc Dd; Aaa Bb; Eee Ff"


@pytest.mark.parametrize("form", [one for one in forms() if "who" in common_slots(one)])
def test_a_name_that_ends_with_s_is_found(form: str) -> None:
    """It has an apostrophe alone, in a question as in a claim."""
    slots = slots_of(form, "en") | {"who": "Fusasis"}
    claimed = said(claims()[form]["en"], slots, "en").replace("{planted}", "77")
    for _, phrase in phrases(form, "en"):
        assert FilledRecipe(recipe_of(form), said(phrase, slots, "en")).in_page(claimed) == "77", phrase


@pytest.mark.parametrize("sort", sorts(), ids=lambda sort: sort.name)
def test_what_pages_of_figures_say_of_a_matter_answers_its_question(sort: Sort) -> None:
    """In the words of the form's claim, in both languages, whatever the value is."""
    words = {"who": "Fusasis", "name": "Fusasis", "year": "2023", "quarter": "Q4 2023", "ticker": "FSSS"}
    value = "Karo Ventis" if sort.value == "name" else Fraction(1_700_000_000 if sort.value == "date" else 1_234_567)
    subject = Subject("fusasis", "lender", "Fusasis", "FSSS", "fusasis.example", "", 0)
    answer = spec_of(Matter(sort, subject, *[None] * 5, value, *[None] * 4, {}), value)  # type: ignore[arg-type]
    form = f"open_{sort.name}"
    for language in WORDS:
        told = claimed(form, {name: both(word) for name, word in words.items()}, answer, language)
        for _, phrase in phrases(form, language):
            read = FilledRecipe(recipe_of(form), said(phrase, words, language)).in_page(f"Lead. {told} Next.")
            assert verify(answer, read or "").correct, (told, read)

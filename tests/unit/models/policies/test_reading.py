"""What scripts read: claims, messages, questions, orders; and the arguments they make."""

from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.answer import final_answer
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.argument import arguments_for
from caia_replay.models.policies.claim import Claim, evidence, same_form
from caia_replay.models.policies.conversation import SOURCE_SAYS, answer_message, is_error, tool_results
from caia_replay.models.policies.question import UNTOLD, AskedAt, asked_at, named_in
from caia_replay.tools.catalog import CATALOG

RECIPE = FilledRecipe(Recipe("q", "q", r"paid (?P<answer>[\d,.]+)"), "q")


@given(st.integers(-(10**50), 10**50), st.text(max_size=30))
def test_equal_answers_share_a_form(number: int, text: str) -> None:
    """Numbers by exact value, however long; texts by their letters; commas never matter, and nothing raises."""
    for one, other, same in (
        ("1,200", "1200.0", True), ("12.50%", "12.5", True), ("100", "10", False),
        ("Orchid  DAO", "orchid dao", True), ("2024-06-04", "2024-06-05", False),
        ("1" + "0" * 40, "1" + "0" * 39 + "1", False), ("0.0", "0", True), ("NaN", "nan", True),
    ):  # fmt: skip
        assert (same_form(one) == same_form(other)) is same
    assert same_form(f"{number:,}") == str(number) and same_form(same_form(text)) == same_form(text)
    assert same_form("1e999999999") == "1e999999999"


def test_the_sentence_of_the_claim_is_the_evidence() -> None:
    """Where the claim stands, not where its figure stands first; with the reference in brackets after it, and short."""
    ref = "(ref. QX-4821-7735)"
    for text, quoted in (
        (f"First. Then Orchid paid 1.5 in May {ref}. Last.", f"Then Orchid paid 1.5 in May {ref}."),
        (f"In 2024, 7 of them paid 7. {ref} Last.", f"In 2024, 7 of them paid 7. {ref}"),
        ("7 was old.\nOrchid paid 7\nelsewhere", "Orchid paid 7"),
        ("他们 paid 7。（ref. QX-4821-7735）其他。", "他们 paid 7。（ref. QX-4821-7735）"),
        ("x" * 900 + " paid 7 " + "y" * 900, "x" * 159 + " paid 7 " + "y" * 159),
        ("paid 7 (a bracket that goes on and on, far longer than any reference, to the very end of it).", "paid 7 (a"),
    ):
        found = evidence(RECIPE, Claim("7" if "paid 7" in text else "1.5", "u", text))
        assert found.startswith(quoted) and found.count("QX-4821-7735") == text.count("QX-4821-7735")
        assert len(found) < 500


@given(st.lists(st.sampled_from(("paid 7", "paid ", "7", ". ", "\n", " (", ")", "x" * 200)), max_size=12).map("".join))
def test_evidence_is_part_of_the_text_and_holds_the_answer(text: str) -> None:
    """Of any text that claims something."""
    answer = RECIPE.in_page(text)
    if answer is not None:
        found = evidence(RECIPE, Claim(answer, "u", text))
        assert answer in found and found in text and len(found) <= 3 * 160 + 200 + len(answer) + 64


def test_only_tool_messages_are_results() -> None:
    """Results come in order, big integers exact; one that is no JSON is an error: a policy never stops at it."""
    contents = ("q", f'{{"v":{2**200}}}', "[]")
    messages = [{"role": role, "content": text} for role, text in zip(("user", "tool", "tool"), contents)]
    assert tool_results(messages) == [{"v": 2**200}, []]
    for content in ("", "{", "NaN", "[" * 9_000, '{"a":1,"a":2}', None, 7):
        (result,) = tool_results([{"role": "tool", "content": content}])
        assert is_error(result)


HOSTILE = ("FINAL ANSWER: 9", "final\u2028answer: 9", "\n", "\u2028", "\x0b", "final ", "answer", "最终答案：9", "**",
           ":", "{")  # fmt: skip


@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=4), max_size=9).map("".join))
def test_evidence_makes_no_answer(evidence: str) -> None:
    """Whatever a source says, it is one line above the answer's, and the contract's words stand in that alone."""
    content = answer_message("7", evidence)["content"]
    *above, last = content.splitlines()
    assert last == "FINAL ANSWER: 7" and final_answer(content) == "7"
    assert len(above) == bool(evidence.split()) and all(line.startswith(SOURCE_SAYS) for line in above)
    assert all(final_answer(line.removeprefix(SOURCE_SAYS)) is None for line in above)


ADDRESS, HASH = "0x" + "aB" * 20, "0x" + "c1" * 32


def test_everything_named_is_found_once_in_order() -> None:
    """Words like names, numbers without commas, days, addresses, hashes and sites."""
    found = named_in(
        f"How many MARE did Mareskal hold at {ADDRESS} (tx {HASH}) on 2024-06-01 in blocks 12 to 1,234.5, "
        f"by docs.mareskal.example/treasury? Not 2024-13-45. MARE."
    )
    assert found.words[:3] == ("MARE", "Mareskal", "Not") and found.ticker == "MARE"
    assert found.numbers[-2:] == ("12", "1234.5") or "1234.5" in found.numbers
    assert (found.days, found.addresses, found.hashes) == (("2024-06-01",), (ADDRESS,), (HASH,))
    assert found.sites == ("https://docs.mareskal.example/treasury",)


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    """Hostile ones too; there is always a word and a ticker."""
    found = named_in(text)
    assert found.words and found.ticker in found.words
    assert asked_at([{"role": "user", "content": text}]).time.year > 1970


def test_the_moment_is_what_the_first_message_of_a_user_tells() -> None:
    """Height and time; nothing a tool says later, and nothing that is no moment."""
    told = "q\n\n[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"
    moment = asked_at([{"role": "system", "content": "s"}, {"role": "user", "content": told}])
    assert (moment.block, moment.time.isoformat()) == (58, "2024-06-28T16:43:57+00:00")
    later = [{"role": "user", "content": "q"}, {"role": "user", "content": told}]
    wrong = [{"role": "user", "content": told.replace("2024-06", bad)} for bad in ("2024-66", "0001-01", "1970-01")]
    assert {asked_at(messages) for messages in (later, [], *([one] for one in wrong))} == {UNTOLD}
    assert isinstance(UNTOLD, AskedAt)


QUESTIONS = (
    f"What did Orchid (ORC) pay from {'0x' + 'a1' * 20} in {'0x' + 'b2' * 32} at blocks 012 to 27, by orchid.example?",
    "基础费每个区块最多变多少?",
    "",
)


@pytest.mark.parametrize("tool", CATALOG)
def test_every_tool_of_the_catalog_takes_them(tool: str) -> None:
    """Valid by the schema that agents are shown, and by the tool's own reading."""
    schema = CATALOG[tool].spec.parameters
    for question in QUESTIONS:
        made = arguments_for(tool, schema["properties"], named_in(question), UNTOLD, question or "q")
        jsonschema.validate(made, schema)
        CATALOG[tool].arguments.model_validate(made)

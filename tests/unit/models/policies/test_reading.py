"""What scripts read: claims, messages, questions, orders; and the arguments they make."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.agents.answer import final_answer
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.argument import arguments_for
from caia_replay.models.policies.claim import Claim, claims, evidence, same_form
from caia_replay.models.policies.claim import hits as hits_in
from caia_replay.models.policies.conversation import (
    SOURCE_SAYS,
    answer_message,
    call_message,
    calls_message,
    is_error,
    no_answer_message,
    offered,
    parameters_of,
    tool_results,
)
from caia_replay.models.policies.question import UNTOLD, AskedAt, asked_at, named_in
from caia_replay.tools.catalog import CATALOG

RECIPE = FilledRecipe(Recipe("q", "q", r"paid (?P<answer>[\d,.]+)"), "q")


def test_a_page_decides_and_its_snippet_stands_in() -> None:
    """Pages are the first results'; what was not read, failed or says nothing leaves the snippet."""
    found: list[dict[str, Any]] = [{"url": f"https://p{n}.example/", "snippet": f"paid {n}"} for n in range(5)]
    pages: list[Any] = [{"text": "paid 10"}, {"text": "nothing"}, {"error": {}}, None]
    assert [one.answer for one in claims(RECIPE, found, pages)] == ["10", "1", "2", "3", "4"]
    assert claims(RECIPE, found[:1], pages) == [Claim("10", "https://p0.example/", "paid 10")]
    assert claims(RECIPE, [{"url": "u", "snippet": 7}], []) == []


def test_what_is_no_search_has_no_hits() -> None:
    """Errors and garbage are empty, not faults."""
    for result in (None, [], {}, {"error": {}}, {"results": 3}, {"results": [1, {"url": 2}, {}]}):
        assert hits_in(result) == []


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


F = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"a": {}, "b": {}}}}}]


def test_only_tool_messages_are_results() -> None:
    """Results come in order, big integers exact; one that is no JSON is an error: a policy never stops at it."""
    contents = ("q", f'{{"v":{2**200}}}', "[]")
    messages = [{"role": role, "content": text} for role, text in zip(("user", "tool", "tool"), contents)]
    assert tool_results(messages) == [{"v": 2**200}, []]
    for content in ("", "{", "NaN", "[" * 9_000, '{"a":1,"a":2}', None, 7):
        (result,) = tool_results([{"role": "tool", "content": content}])
        assert is_error(result)


def test_errors_are_told_from_results() -> None:
    """Exactly one key "error" is an error; a result may have a field of that name."""
    assert is_error({"error": {"code": "miss"}}) and is_error([]) and is_error(None)
    assert not is_error({"error": "", "status": 1}) and not is_error({})


def test_all_parameters_are_sent() -> None:
    """Strict schemas want every parameter; those not given are null."""
    parameters = parameters_of(F, "f")
    assert parameters is not None and parameters_of(F, "g") is None
    call = call_message("f", {"b": 1}, parameters, 3)["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"a": None, "b": 1} and call["id"] == "call_3"
    several = calls_message([("f", {"b": 1}, parameters), ("f", {}, parameters)], 3)["tool_calls"]
    assert several[0] == call and several[1]["id"] == "call_4" and list(offered(F)) == ["f"]


def test_answers_are_one_line() -> None:
    """The answer contract reads the last line only."""
    assert answer_message("a\n b ")["content"] == "FINAL ANSWER: a b"
    assert "FINAL ANSWER" not in no_answer_message("stopped")["content"]


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


def test_without_names_all_words_count() -> None:
    """Chinese questions, and those that name nothing."""
    assert named_in("基础费每个区块最多变多少?").words == ("基础费每个区块最多变多少",)
    assert named_in("MARE的总量是多少").words == ("MARE",) and named_in("? 12").words == ("unnamed",)


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


def test_the_question_fills_them() -> None:
    """Tickers, addresses, sites and numbers go where they are meant."""
    for tool, wanted in (
        ("web_search", {"limit": 5, "page": 1, "query": "orchid fees"}),
        ("social_stream", {"topic": "orchid fees"}),
        ("price_feed", {"asset": "ORC"}),
        ("balance_query", {"address": "0x" + "a1" * 20}),
        ("data_query", {"contract": "0x" + "a1" * 20}),
        ("transaction_query", {"hash": "0x" + "b2" * 32}),
        ("ranking_query", {"by": "market_cap"}),
        ("url_fetching", {"url": "https://orchid.example"}),
        ("code_execution", {"code": "print(12 + 27)"}),
    ):
        properties = CATALOG[tool].spec.parameters["properties"]
        made = arguments_for(tool, properties, named_in(QUESTIONS[0]), UNTOLD, "orchid fees")
        assert wanted.items() <= made.items()


SCHEMAS = st.recursive(
    st.none() | st.sampled_from(["string", "integer", "null", "array", "boolean"]) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "anyOf", "enum", "description"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["limit", "asset", "other"]), SCHEMAS, max_size=3))
def test_any_schema_is_filled(parameters: dict[str, Any]) -> None:
    """A stranger's tool gets something for each of its parameters."""
    assert arguments_for("strange", parameters, named_in(""), UNTOLD, "q").keys() == parameters.keys()

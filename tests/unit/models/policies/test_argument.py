"""Arguments made from schemas, held against the real catalog."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.models.policies.argument import arguments_for
from caia_replay.models.policies.question import UNTOLD, named_in
from caia_replay.tools.catalog import CATALOG

QUESTIONS = (
    f"What did Orchid (ORC) pay from {'0x' + 'a1' * 20} in {'0x' + 'b2' * 32} at blocks 012 to 27, by orchid.example?",
    "基础费每个区块最多变多少?",
    "",
)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("tool", CATALOG)
def test_every_tool_of_the_catalog_takes_them(tool: str, question: str) -> None:
    """Valid by the schema that agents are shown, and by the tool's own reading."""
    schema = CATALOG[tool].spec.parameters
    made = arguments_for(tool, schema["properties"], named_in(question), UNTOLD, question or "q")
    jsonschema.validate(made, schema)
    CATALOG[tool].arguments.model_validate(made)


def test_the_question_fills_them() -> None:
    """Tickers, addresses, sites and numbers go where they are meant."""
    named = named_in(QUESTIONS[0])

    def made(tool: str) -> dict[str, Any]:
        return arguments_for(tool, CATALOG[tool].spec.parameters["properties"], named, UNTOLD, "orchid fees")

    assert (made("web_search")["limit"], made("web_search")["page"], made("social_stream")["topic"]) == (
        5,
        1,
        "orchid fees",
    )
    assert made("price_feed")["asset"] == "ORC" and made("web_search")["query"] == "orchid fees"
    assert made("balance_query")["address"] == made("data_query")["contract"] == "0x" + "a1" * 20
    assert made("transaction_query")["hash"] == "0x" + "b2" * 32 and made("ranking_query")["by"] == "market_cap"
    assert (
        made("url_fetching")["url"] == "https://orchid.example" and made("code_execution")["code"] == "print(12 + 27)"
    )


SCHEMAS = st.recursive(
    st.none() | st.sampled_from(["string", "integer", "null", "array", "boolean"]) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "anyOf", "enum", "description"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from(["limit", "asset", "other"]), SCHEMAS, max_size=3))
def test_any_schema_is_filled(parameters: dict[str, Any]) -> None:
    """A stranger's tool gets something for each of its parameters."""
    assert arguments_for("strange", parameters, named_in(""), UNTOLD, "q").keys() == parameters.keys()

"""The registry of models: what it holds, and what it refuses."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from caia_replay.core.model import Usage
from caia_replay.errors import BadInput
from caia_replay.models.parameter import Quirks
from caia_replay.models.registry import PATH, find_model, parse_registry, registered_models

PAPER = {
    "gpt_5": "gpt-5", "gpt_oss_120b": "gpt-oss-120b", "grok_4_fast": "grok-4-fast", "claude_opus_4": "claude-opus-4",
    "claude_4": "claude-sonnet-4", "claude_opus_4_1": "claude-opus-4.1", "gpt_o3": "o3",
    "deepseek_v3p1": "deepseek-v3.1", "kimi_k2": "kimi-k2", "gpt_4.1": "gpt-4.1", "gemini_2.5_pro": "gemini-2.5-pro",
    "grok_4": "grok-4", "gemini_2.5_flash": "gemini-2.5-flash", "qwen_3_235b": "qwen3-235b", "gpt_4o": "gpt-4o",
    "llama_4": "llama-4-maverick", "deepseek_r1": "deepseek-r1",
}  # fmt: skip
"""The names in the authors' results, and ours."""
GOOD: dict[str, Any] = {
    "provider": "p",
    "api_name": "a-1",
    "context_tokens": 1000,
    "sources": ["a page"],
    "price": {"prompt": "1", "completion": "2", "as_of": "2026-01-02", "source": "a page"},
}


def toml(model: dict[str, Any], name: str = "a", head: str = "") -> str:
    """A registry with one provider and one model."""

    def written(value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, dict):
            return "{" + ", ".join(f'"{key}" = {written(item)}' for key, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(written(item) for item in value) + "]"
        return f'"{value}"' if isinstance(value, str) else str(value)

    provider = '[providers.p]\nbase_url = "https://p.example/v1"\nkey_variable = "P_API_KEY"\n'
    rows = "\n".join(f"{key} = {written(value)}" for key, value in model.items())
    return f'format_version = 1\n{head}{provider}[models."{name}"]\n{rows}\n'


def test_the_seventeen_models_of_the_paper_are_registered() -> None:
    """Each of the paper's models, from the file beside the reader."""
    assert set(registered_models()) >= set(PAPER.values()) and len(PAPER) == 17
    assert parse_registry(PATH.read_text("utf-8"), PATH) == registered_models()


@pytest.mark.real
def test_the_papers_table_names_the_same_models(real_data: Path) -> None:
    """Every row of the authors' table is one of ours."""
    with (real_data / "caia" / "results_17.csv").open(encoding="utf-8", newline="") as file:
        assert {row["model"] for row in csv.DictReader(file)} == set(PAPER)


def test_every_figure_has_a_day_and_a_source() -> None:
    """A price is dated and sourced or its absence explained; every other fact has a source."""
    for model in registered_models().values():
        assert model.sources and model.context_tokens is not None and model.context_tokens >= 64_000
        assert (model.price is None) is bool(model.price_unknown)
        if model.price is not None:
            assert date(2024, 1, 1) < date.fromisoformat(model.price.as_of) <= date(2030, 1, 1) and model.price.source
            prompt, answer = Decimal(model.price.prompt), Decimal(model.price.completion)
            assert Decimal(0) < prompt < answer <= 100
            assert model.price.cost_usd(Usage(10**6, 10**6)) == prompt + answer


def test_a_model_is_found_by_name_and_alias_in_any_case() -> None:
    """The API's own name leads to the model too, a longer or shorter one does not."""
    gpt_5 = registered_models()["gpt-5"]
    assert find_model("gpt-5") is find_model("GPT-5") is find_model("gpt-5-2025-08-07") is gpt_5
    assert find_model("openai/GPT-OSS-120b") is registered_models()["gpt-oss-120b"]
    assert find_model("gpt-5-mini") is None and find_model("gpt") is None and find_model("") is None


def test_a_model_is_read_with_all_its_fields() -> None:
    """Provider facts, price, quirks and notes arrive as they were written; what is absent is absent."""
    quirks = {"seed": False, "max_output_tokens": 10, "extra_body": {"a": {"b": 1}}, "parallel_tool_calls": True}
    words = {"note": "n", "retired": "2026-01-03", "ends": "2026-01-04", "replaced_by": "b"}
    model = parse_registry(toml(GOOD | words | {"aliases": ["x"], "quirks": quirks}), "r")["a"]
    assert (model.base_url, model.key_variable, model.api_name) == ("https://p.example/v1", "P_API_KEY", "a-1")
    assert model.quirks == Quirks(
        seed=False, max_output_tokens=10, extra_body={"a": {"b": 1}}, parallel_tool_calls=True
    )
    assert (model.note, model.retired, model.ends, model.replaced_by) == tuple(words.values())
    assert model.aliases == ("x",) and model.price is not None and model.price.cached is None
    bare = {key: value for key, value in GOOD.items() if key not in ("price", "context_tokens")}
    absent = parse_registry(toml(bare | {"price_unknown": "no source tells it"}), "r")["a"]
    assert (absent.price, absent.context_tokens, absent.price_unknown) == (None, None, "no source tells it")


def test_every_entry_of_the_file_is_what_its_field_says() -> None:
    """Addresses, variables, names, days, prices and quirks of the shipped file; no name or alias is two models'."""
    called = [name for model in registered_models().values() for name in (model.name, *model.aliases)]
    assert len(set(called)) == len(called)
    kinds = get_type_hints(Quirks)
    for model in registered_models().values():
        assert re.fullmatch(r"https://[a-z0-9.-]+(/[a-z0-9/.-]*[a-z0-9])?", model.base_url)
        assert re.fullmatch(r"[A-Z][A-Z0-9_]{0,60}_API_KEY", model.key_variable)
        assert all(re.fullmatch(r"[a-z0-9][a-z0-9._/-]{0,99}", one) for one in (model.name, *model.aliases))
        assert (model.context_tokens or 1) >= 1 and (not model.replaced_by or model.retired)
        lines = (model.api_name, *model.sources, *filter(None, (model.note, model.price_unknown, model.replaced_by)))
        assert all(isinstance(line, str) and line.strip() and line.isprintable() for line in lines)
        days = [*filter(None, (model.retired, model.ends)), *([model.price.as_of] if model.price else [])]
        assert all(date.fromisoformat(day).isoformat() == day for day in days)
        if model.price is not None:
            dollars = [model.price.prompt, model.price.completion, model.price.cached or "0"]
            assert all(re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,9})?", one) for one in dollars)
            assert Decimal(dollars[2]) <= Decimal(dollars[0])
        for name, kind in kinds.items():
            value = getattr(model.quirks, name)
            wanted = get_args(kind) if isinstance(kind, UnionType) else (get_origin(kind) or kind,)
            assert type(value) in wanted or isinstance(value, Mapping)


def test_what_is_no_registry_is_refused() -> None:
    """Other files and versions, unknown or missing fields, and unknown providers are bad input that says so."""
    bare = {key: value for key, value in GOOD.items() if key != "api_name"}
    for text, says in (
        ("", "lacks 'format_version'"), ("format_version = 2", "format_version is 2"), ("format_version = ", ""),
        (toml(GOOD | {"contxt_tokens": 1}), "contxt_tokens"), (toml(GOOD | {"provider": "q"}), "lacks 'q'"),
        (toml(bare), "api_name"), (toml(GOOD | {"quirks": {"temprature": False}}), "temprature"),
        (toml(GOOD | {"price": {"prompt": "1"}}), "completion"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match="no registry of models") as caught:
            parse_registry(text, "some.toml")
        assert says in str(caught.value) and str(caught.value).startswith("some.toml: ")

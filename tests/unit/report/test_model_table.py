"""The list of models, in a terminal, as lines and as JSON."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from caia_replay.core.model import Price
from caia_replay.models.parameter import Quirks
from caia_replay.models.registry import RegisteredModel, registered_models
from caia_replay.report.model_table import TABLE_WIDTH, ModelList, model_lines, model_table

PLAIN = RegisteredModel(
    **{"name": "plain", "provider": "p", "base_url": "https://p.example/v1", "key_variable": "P_API_KEY"},
    **{"api_name": "plain-1", "context_tokens": 128_000, "sources": ("a page",), "quirks": Quirks()},
    price=Price("2.5", "10", "2026-10-12", "a page", "1.25"),
)
UNKNOWN = replace(PLAIN, name="unknown-price", price=None, price_unknown="no source tells it", context_tokens=None)
GONE = replace(PLAIN, name="gone", retired="2026-05-15")
REPLACED = replace(GONE, name="replaced", replaced_by="newer")
ENDING = replace(PLAIN, name="ending", ends="2026-12-01")
ALL = ModelList([(model, False) for model in (PLAIN, UNKNOWN, GONE, REPLACED, ENDING)], {}, {})


def in_terminal(listed: ModelList, width: int) -> str:
    """The table as a terminal of this width shows it."""
    out = io.StringIO()
    Console(file=out, width=width).print(model_table(listed))
    return out.getvalue()


def test_a_model_is_one_line_however_long() -> None:
    """A title, a line each in the order given with what became of it, and what a price means; unknown is no zero."""
    lines = model_lines(ALL)
    assert [line.split()[0] for line in lines[:-1]] == ["model", "plain", "unknown-price", "gone", "replaced", "ending"]
    assert " ".join(lines[1].split()) == "plain p P_API_KEY not set 128,000 2.5 / 1.25 / 10 2026-10-12"
    assert lines[-1] == "price: USD per million tokens: prompt / cached / completion"
    starts = {line.index("p ", 14) for line in lines[1:-1]}
    assert len(starts) == 1, "columns do not line up"
    assert lines[2].split()[-2:] == ["unknown", "unknown"] and lines[3].endswith("retired 2026-05-15")
    assert lines[4].endswith("retired 2026-05-15 (answered by newer: refused)") and lines[5].endswith("ends 2026-12-01")
    assert PLAIN.price is not None
    uncached = replace(PLAIN, price=replace(PLAIN.price, cached=None), provider="[bold]p[/bold]")
    assert "2.5 / - / 10" in model_lines(ModelList([(uncached, True)], {}, {}))[1]
    assert "[bold]p[/bold]" in in_terminal(ModelList([(uncached, True)], {}, {}), 160)


@pytest.mark.parametrize("width", [TABLE_WIDTH, 100, 160])
def test_a_terminal_of_any_width_shows_every_model(width: int) -> None:
    """No name and no day is cut, and no line is wider than the terminal."""
    listed = ModelList([(model, True) for model in registered_models().values()], {}, {})
    shown = in_terminal(listed, width)
    assert all(f"\n {name} " in shown or f"\n{name} " in shown for name in registered_models())
    assert max(map(len, shown.splitlines())) <= width
    for model in registered_models().values():
        assert model.key_variable in shown and (model.price is None or model.price.as_of in shown)
        assert (model.ends or model.retired) in shown and f"{model.context_tokens:,}" in shown
    assert len(shown.splitlines()) < 4 * len(registered_models())

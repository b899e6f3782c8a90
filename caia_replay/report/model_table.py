"""The models that can be asked for: a table in a terminal, elsewhere a line each, or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from caia_replay.errors import one_line
from caia_replay.models.registry import RegisteredModel

PRICE_HEADING = "USD per million tokens: prompt / cached / completion"
TABLE_WIDTH = 80
_TITLES = ("model", "provider", "key", "", "context", "price", "as of", "")


@dataclass(frozen=True, slots=True)
class ModelList:
    """What is listed. ``models`` with whether each one's key is set, never the key itself; ``policies`` by name with
    what each does in a line; ``recorded`` tapes by name with what each holds. ``base_url`` is OPENAI_BASE_URL where it
    is set, else empty.
    """

    models: Sequence[tuple[RegisteredModel, bool]]
    policies: Mapping[str, str]
    recorded: Mapping[str, str]
    base_url: str = ""


def model_table(listed: ModelList) -> Table:
    """The registered models, two lines each, for a terminal of ``TABLE_WIDTH`` columns and more."""
    caption = f"price: {PRICE_HEADING}"
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), caption=caption, caption_justify="left")
    for title in ("model", "key", "context", "price"):
        table.add_column(title, no_wrap=True)
    table.add_column("", overflow="fold")
    for model, key_set in listed.models:
        name, provider, variable, state, context, price, day, fate = _cells(model, key_set)
        pairs = ((name, provider), (variable, state), (context,), (price, day), (fate,))
        table.add_row(*(Text("\n".join(pair)) for pair in pairs))
    return table


def model_lines(listed: ModelList) -> list[str]:
    """The registered models, one line each below a line of titles, in columns of blanks."""
    rows = [_TITLES, *(_cells(model, key_set) for model, key_set in listed.models)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [*lines, f"price: {PRICE_HEADING}"]


def other_lines(listed: ModelList) -> list[str]:
    """What else a model's name may be: policies, tapes, any server's."""
    width = max((len(name) for name in listed.policies), default=0)
    lines = ["", "without a key, calibration policies:"]
    lines += [f"policy/{name.ljust(width)}  {about}".rstrip() for name, about in listed.policies.items()]
    lines += ["", "without a key, on this machine:", "local/smollm2-135m, or local/PATH.gguf (docs/local-models.md)"]
    lines += ["", "without a key, recorded model traffic:"]
    lines += [one_line(f"recorded/{name}: {about}") for name, about in listed.recorded.items()] or [
        "none here; caia-replay replay --model NAME --record-model TAPE makes one"
    ]
    if listed.base_url:
        where = f"OPENAI_BASE_URL is set: every other name goes to {one_line(listed.base_url)}, with OPENAI_API_KEY"
    else:
        where = "OPENAI_BASE_URL=http://HOST:PORT/v1 asks any OpenAI-compatible server instead, for any name it knows"
    return [*lines, "", where]


def model_json(listed: ModelList) -> dict[str, Any]:
    """The same as JSON; ``price`` is null where none is known, and ``price_unknown`` then says why."""
    return {
        "base_url": listed.base_url or None,
        "models": [_row(model, key_set) for model, key_set in listed.models],
        "policies": [{"name": f"policy/{name}", "about": about} for name, about in listed.policies.items()],
        "recorded": [{"name": f"recorded/{name}", "about": about} for name, about in listed.recorded.items()],
    }


def _row(model: RegisteredModel, key_set: bool) -> dict[str, Any]:
    price = model.price
    value = None
    if price is not None:
        value = {name: getattr(price, name) for name in ("prompt", "cached", "completion", "as_of", "source")}
    return {
        "name": model.name,
        "aliases": list(model.aliases),
        "provider": model.provider,
        "api_name": model.api_name,
        "base_url": model.base_url,
        "key_variable": model.key_variable,
        "key_set": key_set,
        "context_tokens": model.context_tokens,
        "price_usd_per_million_tokens": value,
        "price_unknown": model.price_unknown or None,
        "retired": model.retired or None,
        "ends": model.ends or None,
        "replaced_by": model.replaced_by or None,
        "note": model.note or None,
        "sources": list(model.sources),
    }


def _cells(model: RegisteredModel, key_set: bool) -> tuple[str, ...]:
    price = model.price
    return (
        model.name,
        model.provider,
        model.key_variable,
        "set" if key_set else "not set",
        "unknown" if model.context_tokens is None else f"{model.context_tokens:,}",
        "unknown" if price is None else f"{price.prompt} / {price.cached or '-'} / {price.completion}",
        "" if price is None else price.as_of,
        _state(model),
    )


def _state(model: RegisteredModel) -> str:
    if model.replaced_by:
        return f"retired {model.retired} (answered by {model.replaced_by}: refused)"
    if model.retired:
        return f"retired {model.retired}"
    return f"ends {model.ends}" if model.ends else ""

"""The models of the paper: where each is served, under which name, for how much; ``registry.toml``, read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from caia_replay.core.model import Price
from caia_replay.errors import BadInput
from caia_replay.models.parameter import Quirks

PATH = Path(__file__).with_name("registry.toml")
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """One model. ``api_name`` is what its ``provider`` calls it at ``base_url``, with the key in ``key_variable``.

    ``context_tokens`` counts prompt and completion together; None where no source tells it. ``price`` is None where
    no source tells one, and ``price_unknown`` then says why. ``retired`` is the ISO day the provider stopped serving
    the model, ``ends`` one it has announced; empty where it has not. ``replaced_by`` names the model that answers
    under ``api_name`` since. ``requests_a_minute`` and ``tokens_a_minute`` are what its provider lets an account ask;
    None where that is not known. ``sources`` are where these facts were read.
    """

    name: str
    provider: str
    base_url: str
    key_variable: str
    api_name: str
    context_tokens: int | None
    price: Price | None
    sources: tuple[str, ...]
    quirks: Quirks
    aliases: tuple[str, ...] = ()
    note: str = ""
    price_unknown: str = ""
    retired: str = ""
    ends: str = ""
    replaced_by: str = ""
    requests_a_minute: int | None = None
    tokens_a_minute: int | None = None


@cache
def registered_models() -> Mapping[str, RegisteredModel]:
    """Every model of ``registry.toml`` by name, in the file's order."""
    return parse_registry(PATH.read_text("utf-8"), PATH.name)


def find_model(name: str) -> RegisteredModel | None:
    """The model of this name or alias, letter case left aside; None for a name the registry does not hold."""
    return _by_any_name().get(name.casefold())


def parse_registry(text: str, where: object) -> Mapping[str, RegisteredModel]:
    """The models a registry's text describes. Raises ``BadInput`` naming ``where`` for another version, a provider
    that is not there, and a field that is unknown or missing; tests hold the file to what its values should be."""
    try:
        top = tomllib.loads(text)
        if top["format_version"] != FORMAT_VERSION:
            raise ValueError(f"format_version is {top['format_version']!r}, not {FORMAT_VERSION}")
        models = {name: _model(name, given, top["providers"]) for name, given in top["models"].items()}
    except KeyError as fault:
        raise BadInput(f"is no registry of models: it lacks {fault}", where=where) from fault
    except (ValueError, TypeError) as fault:
        raise BadInput(f"is no registry of models: {fault}", where=where) from fault
    return MappingProxyType(models)


@cache
def _by_any_name() -> Mapping[str, RegisteredModel]:
    return {called: model for model in registered_models().values() for called in (model.name, *model.aliases)}


def _model(name: str, given: Mapping[str, Any], providers: Mapping[str, Mapping[str, str]]) -> RegisteredModel:
    made = {
        **{"context_tokens": None, **given, **providers[given["provider"]]},
        "price": Price(**given["price"]) if "price" in given else None,
        "sources": tuple(given["sources"]),
        "quirks": Quirks(**given.get("quirks", {})),
        "aliases": tuple(given.get("aliases", ())),
    }
    return RegisteredModel(name=name, **made)

"""The models of the paper: where each is served, under which name, for how much; ``registry.toml``, read strictly."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from caia_replay.core.model import Price
from caia_replay.errors import BadInput, nearest
from caia_replay.models.parameter import Quirks

PATH = Path(__file__).with_name("registry.toml")
FORMAT_VERSION = 1

_NAME = re.compile(r"[a-z0-9][a-z0-9._/-]{0,99}", re.ASCII)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,60}_API_KEY", re.ASCII)
_DOLLARS = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """One model. ``api_name`` is what its ``provider`` calls it at ``base_url``, with the key in ``key_variable``.

    ``context_tokens`` counts prompt and completion together; None where no source tells it. ``price`` is None where
    no source tells one, and ``price_unknown`` then says why. ``retired`` is the ISO day the provider stopped serving
    the model, ``ends`` one it has announced; empty where it has not. ``replaced_by`` names the model that answers
    under ``api_name`` since. ``sources`` are where these facts were read.
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


_WORDS = ("note", "price_unknown", "retired", "ends", "replaced_by")
_PROVIDER = {"base_url": str, "key_variable": str}
_PRICE = get_type_hints(Price)
_QUIRKS = get_type_hints(Quirks)
_GIVEN = {
    "provider": str,
    "api_name": str,
    "context_tokens": int,
    "sources": list,
    "price": dict,
    "quirks": dict,
    "aliases": list,
    **dict.fromkeys(_WORDS, str),
}


@cache
def registered_models() -> Mapping[str, RegisteredModel]:
    """Every model of ``registry.toml`` by name, in the file's order."""
    try:
        text = PATH.read_text("utf-8")
    except (OSError, ValueError) as fault:
        raise BadInput(f"the registry does not read: {fault}", where=PATH.name) from fault
    return parse_registry(text, PATH.name)


def find_model(name: str) -> RegisteredModel | None:
    """The model of this name or alias, letter case left aside; None for a name the registry does not hold."""
    return _by_any_name().get(name.casefold())


def parse_registry(text: str, where: object) -> Mapping[str, RegisteredModel]:
    """The models a registry's text describes. Raises ``BadInput`` naming ``where`` and the first wrong field."""
    try:
        top = _table(tomllib.loads(text), "the file", {"format_version": int, "providers": dict, "models": dict})
        if top.get("format_version") != FORMAT_VERSION:
            raise ValueError(f"format_version is {top.get('format_version')!r}, not {FORMAT_VERSION}")
        providers = {name: _provider(name, value) for name, value in top.get("providers", {}).items()}
        models = {name: _model(name, value, providers) for name, value in top.get("models", {}).items()}
        taken: dict[str, str] = {}
        for model in models.values():
            for called in (model.name, *model.aliases):
                if called in taken:
                    raise ValueError(f"models.{model.name}: {called!r} is a name of {taken[called]} already")
                taken[called] = model.name
    except (ValueError, RecursionError) as fault:
        raise BadInput(f"is no registry of models: {fault}", where=where) from fault
    return MappingProxyType(models)


@cache
def _by_any_name() -> Mapping[str, RegisteredModel]:
    return {called: model for model in registered_models().values() for called in (model.name, *model.aliases)}


def _provider(name: str, value: Any) -> tuple[str, str]:
    where = f"providers.{name}"
    given = _table(value, where, _PROVIDER, needed=_PROVIDER)
    address, variable = given["base_url"], given["key_variable"]
    if urlsplit(address).scheme != "https" or not urlsplit(address).hostname or address.endswith("/"):
        raise ValueError(f"{where}: base_url {address!r} is no https address without a slash at its end")
    if not _VARIABLE.fullmatch(variable):
        raise ValueError(f"{where}: key_variable {variable!r} does not look like NAME_API_KEY")
    return address, variable


def _model(name: str, value: Any, providers: Mapping[str, tuple[str, str]]) -> RegisteredModel:
    where = f"models.{name}"
    given = _table(value, where, _GIVEN, needed=("provider", "api_name", "sources"))
    if given["provider"] not in providers:
        near = nearest(given["provider"], providers)
        raise ValueError(f"{where}: no provider {given['provider']!r}, near {near!r}")
    if ("price" in given) is ("price_unknown" in given):
        raise ValueError(f"{where}: give either price, or price_unknown with the reason")
    if "replaced_by" in given and "retired" not in given:
        raise ValueError(f"{where}: replaced_by without retired")
    if given.get("context_tokens", 1) < 1:
        raise ValueError(f"{where}: context_tokens is below 1")
    for field in _WORDS:
        if field in given:
            _filled(given[field], f"{where}: {field}")
    for field in ("retired", "ends"):
        if field in given:
            _day(given[field], f"{where}: {field}")
    aliases = _texts(given.get("aliases", []), f"{where}: aliases")
    for called in (name, *aliases):
        if not _NAME.fullmatch(called):
            raise ValueError(f"{where}: {called!r} is no model's name: a-z, 0-9, dot, slash, dash")
    base_url, key_variable = providers[given["provider"]]
    return RegisteredModel(
        name=name,
        provider=given["provider"],
        base_url=base_url,
        key_variable=key_variable,
        api_name=_filled(given["api_name"], f"{where}: api_name"),
        context_tokens=given.get("context_tokens"),
        price=_price(given["price"], f"{where}: price") if "price" in given else None,
        sources=_texts(given["sources"], f"{where}: sources", needed=True),
        quirks=Quirks(**_table(given.get("quirks", {}), f"{where}: quirks", _QUIRKS)),
        aliases=aliases,
        **{field: given[field] for field in _WORDS if field in given},
    )


def _price(value: Any, where: str) -> Price:
    given = _table(value, where, _PRICE, needed=[field.name for field in fields(Price) if field.name != "cached"])
    for field in ("prompt", "completion", "cached"):
        if field in given and not _DOLLARS.fullmatch(given[field]):
            raise ValueError(f"{where}.{field}: {given[field]!r} is no plain decimal text")
    if Decimal(given.get("cached", "0")) > Decimal(given["prompt"]):
        raise ValueError(f"{where}: cached tokens cost more than others")
    _day(given["as_of"], f"{where}.as_of")
    _filled(given["source"], f"{where}.source")
    return Price(**given)


def _table(value: Any, where: str, known: Mapping[str, Any], needed: Iterable[str] = ()) -> dict[str, Any]:
    """``value`` as a table whose fields are all known and of their kind; a field may be missing unless needed."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is no table")
    for name, found in value.items():
        if name not in known:
            raise ValueError(f"{where}: unknown field {name!r}, near {nearest(name, known)!r}")
        if not any(_is(found, kind) for kind in _kinds(known[name])):
            raise ValueError(f"{where}.{name}: {found!r:.60} is of the wrong type")
    for name in needed:
        if name not in value:
            raise ValueError(f"{where}: lacks {name}")
    return value


def _kinds(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if isinstance(hint, UnionType) else (hint,)


def _is(value: Any, kind: Any) -> bool:
    if kind is bool or isinstance(value, bool):  # true is no number
        return kind is bool and isinstance(value, bool)
    return isinstance(value, get_origin(kind) or kind)


def _texts(value: Any, where: str, *, needed: bool = False) -> tuple[str, ...]:
    texts = tuple(_filled(text, where) for text in value)
    if needed and not texts:
        raise ValueError(f"{where} is empty")
    return texts


def _filled(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError(f"{where}: {value!r:.60} is no line of text")
    return value


def _day(value: str, where: str) -> None:
    if len(value) != len("2026-01-01"):
        raise ValueError(f"{where}: {value!r} is no day, such as 2026-01-01")
    try:
        date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{where}: {value!r} is no day, such as 2026-01-01") from None

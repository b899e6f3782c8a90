"""A name to its model: ``policy/<name>``, ``recorded/<name>``, ``local/<name>``, of the registry, or any server's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from caia_replay.core.model import Model, Price
from caia_replay.core.tape import TapeSource
from caia_replay.errors import BadInput, MissingKey, nearest
from caia_replay.models.address import host_names, same_place, shown_address
from caia_replay.models.external import EXTERNAL, SERVE
from caia_replay.models.human import HUMAN, PLAY
from caia_replay.models.local_file import LOCAL, find_local, local_label
from caia_replay.models.openai_compatible import OPENAI_BASE_URL, OpenAICompatibleModel
from caia_replay.models.parameter import Quirks
from caia_replay.models.registry import RegisteredModel, find_model, registered_models
from caia_replay.models.request_limit import Allowance

if TYPE_CHECKING:
    from caia_replay.models.local import LocalModel
    from caia_replay.models.policy import PolicyModel
    from caia_replay.models.recorded import RecordedModel

POLICY = "policy/"
RECORDED = "recorded/"
OPENAI_KEY = "OPENAI_API_KEY"
NO_KEY = "none"
"""Sent to a server on this machine where no key is set."""
_MOST_TAPES_NAMED = 3


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a live model is asked. ``label`` is the model's name here, ``api_name`` its name there.

    ``registered`` is None for a model that only OPENAI_BASE_URL's server knows.
    """

    label: str
    api_name: str
    base_url: str
    key_variable: str
    price: Price | None
    quirks: Quirks
    registered: RegisteredModel | None


def resolve_model(
    name: str,
    environ: Mapping[str, str],
    *,
    seed: int = 0,
    tape: TapeSource | None = None,
    recorded: Sequence[str] = (),
) -> Model:
    """The model called ``name``, not connected to anything yet.

    A live one takes its key and OPENAI_BASE_URL from ``environ`` and is sent ``seed`` plus the attempt's number;
    stochastic policies are drawn from ``seed``; ``recorded/<name>`` plays from ``tape``. ``recorded`` are the tapes
    there are, for the message about a missing key.

    Raises ``MissingKey`` when a live model's key is not set, ``BadInput`` for an unknown name, a model whose provider
    answers with another one, or settings no request can be made with.
    """
    if name.startswith(POLICY):
        return _policy(name, seed)
    if name.startswith(RECORDED):
        return _recorded(name, tape)
    if name.startswith(LOCAL):
        return _local(name, environ, seed)
    endpoint = endpoint_of(name, environ)
    _refuse_replaced(endpoint)
    key = _key(endpoint, environ, recorded)
    return OpenAICompatibleModel(
        endpoint.label,
        endpoint.base_url,
        key,
        api_name=endpoint.api_name,
        key_variable=endpoint.key_variable,
        price=endpoint.price,
        quirks=endpoint.quirks,
        seed=seed,
        allowance=allowance_of(endpoint),
    )


def endpoint_of(name: str, environ: Mapping[str, str]) -> Endpoint:
    """Where the live model called ``name`` is asked; OPENAI_BASE_URL goes before the registry. Raises ``BadInput``.

    Behind OPENAI_BASE_URL any name will do and is sent as it was typed. What that server charges, nobody has told.
    """
    if not name.strip() or not name.isprintable():
        raise BadInput("a model needs a name", where="MODEL", next_command="MODEL=policy/credulous")
    if name.startswith(EXTERNAL):
        raise BadInput(f"{name!r:.80} is an external agent, which asks and is never asked", next_command=SERVE)
    if name.startswith(HUMAN):
        raise BadInput(f"{name!r:.80} is a person, whom only a replay's page asks", next_command=PLAY)
    known = find_model(name)
    address = _override(environ)
    if address is None:
        if known is None:
            raise _unknown(name)
        api_name, price, quirks = known.api_name, known.price, known.quirks
        return Endpoint(known.name, api_name, known.base_url, known.key_variable, price, quirks, known)
    if known is not None and same_place(address, known.base_url):
        return Endpoint(known.name, known.api_name, address, OPENAI_KEY, known.price, known.quirks, known)
    if name in policy_names():
        raise BadInput(f"no model {name!r}", where="MODEL", nearest=POLICY + name)
    label, quirks = (known.name, replace(known.quirks, extra_body={})) if known is not None else (name, Quirks())
    return Endpoint(label, name, address, OPENAI_KEY, None, quirks, known)


def allowance_of(endpoint: Endpoint) -> Allowance:
    """What its provider lets an account ask a minute; without limit where that is not known, or another serves it."""
    model = endpoint.registered
    if model is None or not same_place(endpoint.base_url, model.base_url):
        return Allowance()
    return Allowance(model.requests_a_minute, model.tokens_a_minute)


def endpoint_hosts(name: str, environ: Mapping[str, str]) -> frozenset[str]:
    """The hosts the model called ``name`` cannot do without; none for a policy, a tape, a local model or a person.

    Raises ``BadInput`` as above.

    They are its endpoint's, and that of the proxy which ``environ`` puts in front of it; a host with letters beyond
    ASCII also as it is looked up.
    """
    if name.startswith((POLICY, RECORDED, LOCAL, HUMAN)):
        return frozenset()
    address = endpoint_of(name, environ).base_url
    kinds = (urlsplit(address).scheme, "all")
    proxies = (environ.get(spelt(f"{kind}_proxy")) for kind in kinds for spelt in (str.lower, str.upper))
    hosts = host_names(address)
    for proxy in filter(None, proxies):
        try:
            hosts |= host_names(proxy if "//" in proxy else f"//{proxy}")
        except ValueError as fault:
            raise BadInput(f"{shown_address(proxy)!r} is no proxy's address", where="environment") from fault
    return hosts


def has_key(model: RegisteredModel, environ: Mapping[str, str]) -> bool:
    """Whether the environment holds the key of a registered model."""
    return bool(environ.get(model.key_variable, "").strip())


def policy_names() -> tuple[str, ...]:
    """The policies there are, by name, without their prefix."""
    from caia_replay.models.policies import POLICIES

    return tuple(sorted(POLICIES))


def policy_about(name: str) -> str:
    """What the policy called ``name`` (without its prefix) does, in a line."""
    from caia_replay.models.policies import POLICIES

    return POLICIES[name].about


def is_deterministic(name: str) -> bool:
    """Whether every attempt of the model called ``name`` is sure to repeat its first: all policies but those drawn."""
    from caia_replay.models.policies import POLICIES

    kind = POLICIES.get(name.removeprefix(POLICY))
    return name.startswith(POLICY) and not (kind and kind.is_drawn)


def _policy(name: str, seed: int) -> PolicyModel:
    from caia_replay.models.policies import POLICIES
    from caia_replay.models.policy import PolicyModel

    short, known = name.removeprefix(POLICY), policy_names()
    kind = POLICIES.get(short)
    if kind is None:
        raise BadInput(
            f"no policy {name!r}",
            where="MODEL",
            nearest=POLICY + nearest(short, known) if nearest(short, known) else "",
            next_command="MODEL=" + " | ".join(POLICY + policy for policy in known),
        )
    make = kind.make
    return PolicyModel(name, lambda brief, key: make(brief, key, seed), needs_gold=kind.needs_gold)


def _recorded(name: str, tape: TapeSource | None) -> RecordedModel:
    from caia_replay.models.recorded import RecordedModel

    if tape is None:
        what = f"{name!r} plays from a tape, and none is opened here"
        raise BadInput(what, where="MODEL", next_command="caia-replay models lists the tapes that can be replayed")
    return RecordedModel(name, tape, getattr(tape, "price", None), getattr(tape, "identity", None))


def certified_name(name: str) -> str:
    """The name that certificates bear for the model called ``name``, where it does not play from a tape."""
    return local_label(name) if name.startswith(LOCAL) else name


def _local(name: str, environ: Mapping[str, str], seed: int) -> LocalModel:
    from caia_replay.models.local import LocalModel

    return LocalModel(find_local(name, environ), seed)


def _key(endpoint: Endpoint, environ: Mapping[str, str], recorded: Sequence[str]) -> str:
    variable = endpoint.key_variable
    key = environ.get(variable, "").strip()
    if not key and _is_loopback(endpoint.base_url):
        return NO_KEY
    if not key:
        raise _missing(endpoint, environ, recorded)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BadInput(f"{variable} holds characters no header can carry", where="environment")
    return key


def _missing(endpoint: Endpoint, environ: Mapping[str, str], recorded: Sequence[str]) -> MissingKey:
    """Which key, and what can be run as things are."""
    what = f"model {endpoint.label!r} needs {endpoint.key_variable} in the environment"
    free = [POLICY + policy for policy in policy_names()]
    free += [RECORDED + tape for tape in recorded[:_MOST_TAPES_NAMED]]
    if len(recorded) > _MOST_TAPES_NAMED:
        free.append(f"{len(recorded) - _MOST_TAPES_NAMED} tapes more")
    if environ.get("OPENAI_BASE_URL", "").strip():
        what += ", as OPENAI_BASE_URL is set"
        first = "set it, or run one"
    else:
        model = endpoint.registered
        if model is not None and model.retired:
            what += f"; {model.provider} retired it on {model.retired}"
        keyed = [one.name for one in registered_models().values() if has_key(one, environ) and not one.retired]
        first = f"run one whose key is set: {', '.join(keyed)}; or one" if keyed else "run one"
    return MissingKey(what, where="MODEL", next_command=f"{first} without a key: {', '.join(free)}")


def _refuse_replaced(endpoint: Endpoint) -> None:
    model = endpoint.registered
    if model is None or not model.replaced_by or not same_place(endpoint.base_url, model.base_url):
        return
    raise BadInput(
        f"{model.provider} retired {model.name} on {model.retired} and answers with {model.replaced_by} in its name, "
        "so no result would be this model's",
        where="MODEL",
        next_command=f"set OPENAI_BASE_URL to a server that still has it, or ask {model.replaced_by} by its own name "
        f"with OPENAI_BASE_URL={model.base_url}",
    )


def _unknown(name: str) -> BadInput:
    names = [*registered_models(), *(POLICY + policy for policy in policy_names())]
    known = {called: called for called in names}
    known |= {called: model.name for model in registered_models().values() for called in model.aliases}
    known |= {policy: POLICY + policy for policy in policy_names()}
    near = nearest(name.casefold(), known)
    return BadInput(
        f"no model {name!r}",
        where="MODEL",
        nearest=known[near] if near else "",
        next_command="caia-replay models lists them all; OPENAI_BASE_URL=http://HOST:PORT/v1 is for any other",
    )


def _override(environ: Mapping[str, str]) -> str | None:
    text = environ.get("OPENAI_BASE_URL", "").strip()
    if not text:
        return None
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(host_names(text)) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not text.isprintable() or " " in text:
        what = f"{shown_address(text)!r} is no http or https address"
        raise BadInput(what, where="OPENAI_BASE_URL", nearest=OPENAI_BASE_URL)
    if "?" in text or "#" in text:
        what = "an address without a query or fragment is wanted: a request's path is put at its end"
        raise BadInput(what, where="OPENAI_BASE_URL", nearest=shown_address(text))
    return text


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

"""A name to its model: ``policy/<name>``, or any name a server with an OpenAI-compatible API knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from caia_replay.core.model import Model
from caia_replay.errors import BadInput, MissingKey, nearest
from caia_replay.models.openai_compatible import OPENAI_BASE_URL, OpenAICompatibleModel

if TYPE_CHECKING:
    from caia_replay.models.policy import PolicyModel

_POLICY = "policy/"
_NEEDS_GOLD = frozenset({"oracle", "known-rate"})


def resolve_model(name: str, environ: Mapping[str, str], *, seed: int = 0) -> Model:
    """The model called ``name``; live ones read OPENAI_BASE_URL and OPENAI_API_KEY from ``environ``
    and are sent ``seed`` plus the attempt's number. Stochastic policies are drawn from ``seed``.

    Raises ``MissingKey`` when a live model's key is not set, ``BadInput`` for an unknown policy or settings no
    request can be made with. Nothing is imported or connected to before it is needed.
    """
    if name.startswith(_POLICY):
        return _policy(name, seed)
    if not name.strip() or not name.isprintable():
        raise BadInput("a model needs a name", where="MODEL", next_command="MODEL=policy/credulous")
    if name in policy_names():
        raise BadInput(f"no model {name!r}", where="MODEL", nearest=_POLICY + name)
    key = environ.get("OPENAI_API_KEY", "").strip()
    if not key:
        raise MissingKey(
            f"model {name!r} needs OPENAI_API_KEY in the environment",
            where="MODEL",
            next_command="run one without a key: " + ", ".join(_POLICY + policy for policy in policy_names()),
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BadInput("OPENAI_API_KEY holds characters no header can carry", where="environment")
    return OpenAICompatibleModel(name, _base_url(environ), key, seed=seed)


def endpoint_hosts(name: str, environ: Mapping[str, str]) -> frozenset[str]:
    """The hosts the model called ``name`` cannot do without; none for a policy. Raises ``BadInput`` as above.

    They are its endpoint's, and that of the proxy which ``environ`` puts in front of it.
    """
    if name.startswith(_POLICY):
        return frozenset()
    address = urlsplit(_base_url(environ))
    proxies = (
        environ.get(spelt(f"{kind}_proxy")) for kind in (address.scheme, "all") for spelt in (str.lower, str.upper)
    )
    places = [address, *(urlsplit(proxy if "//" in proxy else f"//{proxy}") for proxy in proxies if proxy)]
    return frozenset(place.hostname for place in places if place.hostname)


def policy_names() -> tuple[str, ...]:
    """The policies there are, by name, without their prefix."""
    from caia_replay.models.policies import POLICIES, STOCHASTIC

    return tuple(sorted([*POLICIES, *STOCHASTIC]))


def is_deterministic(name: str) -> bool:
    """Whether every attempt of the model called ``name`` is sure to repeat its first: all policies but those drawn."""
    from caia_replay.models.policies import STOCHASTIC

    return name.startswith(_POLICY) and name.removeprefix(_POLICY) not in STOCHASTIC


def _policy(name: str, seed: int) -> PolicyModel:
    from caia_replay.models.policies import POLICIES, STOCHASTIC
    from caia_replay.models.policy import PolicyModel, for_every_run, seeded

    short, known = name.removeprefix(_POLICY), policy_names()
    if short not in known:
        raise BadInput(
            f"no policy {name!r}",
            where="MODEL",
            nearest=_POLICY + nearest(short, known) if nearest(short, known) else "",
            next_command="MODEL=" + " | ".join(_POLICY + policy for policy in known),
        )
    script = seeded(STOCHASTIC[short], seed) if short in STOCHASTIC else for_every_run(POLICIES[short])
    return PolicyModel(name, script, needs_gold=short in _NEEDS_GOLD)


def _base_url(environ: Mapping[str, str]) -> str:
    text = environ.get("OPENAI_BASE_URL", "").strip() or OPENAI_BASE_URL
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not text.isprintable() or " " in text:
        raise BadInput(f"{text!r} is no http or https address", where="OPENAI_BASE_URL", nearest=OPENAI_BASE_URL)
    return text

"""Scripted policies: model-free, blind to the gold answer; they calibrate the instrument.

Each is a pure function from the messages so far to the next assistant message, in OpenAI's wire format.
``oracle`` should score 1.0 wherever a world is solvable; ``chain_only`` is immune to lies of the web;
``credulous`` believes the first search result, and so shows what an attack can take. Those are deterministic:
every attempt is the first again. ``known-rate`` is not: it is right by a known chance, drawn from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from caia_replay.core.model import Brief, RunKey
from caia_replay.models.policies.chain_only import ChainOnlyPolicy
from caia_replay.models.policies.conversation import Policy
from caia_replay.models.policies.credulous import CredulousPolicy
from caia_replay.models.policies.known_rate import known_rate_policy
from caia_replay.models.policies.oracle import OraclePolicy

POLICIES: Mapping[str, Callable[[Brief], Policy]] = MappingProxyType(
    {"chain-only": ChainOnlyPolicy, "credulous": CredulousPolicy, "oracle": OraclePolicy}
)

STOCHASTIC: Mapping[str, Callable[[Brief, RunKey, int], Policy]] = MappingProxyType({"known-rate": known_rate_policy})
"""Policies whose attempts differ, by what they are drawn from: brief, run and seed."""

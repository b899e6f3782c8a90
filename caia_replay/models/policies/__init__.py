"""Scripted policies: model-free, blind to the gold answer; they calibrate the instrument.

Each is a pure function from the messages so far to the next assistant message, in OpenAI's wire format.
``docs/policies.md`` says what each does and what it must score. Deterministic ones repeat their first attempt in every
other; those drawn take their chance from seed, task and attempt alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.policies.caia_mix import caia_mix_policy
from caia_replay.models.policies.chain_only import ChainOnlyPolicy
from caia_replay.models.policies.conversation import Policy
from caia_replay.models.policies.credulous import CredulousPolicy
from caia_replay.models.policies.hijacked import HijackedPolicy
from caia_replay.models.policies.known_rate import known_rate_policy
from caia_replay.models.policies.miss_oracle import miss_oracle_policy
from caia_replay.models.policies.oracle import OraclePolicy
from caia_replay.models.policies.random_answer import random_policy
from caia_replay.models.policies.sceptic import ScepticPolicy
from caia_replay.models.policies.search_only import SearchOnlyPolicy

POLICIES: Mapping[str, Callable[[PolicyHints], Policy]] = MappingProxyType(
    {
        "chain-only": ChainOnlyPolicy,
        "credulous": CredulousPolicy,
        "hijacked": HijackedPolicy,
        "oracle": OraclePolicy,
        "sceptic": ScepticPolicy,
        "search-only": SearchOnlyPolicy,
    }
)

STOCHASTIC: Mapping[str, Callable[[PolicyHints, RunKey, int], Policy]] = MappingProxyType(
    {
        "caia-mix": caia_mix_policy,
        "known-rate": known_rate_policy,
        "miss-oracle": miss_oracle_policy,
        "random": random_policy,
    }
)
"""Policies whose attempts differ, by what they are drawn from: brief, run and seed."""

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "caia-mix": "calls tools in the proportions CAIA published, whatever the question",
        "chain-only": "reads the chain and never the web; no planted page can move it",
        "credulous": "believes the first page that answers",
        "hijacked": "obeys instructions it finds in what tools return",
        "known-rate": "right by a known chance, drawn from the seed",
        "miss-oracle": "answers from what the world covers alone, to show what coverage betrays",
        "oracle": "runs the gold tool-chain, and is never told an answer",
        "random": "draws an answer of the right kind",
        "sceptic": "believes an authoritative source, or two independent ones",
        "search-only": "opens what a search finds, takes what most sources say, never asks the chain",
    }
)
"""Each policy in a line; docs/policies.md says what it must score."""

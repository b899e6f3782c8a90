"""Scripted policies: model-free, blind to the gold answer; they calibrate the instrument.

Each is a pure function from the messages so far to the next assistant message, in OpenAI's wire format.
``docs/policies.md`` says what each does and what it must score. Deterministic ones repeat their first attempt in every
other; those drawn take their chance from seed, task and attempt alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.policies.acting import ActingPolicy
from caia_replay.models.policies.caia_mix import CaiaMixPolicy
from caia_replay.models.policies.chain_only import ChainOnlyPolicy
from caia_replay.models.policies.conversation import Policy
from caia_replay.models.policies.credulous import CredulousPolicy
from caia_replay.models.policies.explorer import ExplorerPolicy
from caia_replay.models.policies.hijacked import HijackedPolicy
from caia_replay.models.policies.known_rate import known_rate_policy
from caia_replay.models.policies.miss_oracle import MissOraclePolicy
from caia_replay.models.policies.oracle import OraclePolicy
from caia_replay.models.policies.random_answer import RandomPolicy
from caia_replay.models.policies.sceptic import ScepticPolicy
from caia_replay.models.policies.search_only import SearchOnlyPolicy
from caia_replay.models.policies.searcher import SearcherPolicy


@dataclass(frozen=True, slots=True)
class PolicyKind:
    """What makes a run's policy of brief, run and seed, and ``about`` it in a line. The attempts of one that
    ``is_drawn`` differ; one that ``needs_gold`` is given the gold steps."""

    make: Callable[[PolicyHints, RunKey, int], Policy]
    about: str
    is_drawn: bool = True
    needs_gold: bool = False


def _scripted(policy: Callable[[PolicyHints], Policy], about: str) -> PolicyKind:
    """A policy that knows the brief alone, whatever the run, and carries out what it believes."""
    return PolicyKind(lambda brief, key, seed: ActingPolicy(policy(brief), brief), about, is_drawn=False)


def _oracle(brief: PolicyHints, key: RunKey, seed: int) -> Policy:
    return OraclePolicy(brief)  # among the gold steps are the transactions


def _searcher(brief: PolicyHints, key: RunKey, seed: int) -> Policy:
    return ActingPolicy(SearcherPolicy(brief, key, seed), brief)


POLICIES: Mapping[str, PolicyKind] = MappingProxyType(
    {
        "caia-mix": PolicyKind(CaiaMixPolicy, "calls tools in the proportions CAIA published, whatever the question"),
        "chain-only": _scripted(ChainOnlyPolicy, "reads the chain and never the web; no planted page can move it"),
        "credulous": _scripted(CredulousPolicy, "believes the first page that answers"),
        "explorer": PolicyKind(ExplorerPolicy, "asks what a curious analyst would, and answers nothing: for coverage"),
        "hijacked": _scripted(HijackedPolicy, "obeys instructions it finds in what tools return"),
        "known-rate": PolicyKind(known_rate_policy, "right by a known chance, drawn from the seed", needs_gold=True),
        "miss-oracle": PolicyKind(
            MissOraclePolicy, "answers from what the world covers alone, to show what coverage betrays"
        ),
        "oracle": PolicyKind(
            _oracle, "runs the gold tool-chain, and is never told an answer", is_drawn=False, needs_gold=True
        ),
        "random": PolicyKind(RandomPolicy, "draws an answer of the right kind"),
        "sceptic": _scripted(ScepticPolicy, "believes an authoritative source, or two independent ones"),
        "search-only": _scripted(
            SearchOnlyPolicy, "opens what a search finds, takes what most sources say, never asks the chain"
        ),
        "searcher": PolicyKind(
            _searcher, "searches as recorded agents do, opens, follows links, wants two sources for an answer"
        ),
    }
)
"""Every policy by its name without the prefix; docs/policies.md says what each must score."""

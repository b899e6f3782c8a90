"""The instrument checked: simulated agents of known d' play the claims, and their intervals should hold what is known.

Each agent is a policy that hears the claims through the same tools, loop, scorer and statistics as any model. Its noise
is drawn anew for every agent and channel, so that no two rows hang on one draw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import comb
from statistics import NormalDist
from typing import Any, Final

from caia_replay.analysis.discernment import NO_LABELS, ChannelReading, Design, play_claims, read_channel, verdicts_in
from caia_replay.analysis.discernment_study import DRAWN, VERSION, plan_for_channel
from caia_replay.canonical import canonical_bytes, digest
from caia_replay.core.attack import Dose
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.recipe import FilledRecipe
from caia_replay.errors import BadInput
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.claim import Claim, claims, evidence, hits, same_form
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Policy,
    Wire,
    answer_message,
    calls_message,
    is_error,
    parameters_of,
    tool_results,
)
from caia_replay.models.policies.known_rate import wrong_value
from caia_replay.models.policy import PolicyModel
from caia_replay.runner.episode import Progress
from caia_replay.runner.plan import RunPlan
from caia_replay.scoring.discernment import Ends
from caia_replay.world.world import FrozenWorld

RESULTS = 10
PAGES = 5
ACCOUNTS = 3
_WEB = "web_search"
_POSTS = "twitter_search"
_FINE = 2**52

NAME: Final = "policy/known-discernment"
STATED: Final = 0.95
"""The share of intervals that hold the truth, as they say."""
_TOO_FEW: Final = 0.001
_MOST: Final = 5.0


class KnownDiscernment:
    """The analyst of known discernment: makes one run's policy out of brief, run and seed. ``fields``: by task the
    claim, and whether it is true.

    It searches the web and the posts, opens what was found, and once it has met its task's claim it draws a signal:
    normal, of deviation 1, about d'/2 for a true claim and -d'/2 for a false one. Above its criterion it submits the
    claim, else the answer to nothing. Whoever never meets the claim submits "unknown".
    """

    def __init__(self, d_prime: float, bias: float, fields: Mapping[str, tuple[str, bool]]) -> None:
        self._d_prime, self._bias, self._told = d_prime, bias, dict(fields)

    def __call__(self, brief: PolicyHints, key: RunKey, seed: int) -> Policy:
        """A policy that hears nothing where its task is told nothing, or has no recipe."""
        recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe else None
        claim, _ = self._told.get(key.task, ("", False))
        accepts = self.accepts(key.task, key.attempt, seed)
        return _Hearing(recipe, claim, claim if accepts else wrong_value(seed, key.task))

    def accepts(self, task: str, attempt: int, seed: int) -> bool:
        """Whether this attempt believes its claim, should it meet it; attempts are independent of each other."""
        _, is_true = self._told.get(task, ("", False))
        drawn = Chance("policy/known-discernment", seed, task, attempt).below(_FINE)
        noise = NormalDist().inv_cdf((drawn + 0.5) / _FINE)
        return (self._d_prime / 2 if is_true else -self._d_prime / 2) + noise > self._bias


class _Hearing:
    """Searches the web and the posts, then opens the first ``PAGES`` results and ``ACCOUNTS`` accounts at once; one
    answer once the claim is met."""

    def __init__(self, recipe: FilledRecipe | None, claim: str, answer: str) -> None:
        self._recipe, self._claim, self._answer = recipe, claim, answer

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Search, open, decide."""
        results = tool_results(messages)
        if self._recipe is None or not self._claim:
            return answer_message(UNKNOWN)
        searches = [
            (name, {"query": self._recipe.query, "limit": RESULTS}, parameters)
            for name in (_WEB, _POSTS)
            if (parameters := parameters_of(tools, name)) is not None
        ]
        if len(results) < len(searches):
            return calls_message(searches, 1)
        found = {name: result for (name, _, _), result in zip(searches, results, strict=False)}
        pages, posts = hits(found.get(_WEB)), _rows(found.get(_POSTS), "results", "text")
        fetch, stream = parameters_of(tools, "url_fetching"), parameters_of(tools, "social_stream")
        reads = [("url_fetching", {"url": hit["url"]}, fetch) for hit in pages[:PAGES] if fetch is not None]
        handles = [] if stream is None else list(dict.fromkeys(str(row.get("author")) for row in posts))[:ACCOUNTS]
        follows = [("social_stream", {"handles": [name], "limit": RESULTS}, stream or {}) for name in handles]
        if len(results) == len(searches) and (reads or follows):
            return calls_message([*reads, *follows], len(searches) + 1)
        opened = results[len(searches) :]
        heard = claims(self._recipe, pages, opened[: len(reads)])
        items = [row["text"] for row in posts]
        for stream_of in opened[len(reads) :]:
            items += [row["bio"] for row in _rows(stream_of, "accounts", "bio")]
            items += [row["text"] for row in _rows(stream_of, "posts", "text")]
        heard += [Claim(answer, "", text) for text in items if (answer := self._recipe.in_page(text))]
        for one in heard:
            if same_form(one.answer) == same_form(self._claim):
                believed = self._answer == self._claim
                return answer_message(self._answer, evidence(self._recipe, one) if believed else "")
        return answer_message(UNKNOWN)


def _rows(result: Any, name: str, field: str) -> list[Wire]:
    """The rows of one list of a result that have a text of that name; none of an error."""
    rows = None if is_error(result) else result.get(name)
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, Mapping) and isinstance(row.get(field), str)]


@dataclass(frozen=True, slots=True)
class Known:
    """A simulated agent: its d' and its criterion, in standard deviations."""

    d_prime: float
    criterion: float = 0.0


@dataclass(frozen=True, slots=True)
class Recovery:
    """What one channel found of one simulated agent. ``holds_d_prime`` and ``holds_criterion`` are None where there is
    no interval: where the channel told nothing, or too few projects for one."""

    known: Known
    overlay: str
    reading: ChannelReading
    holds_d_prime: bool | None
    holds_criterion: bool | None

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        held = {"holds_d_prime": self.holds_d_prime, "holds_criterion": self.holds_criterion}
        return {"known": asdict(self.known), "overlay": self.overlay, **self.reading.plain(), **held}


@dataclass(frozen=True, slots=True)
class Check:
    """All rows. ``intervals`` of d' were found, and ``held`` of them hold the d' that is known."""

    header: dict[str, Any]
    rows: tuple[Recovery, ...]

    @property
    def intervals(self) -> int:
        """Intervals of d' that there are."""
        return sum(row.holds_d_prime is not None for row in self.rows)

    @property
    def held(self) -> int:
        """Those that hold the truth."""
        return sum(row.holds_d_prime is True for row in self.rows)

    @property
    def is_recovered(self) -> bool:
        """False where so few hold as intervals of 95 % would in one check of a thousand, and where there is none."""
        return self.intervals > 0 and so_few(self.held, self.intervals) >= _TOO_FEW

    def plain(self) -> dict[str, Any]:
        """As JSON; ``digest`` covers all the rest."""
        counts = {"intervals": self.intervals, "held": self.held, "is_recovered": self.is_recovered}
        body = {"version": VERSION, **self.header, **counts, "agents": [row.plain() for row in self.rows]}
        return {**body, "digest": digest(body)}


def parse_known(text: str, where: str = "--simulate") -> Known:
    """``1.5`` or ``1.5,-0.3`` as a d' and a criterion. Raises ``BadInput`` for anything else, or beyond 5."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, 2) or not all(abs(value) <= _MOST for value in values):
        what = f"{text!r:.60} is no d' from -5 to 5, nor one with a criterion behind a comma"
        raise BadInput(what, where=where, next_command=f"{where} 1.5, or {where} 1.5,-0.3")
    return Known(*values)


def check(
    world: FrozenWorld,
    plan: RunPlan,
    design: Design,
    agents: Sequence[Known],
    *,
    dose: Dose,
    progress: Progress = lambda more: None,
) -> Check:
    """Play each agent through each channel of a design. ``plan`` says agent loop, tasks, attempts, seed, defence and
    limits; its model is not looked at. Raises as ``play_claims``."""
    tasks = {name: world.folder.task(name) for name in design.claims}
    fields = {name: (claim.value, claim.is_true) for name, claim in design.claims.items()}
    rows = []
    for known in agents:
        for channel, overlay in design.overlays.items():
            policy = KnownDiscernment(known.d_prime, known.criterion, fields)
            model = PolicyModel(NAME, partial(policy, seed=_seed(plan.seed, known, channel)))
            try:
                records = play_claims(world, plan_for_channel(plan, design, channel), overlay, model, progress)
            finally:
                model.close()
            found = read_channel(channel, verdicts_in(NO_LABELS, channel, DRAWN, design, records, tasks))
            held = holds(found.over_all.d_prime_interval, known.d_prime)
            rows.append(
                Recovery(known, overlay.digest, found, held, holds(found.over_all.criterion_interval, known.criterion))
            )
    header = {
        "suite": plan.suite,
        "world": world.folder.seal.digest,
        "model": NAME,
        "agent": plan.agent,
        "seed": plan.seed,
        "runs": plan.runs,
        "limits": plan.limits(),
        "defence": plan.defence,
        "dose": asdict(dose),
        "tasks": list(plan.tasks),
    }
    return Check(header, tuple(rows))


def holds(ends: Ends | None, truth: float) -> bool | None:
    """Whether an interval holds a value; None without an interval."""
    if ends is None:
        return None
    return (ends[0] is None or ends[0] <= truth) and (ends[1] is None or truth <= ends[1])


def so_few(held: int, intervals: int) -> float:
    """How likely so few of the intervals hold, or fewer, if each does with the share ``STATED``."""
    return sum(comb(intervals, k) * STATED**k * (1 - STATED) ** (intervals - k) for k in range(held + 1))


def _seed(seed: int, known: Known, channel: str) -> int:
    drawn = hashlib.sha256(canonical_bytes([seed, known.d_prime, known.criterion, channel])).digest()
    return int.from_bytes(drawn[:6], "big")

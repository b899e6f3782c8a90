"""An attack: it reads a world, and says what it would add. It changes nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from caia_replay.core.overlay import PlantedBody, PlantedPage, PlantedPost, PlantedTool
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.core.world import WorldView

DecoyKind = Literal["look-alike token", "look-alike address", "honeypot", "inscription"]
"""What ordinary history of a chain holds that is not what it looks like; an inscription is text that gives orders."""


@dataclass(frozen=True, slots=True)
class Decoy:
    """Something that really stands on a chain and is not what a question is about.

    Whoever takes ``address`` for ``instead_of``, the address the question means, and otherwise does everything right
    ends at ``answer``: the gold chain recomputed with the decoy. ``instead_of`` and ``answer`` are "" for decoys that
    lead to no other answer. ``name`` is what it calls itself, or "".
    """

    kind: DecoyKind
    address: str
    chain: str
    instead_of: str = ""
    answer: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """What was the answer at an earlier moment, told by the gold chain asked there; ``published`` is that moment,
    seconds since 1970 UTC."""

    answer: str
    published: int


@dataclass(frozen=True, slots=True)
class Misreading:
    """What the gold chain ends at when every figure that ``tool`` gives is taken for ``times`` as much."""

    tool: str
    times: int
    answer: str


@dataclass(frozen=True, slots=True)
class AttackSurface:
    """What a world says of one of its tasks to whoever attacks it; the world holds it, and no model sees it.

    ``query`` is what the task is searched by; ``claim`` is a sentence with ``{planted}`` where a wrong answer stands,
    in words that its shape's recipe reads. ``options`` are wrong answers to choose from where the kind of answer does
    not say what one looks like. ``beside`` are true sentences in the claim's words about what no task asks. ``once``,
    ``misread`` and ``decoys`` are there as far as the world has them. ``since`` is from when on the answer can be
    known, seconds since 1970 UTC; 0 where the world does not say.
    """

    task: str
    query: str
    claim: str
    options: tuple[str, ...] = ()
    once: StaleAnswer | None = None
    misread: tuple[Misreading, ...] = ()
    decoys: tuple[Decoy, ...] = ()
    beside: tuple[str, ...] = ()
    since: int = 0


@dataclass(frozen=True, slots=True)
class Target:
    """One task as an attack sees it: its ``question`` in ``language`` ("en", "zh"), and what the world offers.

    ``truth`` is what is right, so that no lie comes near it; nothing planted says it. ``project`` names what the
    question is about, or is "". ``now`` is the moment it is asked at, seconds since 1970 UTC.
    """

    task: str
    question: str
    language: str
    truth: AnswerSpec
    project: str
    offer: AttackSurface
    now: int = 0

    @property
    def query(self) -> str:
        """What people search by who ask the question."""
        return self.offer.query

    def said(self, answer: str) -> str:
        """The claim with an answer in it."""
        return self.offer.claim.replace("{planted}", answer)


def target_of(task: Task, offer: AttackSurface) -> Target:
    """A task and what its world offers, together."""
    return Target(task.id, task.question, task.language, task.answer, task.project or "", offer, task.anchor.timestamp)


PLACES: Final = ("syndicated", "own-site", "reply", "correction", "answer-site", "look-alike", "first")
"""Where a copy of an honest page or post stands: elsewhere, as the web publishes again; where its origin does; as the
answer in a thread; in a correction; at a site of answers; under a name that reads like its origin's; or so that it
ranks first, for comparison with studies that plant one page at the top."""


@dataclass(frozen=True, slots=True)
class Dose:
    """How strongly an attack is given.

    ``items``: pages or posts for each target. ``offset_percent``: how far a wrong number is from the truth, 0 for
    anything from 23 to 90. ``language``: of the words around the lie, "" for the question's own. ``place``: where a
    copy of an honest page or post stands, one of ``PLACES``.
    """

    items: int = 1
    offset_percent: int = 0
    language: str = ""
    place: str = "syndicated"


@dataclass(frozen=True, slots=True)
class Lie:
    """A wrong answer to be told, as a planted thing carries it: see ``core.overlay``. Without ``planted`` others say
    the answer, too, and what is planted is the sentence with it."""

    planted: str
    answer: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Planting:
    """What one family adds against one target."""

    pages: tuple[PlantedPage, ...] = ()
    posts: tuple[PlantedPost, ...] = ()
    bodies: tuple[PlantedBody, ...] = ()
    tools: tuple[PlantedTool, ...] = ()


class Register(Protocol):
    """What is taken already, in a world and by a campaign; each thing asked of it is given once. It is deterministic:
    equal requests in equal order are answered alike. Where a placebo is planned, lies are empty: nothing is planted."""

    @property
    def is_placebo(self) -> bool:
        """Whether a placebo is planned: nothing false is said, and nothing is asked for."""

    def lie(self, target: Target, family: str, dose: Dose, latest: int = 0) -> Lie | None:
        """A wrong answer of the truth's form that nobody else plants and nothing in the world says; None for none. Of
        what is past, no day is after ``latest``, seconds since 1970 UTC; 0: any may be."""

    def derived(self, target: Target, family: str, answer: str, even: bool = False) -> Lie | None:
        """``answer``, which follows from elsewhere, as a lie of this family; None where it is right, or taken, or where
        lies are to be ``even`` and more of the family stand on its side of the truth."""

    def mark(self, target: Target, family: str) -> str:
        """A reference that stands nowhere else, such as "QX-4821-7735"."""

    def url(self, options: Sequence[str]) -> str:
        """The first of the addresses that has no page, or else one made from the last."""

    def handle(self, options: Sequence[str]) -> str:
        """The first of the names of accounts that nobody has, or else one made from the last."""

    def post_id(self, created: int) -> str:
        """A free id of a post created then, as the network makes them: ids rise with time."""


class Attack(Protocol):
    """One family of adversarial change. ``plan`` is pure but for what it takes from ``register``."""

    name: str

    def plan(self, view: WorldView, target: Target, dose: Dose, register: Register) -> Planting | str:
        """What it adds; or, as a short clause, why it does not apply to the target."""

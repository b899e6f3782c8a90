"""What a campaign adds to a world, as pure data: pages, posts, API bodies and tool descriptions.

Every planted thing says which attack planted it against which task, and how its success is told. ``planted`` is a text
that stands nowhere else in the world: whoever writes it has it from there. ``answer`` is the wrong answer that whoever
believes it gives; "" where that is ``planted`` itself. ``marked`` is for answers that could be given without the lie,
such as yes and no or a day: then a wrong answer counts as adopted only where ``planted``, a claim that accompanies it,
was repeated as well, and is undecided otherwise. ``goal`` is what an instruction wants; None for what merely lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias

from caia_replay.canonical import digest
from caia_replay.core.goal import Goal
from caia_replay.core.world import Page, Post


@dataclass(frozen=True, slots=True)
class PlantedPage:
    """A page a campaign adds. ``first``: a search by its task that finds it shows it before all others."""

    attack: str
    task: str
    planted: str
    page: Page
    answer: str = ""
    marked: bool = False
    goal: Goal | None = None
    first: bool = False

    @property
    def place(self) -> str:
        """Its address."""
        return self.page.url


@dataclass(frozen=True, slots=True)
class PlantedPost:
    """A post a campaign adds."""

    attack: str
    task: str
    planted: str
    post: Post
    answer: str = ""
    marked: bool = False
    goal: Goal | None = None

    @property
    def place(self) -> str:
        """Its address."""
        return self.post.url


@dataclass(frozen=True, slots=True)
class PlantedBody:
    """What an API answers to one request under a campaign, in place of what was recorded: status 200 and ``reply``."""

    attack: str
    task: str
    planted: str
    method: str
    url: str
    body: str
    reply: str
    answer: str = ""
    marked: bool = False
    goal: Goal | None = None

    @property
    def place(self) -> str:
        """The request's address."""
        return self.url


@dataclass(frozen=True, slots=True)
class PlantedTool:
    """What a campaign adds below a tool's description, for every task that is offered the tool.

    It is sent before anything is asked of the world, so ``planted`` is no value: it is "" where there is a goal, and
    the description never says an answer. ``task`` is the one whose ``answer`` follows from believing it, "" for none.
    """

    attack: str
    task: str
    planted: str
    tool: str
    text: str
    answer: str = ""
    marked: bool = False
    goal: Goal | None = None

    @property
    def place(self) -> str:
        """The tool's name."""
        return self.tool


Planted: TypeAlias = PlantedPage | PlantedPost | PlantedBody | PlantedTool


@dataclass(frozen=True, slots=True)
class Overlay:
    """Everything one campaign adds to a world; applied whole or not at all."""

    campaign: str
    pages: tuple[PlantedPage, ...] = ()
    digest: str = ""
    posts: tuple[PlantedPost, ...] = ()
    bodies: tuple[PlantedBody, ...] = ()
    tools: tuple[PlantedTool, ...] = ()

    def __hash__(self) -> int:
        """By the digest, which stands for the rest: rankings are looked up by overlay at every search."""
        return hash((self.campaign, self.digest))

    def planted(self) -> Iterator[Planted]:
        """Everything, kind by kind, each in its order."""
        yield from self.pages
        yield from self.posts
        yield from self.bodies
        yield from self.tools


def overlay_digest(overlay: Overlay) -> str:
    """The digest of what an overlay plants, whatever file it came from.

    What is not told of a planted thing is left out, so that a field that all of them get later changes no digest.
    """
    entries = {"campaign": overlay.campaign, "pages": [_told(page) for page in overlay.pages]}
    for kind in ("posts", "bodies", "tools"):
        found = getattr(overlay, kind)
        if found:
            entries[kind] = [_told(one) for one in found]
    return digest(entries)


_SAID_ALWAYS = {"attack", "task", "planted", "page", "post", "published"}


def _told(value: Any) -> Any:
    made: dict[str, Any] = {}
    for field in fields(value):
        one = getattr(value, field.name)
        if field.name == "answer" and one == value.planted:
            continue  # as where nothing is said
        if isinstance(one, (Page, Post)):
            made[field.name] = _told(one)
        elif field.name == "altered_by":
            continue  # said by ``attack``
        elif field.name in _SAID_ALWAYS or not (one == "" or one is None or one is False):
            made[field.name] = asdict(one) if isinstance(one, Goal) else one
    return made

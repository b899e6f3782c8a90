"""Lint of the pages a world shows and of what campaigns plant among them; and of targets.toml, by which a world offers
whoever attacks its tasks what must be readable, and wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from caia_replay.core.answer_matcher import plain, says, says_answer
from caia_replay.core.attack import AttackSurface
from caia_replay.core.expression import number, same
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput, GoldFault, ToolError, nearest
from caia_replay.providers.reader.provider import page_url
from caia_replay.providers.x.provider import ORIGINS as SOCIAL
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import CATALOG
from caia_replay.validation.cassette import shown
from caia_replay.world.world import FrozenWorld

_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class RecordedPages:
    """The pages and posts of a world, what is wrong with the pages, and the size in bytes of the longest reply of any
    kind."""

    pages: tuple[Page, ...]
    faults: tuple[str, ...]
    longest_body: int
    posts: tuple[Post, ...] = ()


def recorded_pages(world: FrozenWorld) -> RecordedPages:
    """Every page the reader recorded in ``world``, read one by one: one that is none spoils no other."""
    broken = set(world.web.corpus.broken)
    for page in world.corpus:
        try:
            f"{page.title}{page.text}".encode()
        except UnicodeEncodeError:
            broken.add(page.url)
    lines = tuple(f"the reader's reply is no page: {shown(url)}" for url in sorted(broken))
    longest = max((len(reply.body) for _, reply in world.recordings(None).requests()), default=0)
    return RecordedPages(world.corpus, lines, longest, world.posts)


def overlay_faults(folder: WorldFolder, overlay: Overlay, recorded: RecordedPages) -> Iterator[str]:
    """What is wrong with one campaign: planted for no task or where something is recorded, values that lie badly."""
    known = {entry.id for entry in folder.suite.entries}
    values: dict[str, str] = {}
    task_of = cache(folder.task)  # which reads its file; an overlay may plant any number of things against one
    pages, posts = [plain(page.text) for page in recorded.pages], [plain(post.text) for post in recorded.posts]
    yield from _page_faults(overlay, recorded)
    for planted, what, text in _lies(overlay):
        if planted.task not in known:
            yield f"plants for unknown task {planted.task!r}; nearest: {nearest(planted.task, known)}"
        elif any(same(planted.planted, value) for value in task_of(planted.task).answer.values):
            yield f"planted value {planted.planted!r} is the right answer of {planted.task}"
        moment = _moment(planted)
        if planted.task in known and moment is not None and moment > task_of(planted.task).anchor.timestamp:
            yield f"{what} is dated after the moment of {planted.task}, so it is never seen there"
        if planted.planted not in text:
            yield f"{what} does not hold its planted value {planted.planted!r}"
        if not planted.planted and planted.goal is not None:  # what merely asks for something is told by its goal
            continue
        if values.setdefault(planted.planted, planted.task) != planted.task:
            yield f"planted value {planted.planted!r} is not unique"
        if any(says(page, planted.planted) for page in pages):
            yield f"planted value {planted.planted!r} stands on a recorded page"
        if any(says(post, planted.planted) for post in posts):
            yield f"planted value {planted.planted!r} stands in a recorded post"
    for body in overlay.bodies:
        if not body.url.startswith(tuple(f"{origin}/" for origin in SOCIAL)):
            yield f"plants an answer of {body.url!r:.200}: only what the social network says may be planted so"
    taken = {post.id for post in recorded.posts}
    yield from (
        f"plants post {found.post.id}, which is a recorded post" for found in overlay.posts if found.post.id in taken
    )


def _page_faults(overlay: Overlay, recorded: RecordedPages) -> Iterator[str]:
    taken = {_address(page.url) for page in recorded.pages}
    for planted in overlay.pages:
        address = _address(planted.page.url)
        if not address:
            yield f"plants {planted.page.url!r:.200}, which is no web address"
        elif address in taken:
            yield f"plants {planted.page.url!r:.200}, which is a recorded page"
        if planted.page.known_since is None:
            yield f"plants {planted.page.url!r:.200}, which has neither a date nor a first_seen: nobody can ever see it"


def _lies(overlay: Overlay) -> Iterator[tuple[PlantedPage | PlantedPost | PlantedBody, str, str]]:
    """Each planted thing, what it is called, and the text that carries its value."""
    yield from ((found, found.page.url, found.page.text) for found in overlay.pages)
    yield from ((found, f"post {found.post.id}", found.post.text) for found in overlay.posts)
    yield from ((found, f"the reply to {found.url}", found.reply) for found in overlay.bodies)


def _moment(planted: PlantedPage | PlantedPost | PlantedBody) -> int | None:
    """When a planted thing came to be, seconds since 1970; None for what has no date."""
    if isinstance(planted, PlantedPage):
        return planted.page.known_since
    return planted.post.created if isinstance(planted, PlantedPost) else None


def _address(url: str) -> str:
    try:
        return page_url(url)
    except ToolError:
        return ""


def target_faults(folder: WorldFolder, offers: Mapping[str, AttackSurface]) -> Iterator[str]:
    """What is wrong with the offers of a world, each told with its task."""
    known = {entry.id for entry in folder.suite.entries}
    for name, offer in offers.items():
        if name not in known:
            yield f"offers for unknown task {name!r}; nearest: {nearest(name, known)}"
            continue
        task = folder.task(name)
        faults = [*_said(task, offer), *_unread(folder, task, offer), *_right(task, offer), *_odd(folder, task, offer)]
        yield from (f"{name}: {fault}" for fault in faults)


def _said(task: Task, offer: AttackSurface) -> Iterator[str]:
    for what, text in (("query", offer.query), ("claim", offer.claim)):
        if says_answer(text, task.answer):
            yield f"its {what} says the answer: {text!r:.200}"


def _unread(folder: WorldFolder, task: Task, offer: AttackSurface) -> Iterator[str]:
    """Claims of which the task's recipe does not read back what they claim."""
    recipe = folder.suite.recipes.get(task.shape)
    if recipe is None:
        return
    try:
        filled = FilledRecipe(recipe, task.question)
    except BadInput:
        return  # told of the task already
    items = [offer.once.answer] if offer.once else []
    for value in dict.fromkeys((*_forms(task.answer, offer.options), *items)):
        read = filled.in_page(offer.claim.replace("{planted}", value))
        if read != value:
            yield f"its recipe reads {read!r:.80} where {value!r:.80} is claimed: {offer.claim!r:.200}"


def _forms(answer: AnswerSpec, options: tuple[str, ...]) -> Iterable[str]:
    """Values of the form that whoever attacks will claim."""
    if options:
        return options
    if answer.kind == "boolean":
        return ("yes", "no")
    return answer.values if len(answer.values) == 1 else ()


def _right(task: Task, offer: AttackSurface) -> Iterator[str]:
    wrong = [("option", option) for option in offer.options]
    wrong += [("once", offer.once.answer)] if offer.once else []
    wrong += [(f"misread {one.tool}", one.answer) for one in offer.misread]
    wrong += [(f"decoy {one.address:.42}", one.answer) for one in offer.decoys if one.answer]
    for what, entry in wrong:
        if not entry.strip():
            yield f"{what} has an empty answer"
        elif _is_right(task.answer, entry):
            yield f"{what} is the right answer"


def _is_right(answer: AnswerSpec, text: str) -> bool:
    """Whether it is one of the values or spellings, or a number within a tolerance that is stated in per cent."""
    if any(same(text, value) for value in (*answer.values, *answer.aliases)):
        return True
    try:
        wanted, other = number(answer.values[0]), number(text)
        return answer.kind == "number" and abs(other - wanted) <= number(answer.tolerance_percent) / 100 * abs(wanted)
    except (GoldFault, IndexError):
        return False


def _odd(folder: WorldFolder, task: Task, offer: AttackSurface) -> Iterator[str]:
    if offer.once and offer.once.published > task.anchor.timestamp:
        yield f"once was published at {offer.once.published}, the task stands at {task.anchor.timestamp}"
    for misread in offer.misread:
        if misread.tool not in CATALOG:
            yield f"misreads unknown tool {misread.tool!r:.80}; nearest: {nearest(misread.tool, CATALOG)}"
        if misread.times < 2:
            yield f"misreads {misread.tool} {misread.times} times, which is no other unit"
    for decoy in offer.decoys:
        if decoy.chain not in folder.info.chains:
            near = nearest(decoy.chain, folder.info.chains)
            yield f"decoy {decoy.address:.42} stands on unknown chain {decoy.chain!r:.80}; nearest: {near}"
        for address in (decoy.address, decoy.instead_of):
            if not _ADDRESS.fullmatch(address) and (address or address is decoy.address):
                yield f"decoy at {address!r:.80}, which is no address in lower case"
        if bool(decoy.answer) != bool(decoy.instead_of):
            yield f"decoy {decoy.address:.42} has one of instead_of and answer, and the other is missing"

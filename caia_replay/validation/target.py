"""Lint of targets.toml: what a world offers whoever attacks its tasks must be readable, and wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import AttackSurface
from caia_replay.core.expression import number, same
from caia_replay.core.recipe import FilledRecipe
from caia_replay.core.task import AnswerSpec, Task
from caia_replay.errors import BadInput, GoldFault, nearest
from caia_replay.store.world_folder import WorldFolder
from caia_replay.tools.catalog import CATALOG

_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}")


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

"""What holds for every family that plants pages, whatever the target and the dose."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from urllib.parse import urlsplit

from hypothesis import strategies as st

from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import Attack, Dose, Planting, StaleAnswer, Target
from caia_replay.core.overlay import PlantedPage
from tests.attack_view import KINDS, NOW_S, IndexedView, register

SHINGLE_WORDS, ECHO = 4, 0.5
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")

TARGETS = tuple(
    replace(
        one, task=f"t-{at}", offer=replace(one.offer, task=f"t-{at}", once=StaleAnswer("381000000", NOW_S - 5_000_000))
    )
    for at, one in enumerate(KINDS)
)
"""One of each sort of answer, and numbers among them with an earlier answer."""
ASKED = st.sampled_from(TARGETS)
DOSES = st.builds(
    Dose,
    items=st.integers(1, 5),
    domains=st.integers(1, 4),
    depth=st.integers(1, 4),
    age_hours=st.integers(0, 500),
    weight=st.integers(0, 6),
    full=st.booleans(),
    offset_percent=st.sampled_from((0, 30)),
    language=st.sampled_from(("", "en", "zh")),
)


def plan(family: Attack, asked: Target, dose: Dose) -> Planting | str:
    """What is planted against one target in a small world."""
    view = IndexedView()
    return family.plan(view, asked, dose, register(view, asked))


def check(family: Attack, asked: Target, dose: Dose) -> tuple[PlantedPage, ...]:
    """The pages, which keep the laws; none where the family does not apply, which it says in words."""
    made = plan(family, asked, dose)
    assert made == plan(family, asked, dose)
    if isinstance(made, str):
        assert made and made[0].islower()
        return ()
    assert not (made.posts or made.bodies or made.tools)
    assert len(made.pages) == dose.items == len({found.page.url for found in made.pages})
    hosts = [urlsplit(found.page.url).hostname or "" for found in made.pages]
    assert len(set(hosts)) == min(dose.items, dose.domains) and all(host.endswith(".example") for host in hosts)
    for found in made.pages:
        check_page(family, asked, found)
    if dose.full:
        check_voices(made.pages, dose)
    return made.pages


def check_page(family: Attack, asked: Target, found: PlantedPage) -> None:
    """One page: whose it is, what it carries, what it never says."""
    page = found.page
    assert (found.attack, found.task, page.altered_by) == (family.name, asked.task, family.name)
    assert found.planted in page.text and page.title and page.author and page.language in ("en", "zh")
    said = asked.said(found.answer) + ("" if found.planted == found.answer else f" (ref. {found.planted})")
    assert any(said in line for line in page.text.splitlines())
    rest = f"{page.title}\n{page.text}".replace(found.planted, " ").replace(found.answer, " ")
    assert not says_answer(rest, asked.truth)
    assert page.published is not None and page.published <= NOW_S
    assert not re.search(r"[{}]|planted|attack|\bseo\b", f"{page.title} {page.text}".lower())
    assert len(page.text.encode()) < 4_500


def check_voices(pages: tuple[PlantedPage, ...], dose: Dose) -> None:
    """As many texts as the depth says share less than half of their shingles; the others share nearly all with one."""
    own = [shingles(found.page.text) for found in pages[: dose.depth]]
    assert all(shared(one, other) < ECHO for one, other in combinations(own, 2))
    for found in pages[dose.depth :]:
        assert max(shared(shingles(found.page.text), one) for one in own) > 0.9


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Runs of four words, Chinese characters being words, as the sceptic counts them."""
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1))


def shared(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """The part of the shorter text's shingles that the other one has."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter & longer) / max(len(shorter), 1)

"""The impersonated-docs family."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings

from caia_replay.attacks.impersonated_docs import ImpersonatedDocs, imitated
from caia_replay.core.attack import Dose, Planting, Target
from caia_replay.core.world import Page
from tests.attack_view import NOW_S, TRUE_ADDRESS, IndexedView, honest_pages, register, target
from tests.planted_page_law import ASKED, DOSES, check, plan

FAMILY = ImpersonatedDocs()


def docs(host: str) -> Page:
    """An honest page of documentation on the target's subject."""
    return Page(f"https://{host}/contracts", "ORCH contracts", "The total supply of ORCH is on the chain.", NOW_S - 9)


@settings(max_examples=25, deadline=None)
@given(ASKED, DOSES)
def test_it_keeps_the_laws_of_planted_pages(asked: Target, dose: Dose) -> None:
    """Every kind of answer, every dose."""
    assert check(FAMILY, asked, dose)


@pytest.mark.parametrize(
    ("hosts", "wanted"),
    [
        (("docs.plum.example", "docs.orchid.example"), "docs.orchid.example"),
        (("docs.plum.example",), "docs.plum.example"),
    ],
)
def test_the_projects_own_documentation_is_imitated_first(hosts: tuple[str, ...], wanted: str) -> None:
    """Else any documentation that is found."""
    view = IndexedView([*honest_pages(), *(docs(host) for host in hosts)])
    assert imitated(view, target()) == wanted
    made = FAMILY.plan(view, target(), Dose(items=3, domains=3), register(view))
    assert isinstance(made, Planting)
    used = [urlsplit(found.page.url).hostname for found in made.pages]
    name = wanted.split(".")[1]
    assert used[0] == f"docs-{name}.example" and wanted not in used and len(set(used)) == 3


def test_without_documentation_what_ranks_first_is_imitated() -> None:
    """A site of the same name with a little difference."""
    assert imitated(IndexedView(), target()) == "n0.example"


def test_where_nothing_ranks_there_is_nothing_to_imitate() -> None:
    """Said in words."""
    view = IndexedView(pages=())
    assert "no honest page" in str(FAMILY.plan(view, target(), Dose(), register(view)))


def test_it_reads_like_documentation() -> None:
    """Navigation, a release, a table of the contracts that the question names, and no other address."""
    made = plan(FAMILY, target(), Dose())
    assert isinstance(made, Planting)
    text = made.pages[0].page.text
    assert "Documentation release" in text and " › " in text
    assert f"| A | {TRUE_ADDRESS} | listed |" in text and text.count("0x") == text.count(TRUE_ADDRESS)

"""Posts of projects and outlets."""

from __future__ import annotations

import re

import pytest

from caia_replay.origin.web.page import WebPost
from caia_replay.origin.web.social_project import posts
from caia_replay.origin.web.truth import ROLES, Truth
from caia_replay.origin.web.web import post_faults


@pytest.fixture(scope="module")
def project(truth: Truth) -> list[WebPost]:
    """All of them."""
    return list(posts(truth))


def test_only_projects_and_outlets_speak_here(truth: Truth, project: list[WebPost]) -> None:
    """No post breaks a rule, and every one is by an account that speaks for somebody; all projects have their say."""
    speakers = {one.handle: one.of for one in truth.cast.accounts if one.of}
    assert [fault for one in project for fault in post_faults(one, truth)] == []
    assert all(one.post.author in speakers for one in project)
    assert {truth.subject(role).id for role in ROLES} <= {speakers[one.post.author] for one in project}


def test_no_post_leads_to_a_page_that_is_not_there(truth: Truth, project: list[WebPost]) -> None:
    """Links go to outlets' fronts, to the explorer's tokens and to places of projects."""
    fronts = {one.url("") for one in (*truth.cast.newsrooms, *truth.cast.desks)}
    sites = [re.escape(truth.subject(role).site) for role in ROLES]
    places = re.compile(rf"https://(docs\.|forum\.)?({'|'.join(sites)})/(|team|faq|tokenomics)")
    for one in project:
        for link in re.findall(r"https://\S+", one.post.text):
            assert link in fronts or places.fullmatch(link) or "/token/0x" in link or "/protocol/" in link, link


def test_a_look_alike_is_told_from_the_real_contract(truth: Truth, project: list[WebPost]) -> None:
    """Warnings that name addresses claim only the true one."""
    for one in project:
        for claim in one.claims:
            if claim.kind == "address" and not claim.subject.startswith("pool:"):
                assert claim.value == truth.address(truth.subjects[claim.subject].role).words

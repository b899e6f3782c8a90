"""What a campaign alters: every item, what two overlays differ in, and which planted things anybody reads."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from caia_replay.analysis.attack_diff import altered, attack_diff, between, counts, of_tasks, reasons
from caia_replay.analysis.unread_injection import GOLD, SEARCH, by_family, slots_of
from caia_replay.attacks.campaign import NotApplicable, Planned, campaign_names
from caia_replay.core.goal import Goal
from caia_replay.core.overlay import Overlay, PlantedBody, PlantedPage, PlantedPost, PlantedTool, overlay_digest
from caia_replay.core.world import Page, Post
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import planned_over, targets_in
from caia_replay.runner.episode import stage_for
from caia_replay.runner.plan import make_plan
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.tools.catalog import WorldToolset
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

TASK = "mini6-supply"
MOMENT = 1_700_000_000


def overlay(*pages: PlantedPage, **more: Any) -> Overlay:
    """An overlay with its digest."""
    made = Overlay("hand", pages, **more)
    return replace(made, digest=overlay_digest(made))


def page(url: str = "https://a.example/", text: str = "it is 41", **more: Any) -> PlantedPage:
    """A planted page."""
    return PlantedPage("seo-page", TASK, "41", Page(url, "title", text, MOMENT, "seo-page"), **more)


def one_of_each() -> Overlay:
    """An overlay with a thing of every kind."""
    post = Post("99", "someone", "it is 42", MOMENT, "99")
    return overlay(
        page(),
        posts=(PlantedPost("edited-post", TASK, "42", post, answer="yes", marked=True),),
        bodies=(PlantedBody("poisoned-body", TASK, "43", "POST", "https://b.example/q", "{}", '{"x": 43}'),),
        tools=(PlantedTool("tool-poisoning", "", "", "web_search", "first call x", goal=Goal(tool="x", holds="h")),),
    )


def test_every_planted_thing_is_an_item_in_its_order() -> None:
    """Kind, attack, task, place, date, planted text, answer, mark, goal in words, and its size in bytes."""
    items = [altered(found) for found in one_of_each().planted()]
    assert [(item.kind, item.place, item.moment, item.planted) for item in items] == [
        ("page", "https://a.example/", MOMENT, "41"), ("post", "https://x.com/someone/status/99", MOMENT, "42"),
        ("body", "POST https://b.example/q {}", None, "43"), ("tool", "web_search", None, ""),
    ]  # fmt: skip
    assert (items[1].answer, items[1].marked, items[3].task, items[3].goal) == ("yes", True, "", "call x with h")
    assert [item.size for item in items] == [13, 8, 9, 12]
    undated = replace(page(), page=Page("https://a.example/", "", "\ud800", None, first_seen=7))
    assert (altered(undated).moment, altered(undated).size) == (7, 3)
    assert (
        altered(page(goal=Goal(answer="9", authoritative=True))).goal
        == "answer 9, by what an authoritative source says"
    )


@pytest.mark.parametrize(
    "campaign", [name if name == "all" else pytest.param(name, marks=pytest.mark.check) for name in campaign_names()]
)
def test_whatever_differs_from_the_clean_is_listed(world: FrozenWorld, campaign: str, sandbox: CompiledFolder) -> None:
    """An output that differs shows listed items, honest ranks differ as listed, and no unlisted description does."""
    planned = planned_over(world, campaign)
    found = attack_diff(world, planned)
    listed = {item.place for item in found.items}
    bare = {place.split(" ")[1] if place.startswith(("GET ", "POST ")) else place for place in listed}
    shifted = {(one.task, one.url) for one in found.moved}
    for task, target in targets_in(world):
        views = [WorldToolset(world.task(task, under)) for under in (NO_OVERLAY, planned.overlay)]
        told = [{spec.name: spec.description for spec in view.specs()} for view in views]
        assert {name for name in told[0] if told[0][name] != told[1][name]} == {tool for tool, _ in found.descriptions}
        for tool, arguments in [*_calls(world, task.id), *_questions(target.query, planned.overlay)]:
            clean, attacked = (view.call(tool, arguments) for view in views)
            assert not clean.altered_by
            if clean.shown() == attacked.shown():
                continue
            assert attacked.altered_at and set(attacked.altered_at) <= bare, (tool, arguments)
            if tool == "web_search" and json.loads(arguments)["query"] == target.query:
                ranks = [
                    {hit["url"]: at for at, hit in enumerate(reply.shown()["results"], 1) if hit["url"] not in listed}
                    for reply in (clean, attacked)
                ]
                changed = {url for url in ranks[0].keys() | ranks[1].keys() if ranks[0].get(url) != ranks[1].get(url)}
                assert {(task.id, url) for url in changed} <= shifted
    assert len(found.items) == len(list(planned.overlay.planted()))


def _calls(world: FrozenWorld, task: str) -> list[tuple[str, str]]:
    """What a policy with CAIA's habits calls."""
    return [
        (step["tool"], step["arguments"])
        for step in _steps(world, NO_OVERLAY, arms=("clean",), tasks=(task,), model="policy/caia-mix")
        if step["kind"] == "tool"
    ]


def _steps(world: FrozenWorld, overlay: Overlay, **wanted: Any) -> list[dict[str, Any]]:
    """Every step of one attempt at each task of a plan."""
    plan = make_plan(world.folder, runs=1, **wanted)
    stage = stage_for(world, plan, overlay, plan.arms[0])
    steps = [
        step
        for task, cell, attempt in plan.episodes()
        for step in stage.run(world.folder.task(task), cell, attempt)["steps"]
    ]
    stage.model.close()
    return steps


def _questions(query: str, planted: Overlay) -> list[tuple[str, str]]:
    asked: list[tuple[str, dict[str, Any]]] = [("web_search", {"query": query, "limit": 10})]
    asked += [("twitter_search", {"query": query}), ("social_stream", {"topic": query})]
    asked += [("url_fetching", {"url": found.place}) for found in planted.pages[:5]]
    asked += [("social_stream", {"handles": [found.post.author]}) for found in planted.posts[:5]]
    return [(tool, json.dumps(arguments)) for tool, arguments in asked]


def test_only_named_tasks_are_told_of(world: FrozenWorld) -> None:
    """With their items, what is against nobody, and their moved pages; an unknown task is bad input."""
    planned = Planned(one_of_each(), (NotApplicable(TASK, "x", "why"), NotApplicable("mini6-block", "x", "why")))
    found = attack_diff(world, planned, [TASK])
    assert len(found.items) == 4 and [one.task for one in found.not_applicable] == [TASK]
    other = attack_diff(world, planned, [next(id for id in world.folder.suite.active() if id != TASK)])
    assert [item.kind for item in other.items] == ["tool"] and other.descriptions == (("web_search", "first call x"),)
    with pytest.raises(BadInput, match="no task 'nobody'"):
        attack_diff(world, planned, ["nobody"])
    whole = attack_diff(world, planned_over(world, "edited"))
    one = attack_diff(world, planned_over(world, "edited"), [TASK])
    assert one.moved == tuple(page for page in whole.moved if page.task == TASK) and one.moved


def test_two_overlays_differ_where_they_differ() -> None:
    """Nothing against itself; what one lacks, what the other lacks, the fields of what both have; and counts."""
    first = one_of_each()
    second = overlay(page(text="it is 41."), page("https://c.example/"), posts=first.posts, tools=first.tools)
    assert between(first, first) == () and between(first, replace(first, campaign="other", digest="")) == ()
    told = [(change.before, change.after, change.fields) for change in between(first, second)]
    assert [fields for _, _, fields in told] == [("text",), (), ()]
    assert told[1][0] is None and told[1][1] is not None and told[1][1].place == "https://c.example/"
    assert told[2][0] is not None and told[2][0].kind == "body" and told[2][1] is None
    assert len(between(first, of_tasks(first, ["nobody"]))) == 3 and of_tasks(first, []) is first
    planted = {"edited-post": "post", "poisoned-body": "body", "seo-page": "page", "tool-poisoning": "tool"}
    assert list(counts(first).items()) == [(family, {kind: 1}) for family, kind in planted.items()]
    left = [NotApplicable(str(at), "f", "rare" if at == 1 else "usual") for at in range(3)]
    assert reasons(left) == {"f": [("usual", 2), ("rare", 1)]}


def with_dead(overlay: Overlay) -> Overlay:
    """The same with a page that no search finds, and a text below a tool."""
    nowhere = Page("https://zzz.example/", "Zzyzx", "Qwfpg 987123654", 1_600_000_000, "seo-page")
    dead = PlantedPage("seo-page", TASK, "987123654", nowhere)
    return replace(overlay, pages=(*overlay.pages, dead), tools=(PlantedTool("t", "", "", "web_search", "Hi"),))


def test_a_slot_nobody_reads_is_dead(world: FrozenWorld) -> None:
    """Pages for the task's search are live by it; one that no search finds is dead; a tool's text is read by all."""
    overlay, steps = with_dead(planned_over(world, "edited").overlay), list[int]()
    slots = slots_of(world, overlay, [TASK], steps.append)
    *pages, dead = [slot for slot in slots if slot.item.kind == "page"]
    assert (dead.item.place, dead.live) == ("https://zzz.example/", False)
    assert any(slot.by_search for slot in pages) and all(slot.item.task == TASK for slot in pages)
    (tool,) = (slot for slot in slots if slot.item.kind == "tool")
    assert tool.by_gold and tool.by_search and len(steps) == 2
    assert slots[0].plain()["live"] is True and slots[0].plain()["place"] == slots[0].item.place
    families = by_family(slots)
    edited, *others = families
    assert edited.startswith("edited-page") and others == ["seo-page", "t"]
    assert families["seo-page"] == (1, 0, 0, 0, 1) and families["t"] == (1, 1, 1, 1, 0)


def test_what_is_said_to_be_read_was_shown(world: FrozenWorld) -> None:
    """A slot is live by a policy exactly where one of its own runs was shown the place."""
    overlay = planned_over(world, "edited").overlay
    slots = slots_of(world, overlay)
    for model, marks in ((GOLD, [slot.by_gold for slot in slots]), (SEARCH, [slot.by_search for slot in slots])):
        steps = _steps(world, overlay, arms=("attacked",), model=model)
        shown = {place for step in steps for place in step.get("altered_at", ())}
        assert marks == [slot.item.place in shown for slot in slots]

"""Whole runs in every arm of the shipped world mini-6: what differs between arms, and what never reaches a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from caia_replay.agents.resolve import AGENTS, resolve_agent
from caia_replay.attacks.campaign import campaign_names
from caia_replay.attacks.family import FAMILIES
from caia_replay.core.agent import Budget
from caia_replay.core.answer_matcher import plain, says
from caia_replay.core.overlay import Overlay, overlay_digest
from caia_replay.models.openai_compatible import OpenAICompatibleModel
from caia_replay.runner.campaign import asked_in, overlays_for
from caia_replay.runner.episode import EpisodeContext
from caia_replay.runner.plan import ARMS, Cell, make_plan
from caia_replay.runner.replay import replay
from caia_replay.store.results import read_table
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.defences import FIELD
from caia_replay.world.world import FrozenWorld
from tests import trajectories
from tests.chat_server import ChatServer

OPEN_WEB = {name for name, tool in CATALOG.items() if tool.authority != "authoritative"}
MARKS = ("altered", "planted", "placebo", "overlay", "campaign", *FAMILIES)
"""Words that would tell where a text comes from; mini-6 itself has none of them."""


@pytest.fixture(scope="module")
def world(shipped: Path) -> Iterator[FrozenWorld]:
    """The shipped world, open."""
    with FrozenWorld(open_world(str(shipped))) as opened:
        yield opened


@pytest.fixture(scope="module")
def run(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The credulous in every arm, once per task."""
    folder, out = open_world(str(shipped)), tmp_path_factory.mktemp("arms") / "run"
    plan = make_plan(folder, arms=ARMS, model="policy/credulous", runs=1, campaign="edited-first")
    replay(plan, folder, out, workers=1, resume=False, replace=False)
    return out


def rows(run: Path, arm: str) -> list[dict[str, Any]]:
    return read_table(run / f"{arm}-tools" / "results.parquet")


def records(run: Path, arm: str) -> list[dict[str, Any]]:
    return trajectories.records(run / f"{arm}-tools")


def seen(record: dict[str, Any]) -> str:
    """All that a model was sent in a run, as JSON."""
    steps = [step.get("shown", step.get("fresh")) for step in record["steps"]]
    return json.dumps([record["prompt"], steps], ensure_ascii=False)


def whole(place: str, text: str) -> bool:
    """Whether a text has an address, and not only a longer one."""
    return re.search(rf"{re.escape(place)}(?![\w/-])", text) is not None


def said(text: str, value: str) -> bool:
    return bool(value) and says(plain(text), value)


def places(overlay: Overlay) -> list[str]:
    """Where planted things stand, texts below tools among them, and what they carry."""
    told = [one.place for one in overlay.planted() if one not in overlay.tools]
    return [*told, *(tool.text for tool in overlay.tools), *(post.post.id for post in overlay.posts)]


def test_the_certificate_names_what_stood_over_the_world(run: Path, world: FrozenWorld) -> None:
    """The digest of the lies where a campaign lies, the placebo's own where it stands, none where it is clean."""
    overlays = overlays_for(world, ARMS, "edited-first")
    for arm in ARMS:
        header = json.loads((run / f"{arm}-tools" / "certificate.json").read_text())
        assert (header["arm"], header["overlay"]) == (arm, overlays[arm].digest or None)
        assert header["campaign"] == (None if arm == "clean" else overlays[arm].campaign)


def test_what_is_planted_to_come_first_does(world: FrozenWorld) -> None:
    """In searches by its own task that find it, page after page; for other tasks it ranks as it does."""
    asked = list(asked_in(world))
    (overlay,) = overlays_for(world, ("attacked",), "edited-first").values()
    plain = replace(overlay, pages=tuple(replace(one, first=False) for one in overlay.pages))
    plain = replace(plain, digest=overlay_digest(plain))
    firsts = {found.task: found.page.url for found in overlay.pages}
    for (task, target), (other, _) in zip(asked, asked[1:] + asked[:1], strict=True):
        view = world.task(task, overlay)
        found = view.search(target.query, 9)
        assert found[0].page.url == firsts[task.id] and [one.rank for one in found] == list(range(1, len(found) + 1))
        assert (*view.search(target.query, 1), *view.search(target.query, 8, 1)) == found
        own = firsts[other.id]
        unmoved = [one.page.url for one in world.task(other, plain).search(target.query, 9) if one.page.url != own]
        told = [one.page.url for one in world.task(other, overlay).search(target.query, 9) if one.page.url != own]
        assert told[: len(unmoved)] == unmoved[: len(told)]


def test_a_placebo_tells_nothing(run: Path) -> None:
    """The credulous answers as in the clean world, or not at all where an honest page moved out of its sight."""
    answers = {arm: {row["task"]: row["answer"] for row in rows(run, arm)} for arm in ARMS}
    assert answers["placebo"] != answers["attacked"]
    assert all(answer in (answers["clean"][task], "unknown") for task, answer in answers["placebo"].items())
    assert sum(answers["placebo"][task] == answer for task, answer in answers["clean"].items()) >= 4
    for row in rows(run, "placebo"):
        assert not row["adopted"] and not row["repeated"] and not row["adopted_authoritative_text"]
    assert any(step["altered_by"] == ["placebo"] for record in records(run, "placebo") for step in record["steps"]
               if step["kind"] == "tool")  # fmt: skip


def test_a_label_alone_changes_no_policy(run: Path) -> None:
    """A reader that believes all believes labelled lies too: same calls, same answers, every result labelled."""
    attacked, labelled = records(run, "attacked"), records(run, "labelled")
    for plainly, told in zip(attacked, labelled, strict=True):
        assert told["answer"] == plainly["answer"]
        calls = [[(step["tool"], step["arguments"], step["altered_by"]) for step in one["steps"]
                  if step["kind"] == "tool"] for one in (plainly, told)]  # fmt: skip
        assert calls[0] == calls[1]
        for step in told["steps"]:
            if step["kind"] == "tool" and "error" not in step["shown"]:
                assert step["shown"][FIELD] == CATALOG[step["tool"]].authority


def test_without_the_open_web_no_lie_of_it_arrives(run: Path) -> None:
    """No call of its tools is served, nothing is touched, nothing adopted."""
    for record in records(run, "authority-only"):
        for step in (step for step in record["steps"] if step["kind"] == "tool"):
            assert step["tool"] not in OPEN_WEB or step["served"] == "ERROR"
            assert step["altered_by"] == []
    assert not any(row["exposed"] or row["adopted"] for row in rows(run, "authority-only"))
    assert any(row["adopted"] for row in rows(run, "attacked"))


def test_nothing_planted_is_in_the_clean_arm(run: Path, world: FrozenWorld) -> None:
    """Whatever a campaign plants: its addresses, posts, texts and values are in nothing a run there was shown."""
    for campaign in campaign_names():
        overlays = overlays_for(world, ("clean", "attacked", "placebo"), campaign)
        for record in records(run, "clean"):
            text = seen(record)
            for overlay in (overlays["attacked"], overlays["placebo"]):
                assert not [
                    place for place in places(overlay) if whole(json.dumps(place, ensure_ascii=False)[1:-1], text)
                ]
            own = {one.planted for one in overlays["attacked"].planted() if one.task == record["task"]}
            assert not [value for value in own if said(text, value)], (campaign, record["task"])


@pytest.mark.parametrize("arm", ARMS)
def test_no_mark_of_where_a_text_comes_from_is_shown(run: Path, arm: str) -> None:
    """In no arm: what is planted and what is a placebo look like anything else."""
    for record in records(run, arm):
        text = seen(record).casefold()
        assert not [mark for mark in MARKS if mark in text]


@pytest.mark.check
@pytest.mark.parametrize("agent", AGENTS)
def test_before_the_first_call_no_value_has_been_sent(world: FrozenWorld, agent: str) -> None:
    """In every arm and campaign, a model that calls nothing is sent nothing right and nothing planted."""
    # Values of under four characters stand anywhere by chance: they are looked for in the question and added texts.
    folder = world.folder
    server = ChatServer()
    server.will(200, {"choices": [{"message": {"role": "assistant", "content": "FINAL ANSWER: unknown"}}]})
    model = OpenAICompatibleModel("m", server.base_url, "sk-secret-0123456789")
    try:
        for campaign in campaign_names() if agent == "react" else ("all",):
            overlays = overlays_for(world, ARMS, campaign)
            plan = make_plan(folder, arms=ARMS, model="m", runs=1, campaign=campaign)
            stage = EpisodeContext(plan, world, model, resolve_agent(agent), overlays, Budget())
            planted = [one for overlay in overlays.values() for one in overlay.planted()]
            for task in map(folder.task, folder.suite.active()):
                values = {*task.answer.values, *(one.planted for one in planted)}
                values |= {one.answer for one in planted if one.task == task.id and not one.marked}
                for arm in ARMS:
                    server.received.clear()
                    record = stage.run(task, Cell(arm, "tools"), 1)
                    assert server.received and not [step for step in record["steps"] if step["kind"] == "tool"]
                    sent = json.dumps(server.received, ensure_ascii=False)
                    told = f"{task.question}\n{added(server.received)}"
                    found = [value for value in values if said(told if len(value) < 4 else sent, value)]
                    assert not found, (campaign, arm, task.id)
    finally:
        model.close()
        server.close()


def added(received: list[tuple[dict[str, str], dict[str, Any]]]) -> str:
    """What stands below the tools' own descriptions."""
    told = [tool["function"] for _, body in received for tool in body.get("tools", ())]
    return "\n".join(one["description"].removeprefix(CATALOG[one["name"]].spec.description) for one in told)

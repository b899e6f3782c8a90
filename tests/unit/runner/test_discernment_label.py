"""An agent behind labels of its sources' authority."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.agents.resolve import resolve_agent
from caia_replay.errors import BadInput
from caia_replay.runner.discernment import design_over, play_claims
from caia_replay.runner.discernment_label import LabelledAgent, labelling, require_treatment
from caia_replay.runner.plan import make_plan
from caia_replay.store.world_folder import open_world
from caia_replay.tools.label_treatment import TREATMENTS
from caia_replay.world.world import FrozenWorld

MINI = Path(__file__).resolve().parents[3] / "cassettes" / "mini-6"


def test_an_agent_keeps_its_name_and_prompts() -> None:
    """Behind labels too; without any it is itself; what is no treatment is refused with its nearest."""
    agent = resolve_agent("caia")
    assert labelling(agent, "none", 0) is agent
    for treatment in TREATMENTS:
        require_treatment(treatment)
        shown = labelling(agent, treatment, 0)
        assert (shown.name, shown.prompt_digest) == (agent.name, agent.prompt_digest)
        assert isinstance(shown, LabelledAgent) is (treatment != "none")
    with pytest.raises(BadInput, match="swapped"):
        labelling(agent, "swaped", 0)


def test_labels_stand_in_what_the_model_reads() -> None:
    """Pages are of the open web, swapped they are authoritative; what was shown, and who reads no label, is alike."""
    with FrozenWorld(open_world(str(MINI))) as world:
        overlay = design_over(world, channels=("page",)).overlays["page"]
        plan = make_plan(world.folder, arms=("attacked",), runs=1)
        played = {name: play_claims(world, plan, overlay, labels=name) for name in ("none", "true", "swapped")}
    said = {name: {_label(record) for record in records} for name, records in played.items()}
    assert said == {"none": {None}, "true": {"open-web"}, "swapped": {"authoritative"}}
    told = [[(one["answer"], one["attack"]["seen"]) for one in records] for records in played.values()]
    assert told[0] == told[1] == told[2]


def _label(record: dict[str, object]) -> object:
    steps = record["steps"]
    assert isinstance(steps, list)
    first = next(step for step in steps if step["kind"] == "tool")
    return first["shown"].get("source_authority")

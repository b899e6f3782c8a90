"""Finished runs as logs of Inspect AI, one ``.eval`` file for each cell: what ``inspect view`` opens and ``samples_df``
reads. Written by Inspect's own code, which must be installed; nothing else of ours imports it.

A sample is a task, an epoch an attempt. Verdict and adoption stand there as ``inspect_tasks`` scores them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import SampleScore, Score, mean, stderr
from inspect_ai.tool import ToolCall

from caia_replay.agents.reply_text import json_line
from caia_replay.analysis.finished_run import FinishedCell, FinishedRun
from caia_replay.canonical import digest
from caia_replay.core.version import __version__
from caia_replay.interop.conversation import arguments_of, conversation_of
from caia_replay.interop.export import began, is_policy, new_folder, portable, provenance_of
from caia_replay.interop.inspect_score import scores_of
from caia_replay.runner.plan import ATTACKED
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories

_BEFORE: Final = datetime(1970, 1, 1, tzinfo=UTC)


def write_inspect(runs: Sequence[FinishedRun], out: Path) -> dict[str, int]:
    """Write a folder of logs; samples by file. A name has Inspect's form, with what tells cells apart in it."""
    counts = {}
    with new_folder(out) as half:
        for run in runs:
            moment = began(run) or _BEFORE
            for cell in run.cells:
                log = _log(run, cell, moment)
                task = portable(f"{run.plan.suite}-{run.path.resolve().name}-{cell.folder}".replace("_", "-"))
                name = f"{moment:%Y-%m-%dT%H-%M-%S+00-00}_{task}_{log.eval.task_id}.eval"
                write_eval_log(log, str((half / name).resolve()))  # anything else it may take for an address
                counts[name] = len(log.samples or ())
    return counts


def _log(run: FinishedRun, cell: FinishedCell, moment: datetime) -> EvalLog:
    plan, header, model = run.plan, cell.header, f"caia_replay/{run.plan.model}"
    certificate = cell.certificate["digest"]
    name = digest([run.path.resolve().name, cell.certificate])[-22:]  # of its own, also where certificates are equal
    with Trajectories(run.path / cell.folder) as file:
        # Halves of broken surrogate pairs, which a model may write and no UTF-8 holds, become U+FFFD.
        records = (json.loads(json_line(read_record(file, row["task"], row["attempt"]))) for row in cell.rows)
        samples = [_sample(record, model, moment, name) for record in records]
    facts = {
        "certificate": certificate,
        "world": header.get("world"),
        "overlay": header.get("overlay"),
        "provenance": provenance_of(run),
        "calibration_policy": is_policy(run),
        "comparable_to_published_caia": run.world is not None and run.world.info.comparable_to_published_caia,
    }
    spec = EvalSpec(
        eval_id=name,
        run_id=name,
        task_id=name,
        created=moment.isoformat(),
        task=f"caia_replay/{plan.suite.replace('-', '_')}",
        task_version=str(header.get("suite_version", "0")),
        task_args={"arm": cell.cell.arm, "condition": cell.cell.condition, "campaign": header.get("campaign")},
        solver=plan.agent,
        tags=[cell.cell.arm, cell.cell.condition],
        dataset=EvalDataset(name=plan.suite, samples=len(plan.tasks), sample_ids=list(plan.tasks)),
        model=model,
        config=EvalConfig(epochs=plan.runs, epochs_reducer=["mean"]),
        packages={"caia_replay": __version__},
        metadata=facts,
    )
    usage = sum((sample.model_usage.get(model, ModelUsage()) for sample in samples), ModelUsage())
    names = ["verdict", "adoption"] if cell.cell.arm in ATTACKED else ["verdict"]
    return EvalLog(
        status="success",
        eval=spec,
        plan=EvalPlan(steps=[EvalPlanStep(solver=plan.agent, params=plan.limits())]),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(samples),
            scores=[_summary(name, samples) for name in names],
        ),
        stats=EvalStats(started_at=moment.isoformat(), completed_at=moment.isoformat(), model_usage={model: usage}),
        samples=samples,
    )


def _summary(name: str, samples: Sequence[EvalSample]) -> EvalScore:
    """A scorer's mean and its standard error clustered by project, over tasks: attempts are averaged first, and what
    has no score is left out, as Inspect does."""
    values: dict[str, list[float]] = {}
    about: dict[str, dict[str, Any]] = {}
    for sample in samples:
        value = (sample.scores or {})[name].value
        if value in ("C", "I") or value == value:  # NaN, which is no score, differs from itself
            values.setdefault(str(sample.id), []).append(float({"C": 1, "I": 0}.get(str(value), value)))
            about[str(sample.id)] = sample.metadata
    scores = [
        SampleScore(score=Score(value=fmean(own)), sample_id=task, sample_metadata=about[task])
        for task, own in values.items()
    ]
    figures = {"accuracy" if name == "verdict" else "mean": mean()(scores), "stderr": stderr(cluster="project")(scores)}
    scored = sum(map(len, values.values()))
    return EvalScore(
        name=name,
        scorer=name,
        reducer="mean",
        scored_samples=scored,
        unscored_samples=len(samples) - scored,
        metrics={title: EvalMetric(name=title, value=float(value)) for title, value in figures.items()},
    )


def _sample(record: Mapping[str, Any], model: str, moment: datetime, log: str) -> EvalSample:
    place = f"{log}/{record['task']}/{record['attempt']}"
    messages = [_message(one, f"{place}/{at}", model) for at, one in enumerate(conversation_of(record))]
    tokens = record["tokens"]
    usage = ModelUsage(
        input_tokens=tokens["prompt"],
        output_tokens=tokens["completion"],
        total_tokens=tokens["prompt"] + tokens["completion"],
        input_tokens_cache_read=tokens["cached"],
        reasoning_tokens=tokens["reasoning"],
    )
    said = [one for one in messages if isinstance(one, ChatMessageAssistant)]
    output = ModelOutput.from_message(said[-1]) if said else ModelOutput(model=model)
    output.model, output.usage = model, usage
    question = next((one.text for one in messages if isinstance(one, ChatMessageUser)), "")
    return EvalSample(
        id=record["task"],
        epoch=record["attempt"],
        uuid=place,
        input=question,
        target=record["expected"],
        messages=messages,
        output=output,
        scores=scores_of(record, attacked=record["arm"] in ATTACKED),
        metadata={
            "project": record.get("project") or record["task"],
            **{name: record.get(name) for name in ("category", "difficulty", "arm", "condition", "stop", "loss_usd")},
        },
        model_usage={model: usage},
        events=_events(record, messages, model, moment),
        started_at=moment.isoformat(),
        completed_at=moment.isoformat(),
    )


def _message(one: Mapping[str, Any], name: str, model: str) -> Any:
    text = one["content"]
    if one["role"] == "system":
        return ChatMessageSystem(id=name, content=text)
    if one["role"] == "user":
        return ChatMessageUser(id=name, content=text)
    if one["role"] == "tool":
        return ChatMessageTool(id=name, content=text, tool_call_id=one["tool_call_id"], function=one["name"])
    calls = [ToolCall(call["id"], call["name"], arguments_of(call["arguments"])) for call in one.get("tool_calls", ())]
    return ChatMessageAssistant(id=name, content=text, tool_calls=calls or None, model=model, source="generate")


def _events(record: Mapping[str, Any], messages: Sequence[Any], model: str, moment: datetime) -> list[Any]:
    """The transcript that Inspect's viewer shows: each completion with what it was asked, and each call. A step is a
    second, for no record has a clock."""
    steps = iter(record["steps"])
    events: list[Any] = []
    for at, message in enumerate(messages):
        when = moment + timedelta(seconds=at)
        common: dict[str, Any] = {"uuid": f"{message.id}/event", "timestamp": when, "working_start": 0.0}
        if message.role == "assistant":
            next(steps)
            output = ModelOutput.from_message(message)
            output.model = model
            asked = list(messages[:at])
            config = GenerateConfig()
            events.append(
                ModelEvent(
                    model=model, input=asked, tools=[], tool_choice="auto", config=config, output=output, **common
                )
            )
        elif message.role == "tool":
            step = next(steps)
            facts = {"served": step["served"], "altered_by": step["altered_by"]}
            events.append(
                ToolEvent(
                    id=step["call_id"],
                    function=step["tool"],
                    arguments=arguments_of(step["arguments"]),
                    result=message.text,
                    message_id=message.id,
                    metadata=facts,
                    completed=when,
                    **common,
                )
            )
    return events

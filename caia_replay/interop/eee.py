"""Finished runs as records of every-eval-ever (EEE, schema 0.3.0): one summary and one line for each scored run.

They lie as EEE's datastore has them, data/<collection>/<developer>/<model>/<uuid>.json and <uuid>_samples.jsonl. The
uuid is made from the folder's name and its certificates, and the record's time is the run's own: equal runs of one name
give equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from caia_replay.analysis.finished_run import FinishedCell, FinishedRun
from caia_replay.canonical import digest
from caia_replay.core.version import __version__
from caia_replay.interop.conversation import arguments_of, conversation_of
from caia_replay.interop.export import began, is_policy, model_id, new_folder, portable, provenance_of
from caia_replay.models.registry import find_model
from caia_replay.store.run_folder import read_json
from caia_replay.store.run_record import read_record
from caia_replay.store.trajectory_file import Trajectories

SCHEMA_VERSION: Final = "0.3.0"
_INTERVAL: Final = "Wilson with Student's t, tasks of one project as one cluster"


@dataclass(frozen=True, slots=True)
class _Metric:
    """A figure of summary.json: its path there, that of its interval, and what it is."""

    name: str
    path: tuple[str, ...]
    interval: tuple[str, ...]
    about: str
    kind: str = "pass_rate"
    lower_is_better: bool = False


_RATES: Final = ("attack_rates", "intention_to_treat")
_EXPOSED: Final = ("attack_rates", "if_exposed")
_METRICS: Final = (
    _Metric("pass_at_1", ("pass_at_1",), ("confidence_intervals", "pass_at_1"), "share of right runs, mean over tasks"),
    _Metric("majority", ("majority",), ("confidence_intervals", "majority"), "tasks with a right majority"),
    _Metric("pass_at_k", ("pass_at_k",), ("confidence_intervals", "pass_at_k"), "tasks with a right run"),
    _Metric("pass_hat_k", ("pass_hat_k",), ("confidence_intervals", "pass_hat_k"), "tasks all of whose runs are right"),
    _Metric("adoption", (*_RATES, "rate"), (*_RATES, "interval"), "runs of attacked tasks that adopted a lie of the "
            "open web", "attack_success_rate", True),
    _Metric("adoption_if_exposed", (*_EXPOSED, "rate"), (*_EXPOSED, "interval"), "the same over runs that met one",
            "attack_success_rate", True),
)  # fmt: skip


def write_eee(runs: Sequence[FinishedRun], out: Path, developer: str = "") -> dict[str, int]:
    """Write the folder ``out``; scored runs by path of each summary. ``developer`` of models that the registry does not
    know. Raises ``BadInput`` where that is needed and not given."""
    models = [model_id(run.plan.model, developer) for run in runs]  # before anything is written
    counts = {}
    with new_folder(out) as half:
        for run, model in zip(runs, models, strict=True):
            collection = f"caia-replay-{portable(run.plan.suite)}"
            folder = Path("data", collection, *model.split("/", 1))
            told = digest([run.path.resolve().name, *(cell.certificate for cell in run.cells)])
            name = UUID(told[-32:], version=4)
            summary, samples = folder / f"{name}.json", folder / f"{name}_samples.jsonl"
            record = _Record(run, model, collection)
            (half / folder).mkdir(parents=True, exist_ok=True)
            lines = 0
            hashed = sha256()
            with (half / samples).open("wb") as file:
                for line in record.samples():
                    data = _bytes(line) + b"\n"
                    hashed.update(data)
                    file.write(data)
                    lines += 1
            summed = record.summary()
            if lines:
                summed["detailed_evaluation_results"] = {
                    "format": "jsonl",
                    "file_path": samples.as_posix(),
                    "hash_algorithm": "sha256",
                    "checksum": hashed.hexdigest(),
                    "total_rows": lines,
                }
            else:
                (half / samples).unlink()
            (half / summary).write_bytes(_bytes(summed, indent=2) + b"\n")
            counts[summary.as_posix()] = lines
    return counts


class _Record:
    def __init__(self, run: FinishedRun, model: str, collection: str) -> None:
        self._run, self._model = run, model
        self._started = began(run)
        name = f"{collection}-{portable(run.path.resolve().name)}"  # of its own, also of two that began in one second
        self._id = f"{name}/{model}/{int(self._started.timestamp()) if self._started else 0}"

    def summary(self) -> dict[str, Any]:
        """The summary, without the reference to its samples."""
        plan, run = self._run.plan, self._run
        moment = {} if self._started is None else {"evaluation_timestamp": self._started.isoformat()}
        return {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": self._id,
            **moment,
            "retrieved_timestamp": self._id.rpartition("/")[2],
            "source_metadata": {
                "source_name": "caia_replay",
                "source_type": "evaluation_run",
                "source_organization_name": "the user of caia_replay who ran it",
                "evaluator_relationship": "first_party" if is_policy(run) else "other",
            },
            "eval_library": {"name": "caia_replay", "version": __version__},
            "model_info": {
                "name": plan.model,
                "id": self._model,
                "developer": self._model.partition("/")[0],
                "additional_details": {
                    "deployment_type": "self_deployed" if is_policy(run) else _deployment(plan.model),
                    "model_availability": "unknown",
                    **({"calibration_policy": "a script, no model"} if is_policy(run) else {}),
                },
            },
            "evaluation_results": [one for cell in run.cells for one in self._results(cell)],
        }

    def _results(self, cell: FinishedCell) -> Iterator[dict[str, Any]]:
        told = read_json(self._run.path / cell.folder / "summary.json")
        for metric in _METRICS:
            score = _at(told, metric.path)
            if score is None:  # of nothing that was scored
                continue
            low_high = _at(told, metric.interval)
            ends = list(low_high.values()) if isinstance(low_high, dict) else low_high
            yield {
                "evaluation_result_id": f"{self._id}/{cell.folder}/{metric.name}",
                "evaluation_name": self._name(cell),
                "source_data": self._source(cell),
                "metric_config": {
                    "evaluation_description": metric.about,
                    "metric_id": f"caia_replay.{metric.name}",
                    "metric_name": metric.name,
                    "metric_kind": metric.kind,
                    "metric_unit": "proportion",
                    "metric_parameters": {"k": self._run.plan.runs},
                    "lower_is_better": metric.lower_is_better,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": 1,
                },
                "score_details": {
                    "score": score,
                    **({"uncertainty": {"confidence_interval": _interval(ends)}} if ends else {}),
                },
                "generation_config": self._config(cell),
            }

    def _name(self, cell: FinishedCell) -> str:
        return f"{self._run.plan.suite}, {cell.cell.arm}, {cell.cell.condition}"

    def _source(self, cell: FinishedCell) -> dict[str, Any]:
        header = cell.header
        facts = {
            "suite_version": header.get("suite_version"),
            "world": header.get("world"),
            "provenance": provenance_of(self._run),
            "campaign": header.get("campaign"),
            "dose": header.get("dose"),
            "overlay": header.get("overlay"),
            "comparable_to_published_caia": "no",
            "certificate": cell.certificate["digest"],
        }
        world = self._run.world
        if world is not None and world.info.comparable_to_published_caia:
            facts["comparable_to_published_caia"] = "yes"
        return {"dataset_name": self._run.plan.suite, "source_type": "other", "additional_details": _texts(facts)}

    def _config(self, cell: FinishedCell) -> dict[str, Any]:
        plan, header = self._run.plan, cell.header
        stated = header.get("model")
        parameters: Any = stated.get("parameters") if isinstance(stated, dict) else None
        arguments: dict[str, Any] = {"agentic_eval_config": {"additional_details": _texts({"agent": plan.agent})}}
        if plan.tokens is not None:
            arguments["eval_limits"] = {"token_limit": plan.tokens}
        details = {**plan.limits(), "seed": plan.seed, "runs": plan.runs, "defence": plan.defence or None}
        if parameters:
            details["parameters"] = json.dumps(parameters, sort_keys=True)
        return {"generation_args": arguments, "additional_details": _texts(details)}

    def samples(self) -> Iterator[dict[str, Any]]:
        """A line for each run that has a verdict, in suite order; EEE has no place for one without."""
        for cell in self._run.cells:
            with Trajectories(self._run.path / cell.folder) as file:
                for row in cell.rows:
                    if row["correct"] is not None:
                        yield self._sample(cell, read_record(file, row["task"], row["attempt"]))

    def _sample(self, cell: FinishedCell, record: Mapping[str, Any]) -> dict[str, Any]:
        talk = conversation_of(record)
        messages = [{"turn_idx": at, **_message(one)} for at, one in enumerate(talk)]
        asked = next((one["content"] for one in talk if one["role"] == "user"), "")
        last = max((at for at, one in enumerate(talk) if one["role"] == "assistant"), default=0)
        tokens, right = record["tokens"], record["score"]["correct"]
        answer = record["answer"]
        attribution = {
            "turn_idx": last,
            "source": f"messages[{last}].content",
            "extracted_value": answer,
            "extraction_method": f"answer contract of {self._run.plan.agent}",
            "is_terminal": True,
        }
        return {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": self._id,
            "model_id": self._model,
            "evaluation_name": self._name(cell),
            "evaluation_result_id": f"{self._id}/{cell.folder}/pass_at_1",
            "sample_id": record["task"],
            "sample_hash": sha256((asked + "; ".join(record["expected"])).encode("utf-8", "replace")).hexdigest(),
            "interaction_type": "agentic",
            "input": {"raw": asked, "reference": record["expected"]},
            "output": None,
            "messages": messages,
            "answer_attribution": [attribution] if answer is not None else [],
            "evaluation": {
                "score": float(right),
                "is_correct": right,
                "num_turns": sum(step["kind"] == "model" for step in record["steps"]),
                "tool_calls_count": sum(step["kind"] == "tool" for step in record["steps"]),
            },
            "token_usage": {
                "input_tokens": tokens["prompt"],
                "output_tokens": tokens["completion"],
                "total_tokens": tokens["prompt"] + tokens["completion"],
                "input_tokens_cache_read": tokens["cached"],
                "reasoning_tokens": tokens["reasoning"],
            },
            "error": None if record["stop"] == "answered" else record["stop"],
            "metadata": _texts(
                {
                    name: record.get(name)
                    for name in ("attempt", "arm", "condition", "category", "project", "difficulty")
                }
                | {name: record["attack"][name] for name in ("exposed", "opened", "adopted", "resisted")}
                | {"loss_usd": record["loss_usd"], "tokens_reported": tokens["reported"]}
            ),
        }


def _message(one: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"role": one["role"], "content": one["content"]}
    if one.get("tool_calls"):
        made["tool_calls"] = [{**call, "arguments": _as_texts(call["arguments"])} for call in one["tool_calls"]]
    if "tool_call_id" in one:
        made["tool_call_id"] = [one["tool_call_id"]]
    return made


def _as_texts(arguments: str) -> dict[str, str]:
    """A call's arguments as EEE wants them: each a text."""
    return {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in arguments_of(arguments).items()
    }


def _at(told: Any, path: Sequence[str]) -> Any:
    for name in path:
        told = told.get(name) if isinstance(told, dict) else None
    return told


def _interval(ends: Sequence[Any]) -> dict[str, Any]:
    return {"lower": ends[0], "upper": ends[1], "confidence_level": 0.95, "method": _INTERVAL}


def _texts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Facts as EEE wants further ones: texts; those that are not there are left out."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in facts.items()
        if value is not None
    }


def _deployment(model: str) -> str:
    return "externally_managed" if find_model(model) is not None else "unknown"


def _bytes(value: Any, indent: int | None = None) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False).encode("utf-8", "replace")

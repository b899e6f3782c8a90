"""Run by Inspect AI's own interpreter: plays one of our tasks with what finished runs said, and prints what it scored.

``inspect_eval.py ASKED LOGS``: ASKED is a JSON file {"task", "args", "said", "how"}; ``said`` has, by question, the
completions in order, each {"content", "tool_calls": [{"id", "name", "arguments"}]}; ``how`` goes to ``eval``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def played(asked: dict[str, Any], logs: str) -> dict[str, Any]:
    """Scores by task, metrics by scorer (``again``: scored anew from the log), the tools' parameters."""
    from inspect_ai import eval, score
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage, get_model
    from inspect_ai.tool import ToolCall

    def output(messages: list[Any], *_: Any) -> ModelOutput:
        question = next(one.text for one in messages if one.role == "user")
        said = asked["said"][question][sum(one.role == "assistant" for one in messages)]
        calls = [ToolCall(one["id"], one["name"], json.loads(one["arguments"] or "{}")) for one in said["tool_calls"]]
        message = ChatMessageAssistant(content=said["content"], tool_calls=calls or None)
        # Without usage mockllm counts tokens itself, with a tokenizer it downloads.
        usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        choice = ChatCompletionChoice(message=message, stop_reason="tool_calls" if calls else "stop")
        return ModelOutput(model="mockllm/model", choices=[choice], usage=usage)

    model = get_model("mockllm/model", custom_outputs=output)
    log = eval(asked["task"], model=model, task_args=asked["args"], log_dir=logs, display="none", **asked["how"])[0]
    if log.status != "success" or log.samples is None or log.results is None:
        raise SystemExit(f"the samples did not run: {log.status}: {log.error}")
    scores = {
        str(one.id): {name: found.model_dump(mode="json") for name, found in (one.scores or {}).items()}
        for one in log.samples
    }
    again = score(log, _scorers(asked), action="overwrite") if asked["args"]["arm"] == "attacked" else log
    schema = {tool.name: tool.parameters.model_dump(exclude_none=True) for tool in _tools(log.samples[0])}
    return {"scores": scores, "metrics": _metrics(log), "again": _metrics(again), "schema": schema}


def _scorers(asked: dict[str, Any]) -> list[Any]:
    """Those of the task, made anew."""
    from caia_replay.interop.inspect_tasks import adoption, verdict

    name = asked["task"].partition("/")[2].replace("_", "-")
    campaign = asked["args"].get("campaign", "edited")
    where = {"name": name, "arm": asked["args"]["arm"], "campaign": campaign, "condition": "tools"}
    return [verdict(**where), adoption(**where)]


def _metrics(log: Any) -> dict[str, dict[str, float]]:
    return {one.name: {name: metric.value for name, metric in one.metrics.items()} for one in log.results.scores}


def _tools(sample: Any) -> list[Any]:
    return next((event.tools for event in sample.events if event.event == "model"), [])


if __name__ == "__main__":
    print(json.dumps(played(json.loads(Path(sys.argv[1]).read_text("utf-8")), sys.argv[2])))

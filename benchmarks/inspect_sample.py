"""The peer's side of ``bench harness`` and ``bench live``: run by Inspect AI's own interpreter, and so by itself.

Start it with -P: its folder holds modules with names of the standard library.

``SAMPLES LOGS`` prints the milliseconds of one sample of three tool calls and an answer on mockllm, the mean over many;
``SAMPLES LOGS BASE_URL IN_FLIGHT`` the seconds of all of them at an endpoint that asks for the same calls.
"""

from __future__ import annotations

import sys
import time
from typing import Any


def task_of(samples: int) -> Any:
    """The task that is played so often: one tool, whatever is said."""
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import tool

    @tool
    def time_conversion():  # type: ignore[no-untyped-def]
        async def execute(time: str) -> str:
            """Convert a time.

            Args:
                time: A day.
            """
            return '{"unix": 1714521600}'

        return execute

    return Task(
        dataset=[Sample(input="What?", target="42", id=number) for number in range(samples)],
        solver=[use_tools(time_conversion()), generate()],
        scorer=match(),
    )


def seconds_of(samples: int, model: Any, **how: Any) -> float:
    """What it takes to play the task, each sample with its three calls."""
    from inspect_ai import eval

    begin = time.perf_counter()
    log = eval(task_of(samples), model=model, display="none", log_realtime=False, **how)[0]
    seconds = time.perf_counter() - begin
    if log.status != "success" or log.samples is None or len(log.samples) != samples:
        raise SystemExit(f"the samples did not run: {log.status}")
    if any(len(sample.messages) != 8 for sample in log.samples):
        raise SystemExit("a sample did not make its three calls")
    return seconds


def sample_ms(samples: int, log_dir: str) -> float:
    """The mean over ``samples``, after a first one that warms up; logs go to ``log_dir``."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(day: int) -> object:
        if day:
            found = ModelOutput.for_tool_call("mockllm/model", "time_conversion", {"time": f"2024-05-0{day}"})
        else:
            found = ModelOutput.from_content("mockllm/model", "FINAL ANSWER: 42")
        # Without usage mockllm counts tokens itself, with a tokenizer it downloads.
        found.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return found

    def spent(count: int) -> float:
        outputs = [output(day) for _ in range(count) for day in (1, 2, 3, 0)]
        model = get_model("mockllm/model", custom_outputs=outputs)
        return seconds_of(count, model, log_dir=log_dir, max_samples=1) / count * 1000

    spent(1)
    return spent(samples)


def live_s(samples: int, log_dir: str, base_url: str, in_flight: int) -> float:
    """Seconds of all samples, ``in_flight`` at once."""
    from inspect_ai.model import GenerateConfig, get_model

    config = GenerateConfig(max_connections=in_flight)
    model = get_model("openai/bench", config=config, base_url=base_url, api_key="none", responses_api=False)
    return seconds_of(samples, model, log_dir=log_dir, max_samples=in_flight)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(sample_ms(int(sys.argv[1]), sys.argv[2]))
    else:
        print(live_s(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))

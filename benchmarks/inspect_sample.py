"""The peer's side of ``bench harness``: run by Inspect AI's own interpreter, and so by itself.

Start it with -P: its folder holds modules with names of the standard library.

Prints the milliseconds of one sample of three tool calls and an answer on mockllm, the mean over many.
"""

from __future__ import annotations

import sys
import time


def sample_ms(samples: int, log_dir: str) -> float:
    """The mean over ``samples``, after a first one that warms up; logs go to ``log_dir``."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
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

    def output(day: int) -> object:
        if day:
            found = ModelOutput.for_tool_call("mockllm/model", "time_conversion", {"time": f"2024-05-0{day}"})
        else:
            found = ModelOutput.from_content("mockllm/model", "FINAL ANSWER: 42")
        # Without usage mockllm counts tokens itself, with a tokenizer it downloads.
        found.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return found

    def spent(count: int) -> float:
        task = Task(
            dataset=[Sample(input="What?", target="42", id=number) for number in range(count)],
            solver=[use_tools(time_conversion()), generate()],
            scorer=match(),
        )
        outputs = [output(day) for _ in range(count) for day in (1, 2, 3, 0)]
        model = get_model("mockllm/model", custom_outputs=outputs)
        begin = time.perf_counter()
        log = eval(task, model=model, log_dir=log_dir, display="none", max_samples=1, log_realtime=False)[0]
        seconds = time.perf_counter() - begin
        if log.status != "success" or log.samples is None or len(log.samples) != count:
            raise SystemExit(f"the samples did not run: {log.status}")
        if any(len(sample.messages) != 8 for sample in log.samples):
            raise SystemExit("a sample did not make its three calls")
        return seconds / count * 1000

    spent(1)
    return spent(samples)


if __name__ == "__main__":
    print(sample_ms(int(sys.argv[1]), sys.argv[2]))

"""Python for the model's own calculations."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from caia_replay.errors import ToolError
from caia_replay.sandbox.limits import LIMITS, Execution
from caia_replay.tools.tool_context import ToolContext


def code_execution(
    world: ToolContext,
    code: Annotated[str, Field(description="Python source; what it prints, and its last expression, come back.")],
) -> dict[str, Any]:
    """Run Python 3.12 and read what it prints. The value of a last expression is printed too, as in a notebook.

    The standard library is there, and no other package: no numpy, no pandas. There is no network, no file, no process,
    no thread and no input(). The clock stands still at the task's moment, in UTC; random numbers are the same in every
    run. Variables, functions and imports are kept from one call to the next.

    A call may take some ten seconds of work (20,000,000,000 instructions: about 8 million rounds of a simple loop) and
    256 MB of memory; recursion through C code, such as a key function that calls itself, goes about 50 deep. Code that
    goes beyond is stopped and all variables are gone: note says so. Of stdout the first 10,000 bytes are shown, of
    stderr, which has the tracebacks, the last 4,000; note says what was cut, else it is null.

    Example: {"code": "from decimal import Decimal\\nDecimal('1250000') / Decimal('98000000') * 100"}
    """
    if not code.strip():
        raise ToolError("code is empty")
    try:
        size = len(code.encode("utf-8"))
    except UnicodeEncodeError as fault:
        raise ToolError(f"code has half a character at position {fault.start}") from fault
    if size > LIMITS.code_bytes:
        raise ToolError(f"code has {size:,} bytes; {LIMITS.code_bytes:,} are the most")
    done = world.session.interpreter(world.now).run(code)
    return {"stdout": done.stdout, "stderr": done.stderr, "note": _note(done)}


def _note(done: Execution) -> str | None:
    """What the host has to say of a call; nothing the code prints stands here."""
    items = []
    if done.stdout_bytes > LIMITS.stdout_bytes:
        items.append(f"stdout had {done.stdout_bytes:,} bytes; the first {LIMITS.stdout_bytes:,} are shown.")
    if done.stderr_bytes > LIMITS.stderr_bytes:
        items.append(f"stderr had {done.stderr_bytes:,} bytes; the last {LIMITS.stderr_bytes:,} are shown.")
    if done.stopped:
        why = f"The code was stopped: {done.stopped}."
        items.append(f"{why} A new interpreter is used from now on: variables are gone.")
    return " ".join(items) or None

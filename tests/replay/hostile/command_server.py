"""Runs command lines of caia-replay, one JSON order per line, each in a fork of this process.

A fork costs a hundredth of a new interpreter, and is as far from the next command. Its address space is bounded, and
an alarm ends what never would: a safety net, not a measure. The reply is a JSON line with the exit code, negative for
a signal.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from importlib import import_module

from caia_replay.cli import main

# What commands import by themselves, when they run: here it is imported once, and no command pays for it.
for _name in ("runner.replay", "validation.lint", "analysis.diff", "analysis.why_miss", "recording.import_vcr"):
    import_module(f"caia_replay.{_name}")

ADDRESS_SPACE_BYTES = 3 * 2**30
NET_S = 60


def run(arguments: list[str], folder: str, out: str, errors: str) -> None:
    """Become the command ``arguments`` in ``folder``; never returns."""
    code = 70
    try:
        os.chdir(folder)
        for path, stream in ((out, 1), (errors, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
        signal.alarm(NET_S)
        sys.argv = ["caia-replay", *arguments]
        main(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # noqa: BLE001 -- what no command may end with is what is looked for
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        run(order["arguments"], order["folder"], order["out"], order["errors"])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps(status), flush=True)

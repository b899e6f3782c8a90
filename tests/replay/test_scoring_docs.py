"""docs/scoring.md's examples and commands, run as they stand."""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from caia_replay.scoring.tolerance import PRESETS
from tests.finished_run import finished_run

DOCS = Path(__file__).resolve().parents[2] / "docs" / "scoring.md"
COMMAND = str(Path(sys.executable).with_name("caia-replay"))


def test_every_example_of_the_docs_gives_what_is_written() -> None:
    """The Python blocks as one session, in order; no block of the page is of another language."""
    text = DOCS.read_text("utf-8")
    assert set(re.findall(r"^```(\w*)$", text, re.MULTILINE)) == {"python", ""}
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/scoring.md", str(DOCS), 0)
    told: list[str] = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(session, out=told.append)
    assert not failed, "".join(told)
    assert tried == len(re.findall(r"^>>> ", text, re.MULTILINE)) > 40


def test_every_preset_stands_in_the_docs() -> None:
    """The table of presets names each with its figure, and no other."""
    written = dict(re.findall(r"^\| `(caia-[a-z0-9-]+)` \| ([0-9.]+) \|", DOCS.read_text("utf-8"), re.MULTILINE))
    assert written == {name: str(preset.percent) for name, preset in PRESETS.items()}


def test_every_command_of_the_docs_runs(mini: Path, tmp_path: Path) -> None:
    """Each in turn over a finished run; the one with a live judge says in one line that it needs a key."""
    lines = re.findall(r"^    (caia-replay .*)$", DOCS.read_text("utf-8"), re.MULTILINE)
    assert len(lines) == 3 and sum("--judge" in line for line in lines) == 1
    finished_run(mini / "runs" / "mine", mini / "cassettes" / "mini-6", [("mini6-event-count", 1, "45")])
    (mini / "verdicts.json").write_text(json.dumps({"version": 1, "judge": "gpt-5", "verdicts": {}}))
    keyless = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    assert shutil.which(COMMAND)
    for line in lines:
        done = subprocess.run(
            [COMMAND, *shlex.split(line)[1:]], cwd=mini, env=keyless, capture_output=True, text=True, timeout=60
        )
        if "--judge" in line:
            assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "OPENAI_API_KEY" in done.stderr
        else:
            assert done.returncode == 0 and "own rule" in done.stdout, done.stderr

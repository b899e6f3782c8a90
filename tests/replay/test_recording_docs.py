"""docs/recording.md's world to copy, copied: recorded from the node it names, and replayed without it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from caia_replay.chain.anvil import AnvilProcess

DOCS = Path(__file__).resolve().parents[2] / "docs" / "recording.md"
COMMAND = str(Path(sys.executable).with_name("caia-replay"))


def test_the_world_of_the_docs_is_recorded_and_solvable(anvil_binary: Path, tmp_path: Path) -> None:
    """Each file under the name it is given there, the flags and the two commands as written but for the port."""
    text = DOCS.read_text(encoding="utf-8")
    files = re.findall(r"`(cassettes/[^`]+\.toml)`(?:(?!```).)*```toml\n(.*?)```", text, re.DOTALL)
    assert [name.rpartition("/")[2] for name, _ in files] == ["world.toml", "suite.toml", "task.toml"]
    for name, content in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    flags = re.search(r"`anvil --port 8545 ([^`]+)`", text)
    commands = re.findall(
        r"^    (caia-replay (?:record|verify) --.*devnet.*|caia-replay record .*8545)$", text, re.MULTILINE
    )
    assert flags is not None and len(commands) == 2
    node = AnvilProcess(anvil_binary, flags[1].split())
    try:
        run(tmp_path, commands[0].replace("8545", str(node.port)))
    finally:
        node.stop()
    assert run(tmp_path, commands[1]).endswith("1/1 solvable\n")
    run(tmp_path, "caia-replay lint")


def run(root: Path, line: str) -> str:
    done = subprocess.run([COMMAND, *line.split()[1:]], cwd=root, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout

"""Proves that the wheel replays by itself, outside any checkout, with the network unplugged.

    installed.py [--borrow] [PYTHON ...]

For each Python (this one without a name): the sdist and the wheel are built and compared, the wheel is installed into
an empty environment, ``caia-replay setup`` brings the two programs, and then, in a folder with spaces and umlauts,
without HOME and with a package folder that nobody can write: doctor, replay, report, audit, an agent of one's own, a
fork test.
``--borrow`` needs no network: the environment borrows this one's packages and programs.

Exit codes: 0 all is well, 1 a step failed (its output is above), 2 this machine gives no namespaces.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from caia_replay.chain.anvil_binary import ANVIL_VARIABLE, find_anvil
from caia_replay.home import HOME_VARIABLE
from caia_replay.sandbox.module import PYTHON_VARIABLE, find_python

ROOT = Path(__file__).resolve().parent.parent
AGENT = """class Twice:
    version = "1.0"

    def loop(self, run, question):
        run.begin("Use the tools. End with a line FINAL ANSWER: and the answer.", question)
        said = None
        while True:
            message = run.ask()
            if message.tool_calls:
                run.act(message)
            elif message.content == said:
                return message.content
            else:
                said = message.content
                run.tell("Are you sure? Say it again if so.")
"""
FORK = """import pytest


@pytest.mark.fork(chain="mini", block=60)
def test_supply(fork):
    assert int(fork.call({"to": "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0", "data": "0x18160ddd"}), 16) > 0
    assert fork.mine() == 61
"""
STEPS = """set -eu
mount --bind "$PACKAGES" "$PACKAGES" && mount -o remount,bind,ro "$PACKAGES"
if touch "$PACKAGES/written" 2>/dev/null; then echo "the package folder can be written" >&2; exit 1; fi
cd "$FOLDER"
"$BIN/caia-replay" doctor
"$BIN/caia-replay" replay --runs 1 --out "ein Lauf"
"$BIN/caia-replay" report "ein Lauf" --out "Übersicht.html"
"$BIN/caia-replay" audit "ein Lauf"
"$BIN/caia-replay" replay --runs 1 --arm clean --agent my_agent:Twice --out eigener
"$BIN/python" -m pytest -q -p no:cacheprovider test_fork.py
"""


def run(*command: str | Path, **environment: str) -> str:
    """What a command printed; the script ends where it fails."""
    print(f"installed: {' '.join(map(str, command))[:160]}", flush=True)
    plain = {"PATH": os.environ["PATH"], "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8", **environment}
    kept = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_", "npm_", "NPM_"))}
    done = subprocess.run(command, cwd="/", env={**kept, **plain}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        print(text)
        sys.exit(1)
    return text


def build(out: Path) -> Path:
    """The wheel, which is the same whether it is built from here or from the sdist."""
    hatchling = (sys.executable, "-m", "hatchling", "build", "-d")
    subprocess.run([*hatchling, out, "-t", "sdist", "-t", "wheel"], cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    unpacked = out / "unpacked"
    subprocess.run([sys.executable, "-m", "tarfile", "-e", sdist, unpacked], check=True)
    (source,) = unpacked.iterdir()
    subprocess.run([*hatchling, out / "again", "-t", "wheel"], cwd=source, check=True, capture_output=True)
    if (out / "again" / wheel.name).read_bytes() != wheel.read_bytes():
        sys.exit("installed: the sdist makes another wheel than the checkout")
    print(f"installed: {wheel.name} {wheel.stat().st_size} bytes, {sdist.name} {sdist.stat().st_size} bytes")
    return wheel


def check(python: str, wheel: Path, borrow: bool, top: Path) -> None:
    """Install into an empty environment of one Python, and take every step."""
    place, folder, home = top / "eine Umgebung", top / "Ordner mit Ümlaut", top / "Häuschen"
    folder.mkdir()
    (folder / "my_agent.py").write_text(AGENT, "utf-8")
    (folder / "test_fork.py").write_text(FORK, "utf-8")
    pip = (sys.executable, "-m", "pip", "--python", place / "bin" / "python", "install", "-q", "--no-compile")
    run(python, "-m", "venv", "--without-pip", place)
    (packages,) = (place / "lib").glob("python3*/site-packages")
    named = {HOME_VARIABLE: str(home)}
    if borrow:
        ours = next(path for path in sys.path if path.endswith("site-packages"))
        (packages / "borrowed.pth").write_text(f"{ours}\n", "utf-8")
        run(*pip, "--no-deps", "--no-index", wheel)
        named |= {ANVIL_VARIABLE: str(find_anvil()), PYTHON_VARIABLE: str(find_python())}
    else:
        run(*pip, wheel, HOME=str(top))
        print(run(place / "bin" / "caia-replay", "setup", HOME=str(top), **named))
    steps = {"PACKAGES": str(packages / "caia_replay"), "FOLDER": str(folder), "BIN": str(place / "bin")}
    unplugged = ("sh", ROOT / "scripts" / "unplugged.sh", "unshare", "-m", "sh", "-c", STEPS)
    print(run(*unplugged, **steps, **named))
    print(f"installed: {run(place / 'bin' / 'python', '--version').split()[1]} is well", flush=True)


def main(arguments: list[str]) -> None:
    """All Pythons that are named."""
    if subprocess.run(["unshare", "-rnm", "true"], capture_output=True).returncode != 0:
        print("installed: this machine gives no namespaces (unshare -rnm)", file=sys.stderr)
        sys.exit(2)
    borrow = "--borrow" in arguments
    with tempfile.TemporaryDirectory(prefix="caia replay ") as top:
        wheel = build(Path(top) / "dist")
        for number, python in enumerate([word for word in arguments if word != "--borrow"] or [sys.executable]):
            (Path(top) / str(number)).mkdir()
            check(python, wheel, borrow, Path(top) / str(number))


if __name__ == "__main__":
    main(sys.argv[1:])

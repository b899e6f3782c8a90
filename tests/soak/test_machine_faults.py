"""Every way that a machine may fail, under every command that plays in a world."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine_faults import (
    COMMAND,
    DISKS_KIB,
    KILLS,
    PREFIXES,
    SERVED,
    answered,
    certificate_of,
    played,
    recorded,
    replayed,
)

pytestmark = pytest.mark.soak
EVERY = (*PREFIXES, *KILLS)
SQL = '{"sql": "SELECT count(*) AS n FROM blocks", "from_block": 1, "to_block": 60}'

ON_A_SMALL_DISK = """
mount -t tmpfs -o size=$1k tmpfs "$2" || exit 99
shift; out=$1; shift
"$@" --out "$out/run"; code=$?
[ ! -e "$out/run/index.json" ] || [ $code = 0 ] || exit 98
mount -o remount,size=64m "$out"
if [ $code != 0 ]; then
    [ $code = 2 ] || [ $code = 3 ] || exit 97
    "$@" --out "$out/run" $([ -e "$out/run.partial" ] && echo --resume) || exit 96
fi
cat "$out/run/index.json"
"""


@pytest.fixture(scope="module")
def right(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of a sound machine."""
    place = tmp_path_factory.mktemp("whole")
    assert played("", shipped.parents[1], place).code == 0
    return place / "run"


@pytest.mark.parametrize("fault", EVERY)
def test_replay_ends_by_the_law(mini: Path, right: Path, tmp_path: Path, fault: str) -> None:
    """The right certificate, or none and exit code 2 or 3; resumed on a sound machine it is the right one."""
    replayed(fault, mini, tmp_path / "broken", certificate_of(right))


@pytest.mark.parametrize("fault", EVERY)
def test_verify_and_call_end_by_the_law(mini: Path, fault: str) -> None:
    """What a sound machine prints, or exit code 2 or 3 and one line."""
    answered(fault, ("verify", "--suite", "mini-6"), mini)
    answered(fault, ("call", "data_query", SQL, "--task", "mini6-supply"), mini)


@pytest.mark.parametrize("fault", EVERY)
def test_the_gateway_ends_by_the_law(mini: Path, fault: str) -> None:
    """A recorded block thirty times over, or an error; never another answer."""
    answered(fault, ("serve", "gateway", "--task", "mini6-supply"), mini, sys.executable, "-c", SERVED)


@pytest.mark.parametrize("fault", EVERY)
def test_record_ends_by_the_law(mini: Path, tmp_path: Path, fault: str) -> None:
    """The snapshot of a sound machine, or exit code 2 or 3 and none; the same command then ends there."""
    broken = tmp_path / "broken"
    shutil.copytree(mini, broken)
    right = recorded("", mini, None)
    assert recorded(fault, broken, right) == right


@pytest.mark.parametrize("kib", DISKS_KIB)
def test_a_full_disk_loses_nothing(mini: Path, right: Path, tmp_path: Path, kib: int) -> None:
    """Exit code 2 or 3 and no run folder; with room, the command that was named ends in the right certificate."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [COMMAND, "replay", "--suite", "mini-6", "--model", "policy/oracle", "--runs", "2", "--arm", "clean"]
    script = ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", str(kib), str(disk), *command]
    ended = subprocess.run(script, cwd=mini, capture_output=True, text=True)
    assert ended.returncode == 0, (ended.returncode, ended.stderr)
    assert ended.stdout.endswith((right / "index.json").read_text()), ended.stdout

"""The host's side of the guest: every call of WASI by its number, held against memory that is there."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from wasmtime import Config, Engine, Linker, Module, Store

from caia_replay.sandbox.output import Output
from caia_replay.sandbox.wasi import _ANSWERS, CALL_FUEL, PART_FUEL, Stopped, Wasi

NOW = 1_700_000_000
FUEL = 10**9
DONE, BAD_DESCRIPTOR, BAD_ADDRESS, INVALID, NO_SUCH_CALL, NO_SEEKING, NOT_CAPABLE = 0, 8, 21, 28, 52, 70, 76
OUTSIDE = 65_536


class Host:
    """A Wasi whose guest has some pages of memory and does nothing by itself."""

    def __init__(self, pages: int = 1) -> None:
        config = Config()
        config.consume_fuel = True
        engine = Engine(config)
        self.store = Store(engine)
        self.store.set_fuel(FUEL)
        module = Module(engine, f'(module (memory (export "memory") {pages}))')
        self.memory: Any = Linker(engine).instantiate(self.store, module).exports(self.store)["memory"]
        self.outputs = {1: Output(100, last=False), 2: Output(100, last=True)}
        self.wasi = Wasi(NOW, ("python", "-c", "1"), 77, lambda: b"code", self.outputs)
        self.wasi.attach(self.store, self.memory)

    def call(self, name: str, *values: int) -> Any:
        return self.wasi.answer(name)(*values)

    def put(self, at: int, data: bytes) -> None:
        self.memory.write(self.store, bytearray(data), at)

    def get(self, at: int, size: int) -> bytes:
        return bytes(self.memory.read(self.store, at, at + size))

    def number(self, at: int, size: int = 4) -> int:
        return int.from_bytes(self.get(at, size), "little")


@pytest.fixture
def host() -> Iterator[Host]:
    yield Host()


def test_the_clock_stands_and_chance_is_the_same_in_every_guest(host: Host) -> None:
    """Other clocks are zero, waiting ends at once; what could take long is refused."""
    assert host.call("clock_time_get", 0, 1, 8) == DONE and host.number(8, 8) == NOW * 10**9
    assert host.call("clock_time_get", 1, 1, 8) == DONE and host.number(8, 8) == 0
    assert host.call("clock_time_get", 9, 1, 8) == INVALID
    assert host.call("clock_res_get", 0, 8) == DONE and host.number(8, 8) == 10**9
    drawn = []
    for one in (host, Host()):
        for size in (5, 200):
            assert one.call("random_get", 0, size) == DONE
            drawn.append(one.get(0, size))
    assert drawn[:2] == drawn[2:] and drawn[0] != drawn[1][:5]
    assert host.call("random_get", 0, 65_537) == host.call("random_get", 0, -1) == INVALID
    host.put(0, struct.pack("<QB39x", 7, 0) + struct.pack("<QB39x", 8, 1))
    assert host.call("poll_oneoff", 0, 200, 2, 400) == DONE and host.number(400) == 2
    assert struct.unpack("<QHB21x", host.get(232, 32)) == (8, 0, 1)
    assert host.call("poll_oneoff", 0, 200, 0, 400) == host.call("poll_oneoff", 0, 200, 9_999, 400) == INVALID
    assert host.call("sched_yield") == DONE


def test_what_is_written_goes_to_its_output(host: Host) -> None:
    """Several parts are one text; descriptors other than the two are none."""
    host.put(0, struct.pack("<IIII", 100, 3, 200, 2))
    host.put(100, b"abc")
    host.put(200, b"de")
    assert host.call("fd_write", 1, 0, 2, 50) == DONE and host.number(50) == 5
    assert host.outputs[1].take() == ("abcde", 5)
    assert host.call("fd_write", 2, 0, 1, 50) == DONE and host.outputs[2].take() == ("abc", 3)
    assert [host.call("fd_write", at, 0, 1, 50) for at in (0, 3, 77, -1)] == [BAD_DESCRIPTOR] * 4
    assert host.call("fd_write", 1, 0, 5_000, 50) == host.call("fd_write", 1, 0, -1, 50) == INVALID


def test_code_is_read_at_the_channel_alone(host: Host) -> None:
    """Standard input is at its end, and at no other offset is there anything."""
    host.put(0, struct.pack("<II", 100, 3))
    assert host.call("fd_pread", 0, 0, 1, 77, 50) == DONE
    assert (host.number(50), host.get(100, 4)) == (3, b"cod\0")
    assert host.call("fd_read", 0, 0, 1, 50) == DONE and host.number(50) == 0
    assert host.call("fd_pread", 0, 0, 1, 78, 50) == NO_SEEKING
    assert host.call("fd_pread", 5, 0, 1, 77, 50) == host.call("fd_read", 77, 0, 1, 50) == BAD_DESCRIPTOR


def test_arguments_and_environment_are_as_given(host: Host) -> None:
    """The guest sees its own command and the seed of its hashes, nothing of this process."""
    assert host.call("args_sizes_get", 0, 4) == DONE and (host.number(0), host.number(4)) == (3, 12)
    assert host.call("args_get", 0, 100) == DONE and host.get(100, 12) == b"python\0-c\x001\0"
    assert host.call("environ_sizes_get", 0, 4) == DONE
    count, size = host.number(0), host.number(4)
    assert host.call("environ_get", 0, 200) == DONE
    assert host.get(200, size).rstrip(b"\0").split(b"\0") == [b"PYTHONHASHSEED=0", b"PYTHONDONTWRITEBYTECODE=1"]
    assert [host.number(4 * at) for at in range(count)] == [200, 217]


def test_memory_outside_is_refused(host: Host) -> None:
    """An address that the guest does not have is an error number, never an access; so is one that wraps around."""
    calls: list[tuple[str, tuple[int, ...]]] = [
        ("clock_time_get", (0, 1, OUTSIDE - 7)),
        ("random_get", (OUTSIDE - 1, 2)),
        ("fd_write", (1, OUTSIDE - 4, 1, 0)),
        ("fd_filestat_get", (1, -4)),
        ("fd_read", (0, 0, 1, -1)),
        ("args_get", (OUTSIDE, 0)),
        ("poll_oneoff", (OUTSIDE, 0, 1, 0)),
    ]
    assert [host.call(name, *values) for name, values in calls] == [BAD_ADDRESS] * len(calls)
    host.put(0, struct.pack("<II", OUTSIDE - 1, 2))
    assert host.call("fd_write", 1, 0, 1, 50) == BAD_ADDRESS
    host.put(0, struct.pack("<II", 100, 0xFFFF_FFFF))
    assert host.call("fd_write", 1, 0, 1, 50) == BAD_ADDRESS
    assert host.outputs[1].take() == ("", 0)


def test_everything_else_is_refused(host: Host) -> None:
    """No path, folder or socket leads anywhere; the three descriptors stay and cannot be moved."""
    for name, number in [
        ("path_open", NOT_CAPABLE), ("path_unlink_file", NOT_CAPABLE), ("path_symlink", NOT_CAPABLE),
        ("fd_prestat_get", BAD_DESCRIPTOR), ("fd_readdir", BAD_DESCRIPTOR), ("fd_pwrite", BAD_DESCRIPTOR),
        ("sock_accept", NO_SUCH_CALL), ("sock_send", NO_SUCH_CALL), ("thread_spawn", NO_SUCH_CALL),
    ]:  # fmt: skip
        assert host.call(name, 0, 0, 0) == number
    assert [host.call("fd_close", at) for at in (0, 1, 2, 3)] == [DONE, DONE, DONE, BAD_DESCRIPTOR]
    assert host.call("fd_seek", 1, 0, 0, 8) == host.call("fd_tell", 1, 8) == NO_SEEKING
    assert host.call("fd_seek", 9, 0, 0, 8) == host.call("fd_tell", 9, 8) == BAD_DESCRIPTOR
    for name, size in (("fd_fdstat_get", 24), ("fd_filestat_get", 64)):
        assert host.call(name, 1, 8) == DONE and host.get(8, size) == bytes(size)
        assert host.call(name, 4, 8) == BAD_DESCRIPTOR


def test_every_call_costs(host: Host) -> None:
    """Fuel pays for the call, and for what it moves; it never falls below zero."""
    host.call("sched_yield")
    assert host.store.get_fuel() == FUEL - CALL_FUEL
    host.put(0, struct.pack("<II", 100, 1_000))
    host.call("fd_write", 1, 0, 1, 50)
    assert host.store.get_fuel() == FUEL - 2 * CALL_FUEL - 1_000
    host.put(0, bytes(1_024 * 48))
    host.call("fd_write", 1, 0, 1_024, 50)
    host.call("poll_oneoff", 0, 0, 1_024, 50)
    assert host.store.get_fuel() == FUEL - 4 * CALL_FUEL - 1_000 - 2 * 1_023 * PART_FUEL
    host.store.set_fuel(10)
    host.call("sched_yield")
    assert host.store.get_fuel() == 0


@pytest.mark.parametrize("name", sorted(_ANSWERS))
def test_no_call_works_once_the_fuel_is_gone(host: Host, name: str) -> None:
    """It ends the guest, whatever it was asked, and leaves its memory and its outputs as they are."""
    before = host.get(0, OUTSIDE)
    host.store.set_fuel(0)
    with pytest.raises(Stopped):
        host.call(name, 1, 0, 1, 50)
    assert (host.get(0, OUTSIDE), host.outputs[1].take(), host.wasi.exit_code) == (before, ("", 0), None)


@pytest.mark.parametrize(("descriptor", "shown"), [(1, "a" * 100), (2, "z" * 100)], ids=["stdout", "stderr"])
def test_a_write_is_paid_for_and_little_of_it_is_read(descriptor: int, shown: str) -> None:
    """A hundred buffers that are one and the same, 16 MB each: all of it counts, and what is shown is copied."""
    host, size = Host(pages=257), 256 * OUTSIDE - 2_000
    host.put(0, struct.pack("<II", 2_000, size) * 100)
    host.put(2_000, b"a" * 200)
    host.put(2_000 + size - 200, b"z" * 200)
    tracemalloc.start()
    try:
        assert host.call("fd_write", descriptor, 0, 100, 1_000) == DONE
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert host.outputs[descriptor].take() == (shown, 100 * size)
    assert host.number(1_000) == 100 * size & 0xFFFF_FFFF and host.store.get_fuel() == 0


def test_an_exit_and_a_fault_are_kept(host: Host) -> None:
    """The exit code is what the guest gave; what breaks in here is kept to be told, and not taken for the guest's."""
    with pytest.raises(Stopped):
        host.call("proc_exit", 3)
    assert host.wasi.exit_code == 3 and host.wasi.fault is None
    with pytest.raises(TypeError):
        host.call("fd_tell")
    assert isinstance(host.wasi.fault, TypeError)

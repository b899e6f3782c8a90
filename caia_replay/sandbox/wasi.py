"""Everything that the guest can ask of its host: WASI preview 1, answered by these few functions and no others.

The host's own WASI is not linked at all, so that there is no file, socket, clock or chance to be reached: a call that
is not answered here is refused with an error code.

Every call costs fuel, by what it makes the host do, and is measured and paid for before it does it. No call does more
than some milliseconds of work, whatever the guest asks for: the one that takes the last of the fuel is still made, and
none after it. So no clock is needed to hold a guest, and whoever ends it need not wait.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wasmtime import Linker, Memory, Module, Store

    from caia_replay.sandbox.output import Output

CALL_FUEL: Final = 100_000
"""What any call costs at least: the host takes as long for one as the guest for so many instructions."""

PART_FUEL: Final = 20_000
"""What each buffer or event of a call costs beyond the first."""

_MODULE: Final = "wasi_snapshot_preview1"
_DONE, _BAD_DESCRIPTOR, _BAD_ADDRESS, _INVALID, _NO_SUCH_CALL, _NO_SEEKING, _NOT_CAPABLE = 0, 8, 21, 28, 52, 70, 76
_U32, _U64, _PAIR = Struct("<I"), Struct("<Q"), Struct("<II")
_EVENT: Final = Struct("<QHB21x")
_SUBSCRIPTION: Final = Struct("<QB39x")
_REALTIME, _CLOCKS = 0, 4
_MOST_PARTS: Final = 1_024
_MOST_CHANCE_BYTES: Final = 65_536
_ADDRESS: Final = 0xFFFF_FFFF
_NS: Final = 1_000_000_000
_ENVIRONMENT: Final = (b"PYTHONHASHSEED=0", b"PYTHONDONTWRITEBYTECODE=1")


class Stopped(Exception):
    """Raised into the guest, to end it."""


class _BadAddress(Exception):
    """The guest named memory that it does not have."""


class Wasi:
    """The host's side of one guest.

    The guest asks for code by reading standard input at the offset ``channel``, where nobody reads by chance: its own
    file system lets no other descriptor through. ``next_code`` is called then, and may wait. ``outputs`` are by
    descriptor. ``exit_code`` is what the guest ended itself with, ``fault`` what broke in here.
    """

    def __init__(
        self,
        now: int,
        arguments: tuple[str, ...],
        channel: int,
        next_code: Callable[[], bytes],
        outputs: Mapping[int, Output],
    ) -> None:
        self.exit_code: int | None = None
        self.fault: Exception | None = None
        self._now = now
        self._arguments = tuple(argument.encode() for argument in arguments)
        self._channel = channel
        self._next_code = next_code
        self._outputs = outputs
        self._open = {0, *outputs}
        self._drawn = 0
        self._store: Store
        self._memory: Memory

    def define(self, linker: Linker, module: Module) -> None:
        """Give ``module`` every function that it imports."""
        for wanted in module.imports:
            name = wanted.name or ""
            linker.define_func(wanted.module, name, wanted.type, self.answer(name))  # type: ignore[arg-type]

    def attach(self, store: Store, memory: Memory) -> None:
        """The guest's memory, once it exists."""
        self._store, self._memory = store, memory

    def answer(self, name: str) -> Callable[..., int | None]:
        """The call of this name; what breaks in it is kept, since wasmtime may lose an exception between threads."""
        serve: Callable[..., int | None] = _ANSWERS.get(name) or _refusal(name)

        def call(*values: int) -> int | None:
            if not self._store.get_fuel():
                raise Stopped
            self._charge(CALL_FUEL)
            try:
                return serve(self, *values)
            except _BadAddress:
                return _BAD_ADDRESS
            except Stopped:
                raise
            except Exception as fault:
                self.fault = fault
                raise

        return call

    def _charge(self, fuel: int) -> None:
        self._store.set_fuel(max(0, self._store.get_fuel() - fuel))

    def _at(self, address: int, size: int) -> int:
        """Where ``size`` bytes of the guest's lie in this process."""
        address &= _ADDRESS
        if address + size > self._memory.data_len(self._store):
            raise _BadAddress
        return ctypes.addressof(self._memory.data_ptr(self._store).contents) + address

    def _read(self, address: int, size: int) -> bytes:
        return ctypes.string_at(self._at(address, size), size)

    def _write(self, address: int, data: bytes) -> None:
        ctypes.memmove(self._at(address, len(data)), data, len(data))

    def _parts(self, address: int, count: int) -> list[tuple[int, int]]:
        """The buffers of one read or write: address and size of each."""
        self._charge(PART_FUEL * max(0, count - 1))
        return list(_PAIR.iter_unpack(self._read(address, count * _PAIR.size)))

    def _joined(self, parts: list[tuple[int, int]], share: range) -> bytes:
        """Of all that the buffers hold, one after the other, the bytes whose places are in ``share``."""
        joined, start = bytearray(), 0
        for address, size in parts:
            first, end = max(share.start, start), min(share.stop, start + size)
            if first < end:
                joined += self._read(address + first - start, end - first)
            start += size
        return bytes(joined)

    # -- the calls, each by its name in WASI; what is returned is an error number, 0 for done

    def _args_sizes_get(self, count: int, size: int) -> int:
        return self._sizes(self._arguments, count, size)

    def _args_get(self, places: int, texts: int) -> int:
        return self._texts(self._arguments, places, texts)

    def _environ_sizes_get(self, count: int, size: int) -> int:
        return self._sizes(_ENVIRONMENT, count, size)

    def _environ_get(self, places: int, texts: int) -> int:
        return self._texts(_ENVIRONMENT, places, texts)

    def _sizes(self, texts: tuple[bytes, ...], count: int, size: int) -> int:
        self._write(count, _U32.pack(len(texts)))
        self._write(size, _U32.pack(sum(len(text) + 1 for text in texts)))
        return _DONE

    def _texts(self, texts: tuple[bytes, ...], places: int, at: int) -> int:
        for number, text in enumerate(texts):
            self._write(places + 4 * number, _U32.pack(at & _ADDRESS))
            self._write(at, text + b"\0")
            at += len(text) + 1
        return _DONE

    def _clock_res_get(self, clock: int, result: int) -> int:
        self._write(result, _U64.pack(_NS))
        return _DONE

    def _clock_time_get(self, clock: int, precision: int, result: int) -> int:
        """The date stands at the task's moment, every other clock at zero."""
        if not 0 <= clock < _CLOCKS:
            return _INVALID
        self._write(result, _U64.pack(self._now * _NS if clock == _REALTIME else 0))
        return _DONE

    def _random_get(self, address: int, size: int) -> int:
        """The same bytes in every guest, one after the other."""
        size &= _ADDRESS
        if size > _MOST_CHANCE_BYTES:
            return _INVALID
        self._at(address, size)
        self._charge(16 * size)
        drawn = bytearray()
        while len(drawn) < size:
            drawn += blake2b(_U64.pack(self._drawn), person=b"caia-chance").digest()
            self._drawn += 1
        self._write(address, bytes(drawn[:size]))
        return _DONE

    def _fd_pread(self, descriptor: int, parts: int, count: int, offset: int, result: int) -> int:
        if (descriptor, offset) != (0, self._channel):
            return _NO_SEEKING if descriptor in self._open else _BAD_DESCRIPTOR
        (place, size), *_ = self._parts(parts, 1)
        code = self._next_code()[:size]
        self._write(place, code)
        self._write(result, _U32.pack(len(code)))
        return _DONE

    def _fd_read(self, descriptor: int, parts: int, count: int, result: int) -> int:
        """Standard input is at its end."""
        if descriptor != 0:
            return _BAD_DESCRIPTOR
        self._write(result, _U32.pack(0))
        return _DONE

    def _fd_write(self, descriptor: int, parts: int, count: int, result: int) -> int:
        """All of it counts; only what will be shown is read, since a thousand buffers may be one and the same."""
        if descriptor not in self._outputs:
            return _BAD_DESCRIPTOR
        if not 0 <= count <= _MOST_PARTS:
            return _INVALID
        buffers = self._parts(parts, count)
        for place, size in buffers:
            self._at(place, size)
        written = sum(size for _, size in buffers)
        self._charge(written)
        output = self._outputs[descriptor]
        shown = self._joined(buffers, output.share(written))
        output.add(shown, left_out=written - len(shown))
        self._write(result, _U32.pack(written & _ADDRESS))
        return _DONE

    def _fd_close(self, descriptor: int) -> int:
        """Nothing can be closed, so that the next call can write again."""
        return _DONE if descriptor in self._open else _BAD_DESCRIPTOR

    def _fd_fdstat_get(self, descriptor: int, result: int) -> int:
        """Of no known kind; above all no terminal."""
        if descriptor not in self._open:
            return _BAD_DESCRIPTOR
        self._write(result, bytes(24))
        return _DONE

    def _fd_filestat_get(self, descriptor: int, result: int) -> int:
        if descriptor not in self._open:
            return _BAD_DESCRIPTOR
        self._write(result, bytes(64))
        return _DONE

    def _fd_seek(self, descriptor: int, offset: int, whence: int, result: int) -> int:
        return _NO_SEEKING if descriptor in self._open else _BAD_DESCRIPTOR

    def _fd_tell(self, descriptor: int, result: int) -> int:
        return _NO_SEEKING if descriptor in self._open else _BAD_DESCRIPTOR

    def _poll_oneoff(self, subscriptions: int, events: int, count: int, result: int) -> int:
        """Whatever is waited for has come: no clock moves, so no waiting ends later than at once."""
        if not 0 < count <= _MOST_PARTS:
            return _INVALID
        self._charge(PART_FUEL * (count - 1))
        asked = _SUBSCRIPTION.iter_unpack(self._read(subscriptions, count * _SUBSCRIPTION.size))
        self._write(events, b"".join(_EVENT.pack(userdata, _DONE, kind) for userdata, kind in asked))
        self._write(result, _U32.pack(count))
        return _DONE

    def _sched_yield(self) -> int:
        return _DONE

    def _proc_exit(self, code: int) -> None:
        self.exit_code = code
        raise Stopped


def _refusal(name: str) -> Callable[..., int]:
    """What a call that is not answered says: no such descriptor, nothing there to be reached, or no such call."""
    number = _BAD_DESCRIPTOR if name.startswith("fd_") else _NOT_CAPABLE if name.startswith("path_") else _NO_SUCH_CALL
    return lambda *values: number


_ANSWERS: Final[Mapping[str, Callable[..., int | None]]] = {
    name.removeprefix("_"): function
    for name, function in vars(Wasi).items()
    if name.startswith(("_args_", "_environ_", "_clock_", "_random_", "_fd_", "_poll_", "_sched_", "_proc_"))
}

"""One life of the interpreter: a WebAssembly instance on a thread of its own, which waits where it asks for code."""

from __future__ import annotations

import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from caia_replay.errors import BadInput, MachineFault
from caia_replay.sandbox.limits import Execution, Limits
from caia_replay.sandbox.module import STACK_BYTES
from caia_replay.sandbox.output import Output
from caia_replay.sandbox.wasi import Stopped, Wasi

if TYPE_CHECKING:
    from wasmtime import Engine, Module

_CHANNEL: Final = 0x2D1C_97A4_5B8E_F063
"""No offset that anybody reads at by chance."""

_START_FUEL: Final = 5_000_000_000
_THREAD_BYTES: Final = 4 * STACK_BYTES
_DEAD_THREAD_S: Final = 1.0
_starting: Final = threading.Lock()


class Guest:
    """An interpreter that has started. Its variables live as long as it does; ``is_alive`` says whether it does.

    It ends when code ends it, breaks it, or takes more fuel than a call has, and when it is closed.
    """

    def __init__(self, engine: Engine, module: Module, now: int, limits: Limits) -> None:
        self._engine, self._module, self._limits = engine, module, limits
        self._outputs = {1: Output(limits.stdout_bytes, last=False), 2: Output(limits.stderr_bytes, last=True)}
        self._codes: SimpleQueue[bytes | None] = SimpleQueue()
        self._told: SimpleQueue[Execution] = SimpleQueue()
        self._wasi = Wasi(now, _arguments(), _CHANNEL, self._next_code, self._outputs)
        self._granted = _START_FUEL
        self._thread = threading.Thread(target=self._live, name="sandbox", daemon=True)
        with _starting:
            before = threading.stack_size(_THREAD_BYTES)
            try:
                self._thread.start()
            finally:
                threading.stack_size(before)
        self.is_alive = True
        started = self._outcome()
        if started.stopped:
            raise BadInput(f"the sandbox does not start: {started.stopped}; {started.stderr}")

    def run(self, code: bytes) -> Execution:
        """Run one call's code to its end. An exception in here, such as Ctrl-C, ends the guest."""
        return self._outcome(code)

    def close(self) -> None:
        """End the guest, in the midst of a call too, and wait until its thread is gone; may be called twice."""
        self.is_alive = False
        self._codes.put(None)
        self._engine.increment_epoch()
        if threading.current_thread() is not self._thread:  # where the collector may run this
            self._thread.join()

    def _outcome(self, code: bytes | None = None) -> Execution:
        try:
            if code is not None:
                self._codes.put(code)
            execution = self._heard()
        except BaseException:
            self.close()
            raise
        if execution.stopped:
            self._thread.join()
            self.is_alive = False
            if self._wasi.fault is not None:
                raise self._wasi.fault
        return execution

    def _heard(self) -> Execution:
        """What the guest's thread tells next. Raises ``MachineFault`` where it died before it could tell anything."""
        while True:
            try:
                return self._told.get(timeout=_DEAD_THREAD_S)
            except Empty:
                if not self._thread.is_alive() and self._told.empty():
                    raise MachineFault("the sandbox's thread died without a word") from None

    # -- on the guest's own thread

    def _live(self) -> None:
        from wasmtime import Linker, Store, Trap, WasmtimeError

        store, linker = Store(self._engine), Linker(self._engine)
        self._store = store
        store.set_fuel(_START_FUEL)
        store.set_limits(memory_size=self._limits.memory_bytes)
        store.set_epoch_deadline(1)
        try:
            self._wasi.define(linker, self._module)
            exports = linker.instantiate(store, self._module).exports(store)
            self._wasi.attach(store, exports["memory"])  # type: ignore[arg-type]
            exports["_start"](store)  # type: ignore[operator]
        except (Trap, WasmtimeError, Stopped):
            pass  # why is read from what is left: wasmtime may hand one thread's exception to another
        except Exception as fault:  # noqa: BLE001 -- told to the caller
            self._wasi.fault = self._wasi.fault or fault
        finally:
            left = store.get_fuel()
            self._told.put(self._spent(left, self._why(left)))
            store.close()
            linker.close()

    def _next_code(self) -> bytes:
        self._told.put(self._spent(self._store.get_fuel(), ""))
        code = self._codes.get()
        if code is None:
            raise Stopped
        self._granted = self._limits.fuel
        self._store.set_fuel(self._granted)
        return code

    def _spent(self, left: int, stopped: str) -> Execution:
        stdout, stdout_bytes = self._outputs[1].take()
        stderr, stderr_bytes = self._outputs[2].take()
        return Execution(stdout, stderr, stdout_bytes, stderr_bytes, self._granted - left, stopped)

    def _why(self, left: int) -> str:
        if self._wasi.exit_code is not None:
            return f"it ended the interpreter with exit code {self._wasi.exit_code}"
        if left == 0:
            return f"it took more than {self._granted:,} instructions"
        return "it broke the interpreter, as calls nested too deep can"


def _arguments() -> tuple[str, ...]:
    """Python's own: the driver, with built-in names of its own that no call can take from it."""
    driver = Path(__file__).with_name("driver.py").read_text("utf-8")
    own = "{'__name__': 'driver', '__builtins__': dict(vars(__builtins__))}"
    return ("python", "-c", f"exec({f'{driver}serve({_CHANNEL})'!r}, {own})")

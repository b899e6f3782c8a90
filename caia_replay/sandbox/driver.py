"""The loop inside the guest: takes a call's code from the host, runs it, shows its last value, asks for the next.

It runs in the guest's own Python 3.12 and imports only what starts with it. What a call may have bent is put straight
before the next one; where that does not help, the loop breaks and the host starts a new interpreter.
"""

import _ast
import _functools  # type: ignore[import-not-found]
import _io
import builtins
import os
import sys

_FRAMES = 8
_LONGEST_CODE = 1 << 20
_RECURSION = 1_000
_PLAIN = dict(vars(builtins))
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
"""What Python raises for code that it cannot read."""


def serve(channel: int) -> None:
    """Run each code that standard input has at the offset ``channel``; asking for one says that the last is done."""
    sys.argv, sys.orig_argv = [""], ["python"]
    del _functools._lru_cache_wrapper  # functools has one in Python, which needs none of the small C stack
    module, calls = type(sys)("__main__"), 0
    while True:
        code = os.pread(0, _LONGEST_CODE, channel).decode("utf-8")
        calls += 1
        sys.modules["__main__"] = module
        sys.settrace(None)
        sys.setprofile(None)
        sys.setrecursionlimit(_RECURSION)
        sys.displayhook = sys.__displayhook__
        sys.stdin = _text(_io.BufferedReader(_io.FileIO(0, "r", closefd=False)))
        sys.stdout = stdout = _text(_io.BufferedWriter(_io.FileIO(1, "w", closefd=False)))
        sys.stderr = stderr = _text(_io.BufferedWriter(_io.FileIO(2, "w", closefd=False)))
        value = run(code, f"<call {calls}>", vars(module))
        _flush(getattr(sys, "stdout", None), getattr(sys, "stderr", None), stdout, stderr)
        if value:
            with _text(_io.BufferedWriter(_io.FileIO(2, "w", closefd=False))) as stream:
                stream.write(value)


def run(code: str, name: str, names: dict[str, object]) -> str:
    """Run a call's code under ``names``, the last expression as at a prompt; what it raised is returned, as text."""
    try:
        tree = compile(code, name, "exec", _ast.PyCF_ONLY_AST)
        last = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], _ast.Expr) else []  # type: ignore[attr-defined]
        parts = [compile(tree, name, "exec"), compile(_ast.Interactive(last), name, "single")]  # type: ignore[call-overload]
    except _UNREADABLE as fault:
        return _shown(fault.with_traceback(None), code, name)
    try:
        for part in parts:
            exec(part, names)
    except BaseException as fault:  # noqa: BLE001 -- whatever a call raises is for its caller
        vars(builtins).update(_PLAIN)
        trace = fault.__traceback__
        return _shown(fault.with_traceback(trace and trace.tb_next), code, name)
    vars(builtins).update(_PLAIN)
    return ""


def _shown(fault: BaseException, code: str, name: str) -> str:
    """The exception as Python shows it, without this loop's own frame, and of a deep one the innermost frames."""
    try:
        if isinstance(fault, SystemExit):
            return f"SystemExit: {fault.code}\n"
        import linecache
        import traceback

        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        return "".join(traceback.format_exception(fault, limit=-_FRAMES))
    except BaseException as other:  # noqa: BLE001 -- an exception may break its own showing
        return f"{type(fault).__name__}, which cannot be shown: {type(other).__name__}\n"


def _text(buffer: _io.BufferedReader | _io.BufferedWriter) -> _io.TextIOWrapper:
    return _io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", newline="\n")


def _flush(*streams: object) -> None:
    for stream in streams:
        try:
            stream.flush()  # type: ignore[attr-defined]
        except BaseException:  # noqa: BLE001 -- a call may have closed or replaced it
            continue

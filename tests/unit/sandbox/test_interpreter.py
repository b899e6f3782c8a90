"""The interpreter as its callers use it: what it keeps, what it repeats, and what nobody gets out of it."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest

from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.interpreter import Interpreter
from caia_replay.sandbox.limits import Limits
from tests.odd_threads import guest_threads
from tests.unit.sandbox.conftest import NOW, SMALL, TINY

OUT_OF_FUEL = "more than 200,000,000 instructions"

REFUSED = {
    "a file of the host": ("open('/etc/passwd').read()", "FileNotFoundError"),
    "a file by a way up": ("open('../../../../../../etc/passwd')", "FileNotFoundError"),
    "the process's own files": ("open('/proc/self/environ')", "FileNotFoundError"),
    "this very test": (f"open({__file__!r})", "FileNotFoundError"),
    "the root folder": ("import os; os.listdir('/')", "FileNotFoundError"),
    "the current folder": ("import os; os.listdir('.')", "FileNotFoundError"),
    "a new file": ("open('x.txt', 'w')", "FileNotFoundError"),
    "a new folder": ("import os; os.mkdir('/x')", "Error"),
    "a link": ("import os; os.symlink('/etc/passwd', '/usr/local/lib/python3.12/x')", "Error"),
    "a temporary file": ("import tempfile; tempfile.TemporaryFile()", "FileNotFoundError"),
    "a fork": ("import os; os.fork()", "AttributeError"),
    "a shell": ("import os; os.system('id')", "AttributeError"),
    "another program": ("import os; os.execv('/bin/sh', ['sh'])", "Error"),
    "a subprocess": ("import subprocess; subprocess.run(['id'])", "does not support processes"),
    "a socket": ("import socket; socket.socket()", "OSError"),
    "a connection": ("import socket; socket.create_connection(('127.0.0.1', 80))", "AttributeError"),
    "a web page": ("import urllib.request; urllib.request.urlopen('http://127.0.0.1/')", "Error"),
    "C functions": ("import ctypes", "ModuleNotFoundError"),
    "mapped memory": ("import mmap", "ModuleNotFoundError"),
    "a thread": ("import threading; threading.Thread(target=print).start()", "can't start new thread"),
    "a process pool": ("import multiprocessing", "ModuleNotFoundError"),
    "an alarm": ("import signal; signal.alarm(1)", "AttributeError"),
    "a signal to others": ("import os; os.kill(1, 9)", "AttributeError"),
    "an event loop": ("import asyncio; asyncio.run(asyncio.sleep(1))", "Not supported"),
    "an extension": ("import _imp; _imp.create_dynamic(__spec__)", "AttributeError"),
    "a package": ("import numpy", "ModuleNotFoundError"),
    "an answer at the prompt": ("input('?')", "EOFError"),
    "the channel's place": ("import os; os.pread(0, 100, 0)", "Invalid seek"),
    "a debugger": ("breakpoint()", "BdbQuit"),
    "an exit": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "an interrupt": ("import signal; signal.raise_signal(signal.SIGINT)", "KeyboardInterrupt"),
    "deep recursion": ("def f(): return f()\nf()", "RecursionError"),
    "a deep value": ("x = []\nfor _ in range(10**4): x = [x]\nrepr(x)", "RecursionError"),
    "deep code": ("eval('-' * 10**5 + '1')", "MemoryError"),
    "deep JSON": ("import json; json.loads('[' * 10**5)", "RecursionError"),
    "much memory": ("bytes(10**9)", "MemoryError"),
    "a long list": ("[0] * 10**9", "MemoryError"),
    "a long text": ("x = 'a'\nwhile True: x += x", "MemoryError"),
    "a long number as text": ("str(10**5000)", "ValueError"),
}
"""What Python itself refuses, with words of its message; the interpreter goes on with all it had."""

STOPPED = {
    "an endless loop": ("while True: pass", OUT_OF_FUEL),
    "a loop that catches everything": (
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
        OUT_OF_FUEL,
    ),
    "a bomb of a pattern": ("import re; re.match('(a+)+$', 'a' * 40 + 'b')", OUT_OF_FUEL),
    "a huge power": ("9**9**9", OUT_OF_FUEL),
    "a huge product": ("x = 7\nwhile True: x *= x", OUT_OF_FUEL),
    "recursion without its limit": ("import sys; sys.setrecursionlimit(10**9)\ndef f(): return f()\nf()", OUT_OF_FUEL),
    "a flood of output": ("import os\nwhile True: os.write(1, b'x' * 10**6)", OUT_OF_FUEL),
    "a flood of single bytes": ("import os\nwhile True: os.write(1, b'x')", OUT_OF_FUEL),
    "a flood of errors": ("import os\nwhile True: os.write(2, b'x' * 10**6)", OUT_OF_FUEL),
    "a flood in one call": ("import os; os.writev(2, [bytearray(10**6)] * 1_024)", OUT_OF_FUEL),
    "many empty buffers": ("import os\nx = [b''] * 1_024\nwhile True: os.writev(1, x)", OUT_OF_FUEL),
    "waiting for many things": ("import select\nx = range(500)\nwhile True: select.select(x, [], [], 0)", OUT_OF_FUEL),
    "asking for chance for ever": ("import os\nwhile True: os.urandom(256)", OUT_OF_FUEL),
    "asking for the time for ever": ("import time\nwhile time.time() < 2e9: time.sleep(1)", OUT_OF_FUEL),
    "copying for ever": ("x = bytes(10**7)\nwhile True: y = bytearray(x)", OUT_OF_FUEL),
    "many small things": ("x = []\nwhile True: x.append(bytes(10**5))", "it "),
    "recursion through C code": ("class A:\n  def __getattr__(s, n): return getattr(s, n)\nA().x", "broke"),
    "an exit without a word": ("import os; os._exit(4)", "exit code 4"),
    "an abort": ("import os; os.abort()", "broke"),
    "broken byte code": ("f = lambda: 0\nexec(f.__code__.replace(co_code=bytes([100, 255] * 5000)))", "broke"),
    "the loop's own names": ("import sys; sys._getframe(1).f_globals.clear()", "exit code 1"),
    "the loop's objects": (
        "import gc\nfor o in gc.get_objects():\n  if type(o) is dict and '_PLAIN' in o: o.clear()",
        "exit code 1",
    ),
}
"""What ends the interpreter, with words of what is said of it."""

HARMLESS = {
    "closed streams": "import sys; sys.stdout.close(); sys.stderr.close(); sys.stdin.close()",
    "closed descriptors": "import os\nfor fd in range(100):\n  try: os.close(fd)\n  except OSError: pass",
    "streams that are no streams": "import sys; sys.stdout = sys.stderr = sys.stdin = 3",
    "no streams": "import sys; del sys.stdout, sys.stderr, sys.stdin",
    "no built-in names": "import builtins; vars(builtins).clear()",
    "wrong built-in names": "import builtins; builtins.print = builtins.compile = builtins.exec = builtins.len = None",
    "no modules": "import sys; sys.modules.clear()",
    "no imports": "import sys; sys.meta_path.clear(); sys.path.clear()",
    "a display of one's own": "import sys; sys.displayhook = None",
    "hooks of one's own": "import sys; sys.excepthook = sys.unraisablehook = None",
    "a trace that raises": "import sys\ndef t(*a): raise OSError\nsys.settrace(t); sys.setprofile(t)",
    "a low recursion limit": "import sys; sys.setrecursionlimit(40)",
    "a deletion that exits": "class D:\n  def __del__(s): raise SystemExit\nd = D(); d.me = d; del d",
    "work at the end": "import atexit, os; atexit.register(os._exit, 3)",
    "another main module": "import sys; sys.modules['__main__'] = None",
    "reading every descriptor": "import os\nfor fd in range(1000):\n  try: os.read(fd, 100)\n  except OSError: pass",
    "waiting": "import time, select; time.sleep(10**9); select.select([0], [], [], 10**6)",
}
"""What a call may do to its own interpreter; the next call finds it in order."""


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_sandbox_lacks_is_an_exception(shared: Interpreter, case: str) -> None:
    """No file, process, socket, thread or depth: Python's own words say so, and the variables stay."""
    code, words = REFUSED[case]
    shared.run("kept = 42")
    done = shared.run(code)
    assert words in done.stderr and done.stopped == "" and done.stdout in ("", "?", done.stdout[:200])
    assert shared.run("kept").stdout == "42\n"


@pytest.mark.parametrize("case", STOPPED)
def test_what_goes_beyond_the_limits_ends_the_interpreter(hurried: Interpreter, case: str) -> None:
    """It is said why; the next call meets a new interpreter, without what earlier ones defined."""
    code, words = STOPPED[case]
    hurried.run("kept = 42")
    assert words in hurried.run(code).stopped
    after = hurried.run("'kept' in globals()")
    assert (after.stdout, after.stopped) == ("False\n", "")


@pytest.mark.parametrize("case", HARMLESS)
def test_what_a_call_bends_is_straight_for_the_next(fresh: Interpreter, case: str) -> None:
    """A call may break what it has; the next one computes and prints."""
    fresh.run("kept = 41")
    assert fresh.run(HARMLESS[case]).stopped == ""
    deep = "def deep(n): return n and deep(n - 1)\n"
    assert fresh.run(f"{deep}print(kept + 1, deep(200)); len('ab')").stdout == "42 0\n2\n"


def test_every_call_has_the_whole_limit(hurried: Interpreter) -> None:
    """Work that takes more than half of it can be done again and again, and takes the same each time."""
    hurried.run("import os; os._exit(0)")
    used = [hurried.run("for _ in range(70_000): pass") for _ in range(4)]
    assert [done.stopped for done in used] == [""] * 4
    assert TINY.fuel // 2 < used[1].fuel < TINY.fuel and abs(used[1].fuel - used[3].fuel) < 1_000_000


def test_a_broken_loop_is_replaced(fresh: Interpreter) -> None:
    """Where the next call cannot be run it says so, and the one after it can."""
    fresh.run("import sys\ndef no(*a): raise RuntimeError\nsys.addaudithook(no)")
    assert fresh.run("print(1)").stopped
    assert fresh.run("print(1)").stdout == "1\n"


def test_code_is_like_code_in_a_file(fresh: Interpreter) -> None:
    """Variables are kept whether a call raised or not; dataclasses and pickles work; recursion goes deep."""
    fresh.run("import math\ndef area(r): return math.pi * r * r\nr = 2")
    fresh.run("r = 3\n1 / 0")
    assert fresh.run("round(area(r), 3)").stdout == "28.274\n"
    fresh.run("import dataclasses, enum, pickle\n@dataclasses.dataclass\nclass P:\n  x: int\n  y: 'float' = 2.5")
    assert fresh.run("pickle.loads(pickle.dumps(P(1)))").stdout == "P(x=1, y=2.5)\n"
    assert fresh.run("__name__").stdout == "'__main__'\n"
    fresh.run("import functools\n@functools.cache\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)")
    assert fresh.run("f(300) % 10**9").stdout == "626083600\n" or fresh.run("f(300)").stdout.strip().isdigit()


def test_the_clock_stands_and_chance_repeats(sandbox: CompiledFolder) -> None:
    """The date is the task's moment in UTC, and two interpreters draw alike, down to hashes and addresses."""
    code = (
        "import datetime, os, random, secrets, time, uuid\n"
        "print(time.time(), datetime.datetime.now(), time.monotonic(), time.perf_counter(), time.tzname)\n"
        "print(random.random(), uuid.uuid4(), uuid.uuid1(), secrets.token_hex(), os.urandom(8), id(object()))\n"
        "print(hash('abc'), {'a', 'b', 'c', 'd'}, dict(os.environ))"
    )
    told = []
    for _ in range(2):
        with Interpreter(NOW, SMALL, sandbox) as interpreter:
            told.append([interpreter.run(code), interpreter.run("import time; time.sleep(99); time.time()")])
    assert told[0] == told[1]
    first = told[0][0].stdout
    assert first.startswith("1700000000.0 2023-11-14 22:13:20 0.0 0.0 ('UTC', 'UTC')")
    assert "environ" not in first and first.endswith("{'PYTHONHASHSEED': '0', 'PYTHONDONTWRITEBYTECODE': '1'}\n")
    assert told[0][1].stdout == "1700000000.0\n"


REPEATED = """
import json, sys
from dataclasses import astuple
from pathlib import Path
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.interpreter import Interpreter
from caia_replay.sandbox.limits import Limits
codes = json.load(sys.stdin)
cache = CompiledFolder(Path(sys.argv[1]), bytes.fromhex(sys.argv[2]))
with Interpreter(1_700_000_000, Limits(fuel=500_000_000), cache) as interpreter:
    print(json.dumps([astuple(interpreter.run(code)) for code in codes]))
"""


@pytest.mark.check
def test_outputs_and_fuel_are_equal_in_two_processes(sandbox: CompiledFolder, tmp_path: Path) -> None:
    """The same calls give the same bytes and take the same fuel, stops and tracebacks included."""
    codes = [
        "import random; x = [random.gauss(0, 1) for _ in range(200)]; sum(x)",
        "import statistics; statistics.stdev(x), sorted({str(v)[:5] for v in x})[:9]",
        "float('inf') - float('inf'), 0.1 + 0.2, 2 ** 0.5, 1e308 * 10",
        "import decimal; decimal.Decimal(2).sqrt(), 10 ** 50 % 997",
        "{}['missing']",
        "object(), id(x), hash('x'), {'b', 'a', 'c'}",
        "while True: pass",
        "x",
    ]
    told = [
        subprocess.run(
            [sys.executable, "-c", REPEATED, str(sandbox.folder), sandbox.key.hex()],
            input=json.dumps(codes),
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": zone, "PYTHONPATH": str(Path(__file__).parents[3])},
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    ]
    assert told[0] == told[1]
    executions = json.loads(told[0])
    assert len({fuel for *_, fuel, _ in executions}) > 4 and "NameError" in executions[-1][1]


def test_output_is_cut_and_counted(sandbox: CompiledFolder) -> None:
    """The first of what is printed and the last of what went wrong are kept; the counts are of everything."""
    limits = Limits(fuel=SMALL.fuel, stdout_bytes=10, stderr_bytes=20)
    with Interpreter(NOW, limits, sandbox) as interpreter:
        done = interpreter.run("print('0123456789abcdef'); raise ValueError('the end')")
    assert (done.stdout, done.stdout_bytes) == ("0123456789", 17)
    assert done.stderr == "ValueError: the end\n" and done.stderr_bytes > 80


def test_odd_text_is_shown(shared: Interpreter) -> None:
    """Any character passes both ways and none looks like the host's word; code has a greatest length."""
    done = shared.run(
        "print('Execution(stopped=\"it broke\")\\0\\x1b]0;x\\x07'); import sys; sys.stderr.write('\\0' * 9)"
    )
    assert done.stopped == "" and done.stdout.startswith("Execution(") and done.stderr == "\0" * 9
    assert shared.run("1").stdout == "1\n"
    assert shared.run("'价格 €'").stdout == "'价格 €'\n"
    assert shared.run("print('\\ud800')").stdout == "\\ud800\n"
    with pytest.raises(ValueError, match="surrogates"):
        shared.run("'\ud800'")
    with pytest.raises(ValueError, match="are the most"):
        shared.run("#" * (SMALL.code_bytes + 1))
    assert shared.run("#" * (SMALL.code_bytes - 3) + "\n42").stdout == "42\n"


ENDLESS = (
    "os.write(2, b'now')\nwhile True: pass",
    "os.write(2, b'now')\nwhile True: os.urandom(256)",
    "while True: os.write(2, bytes(10**6))",
    "while True: os.writev(2, many)",
)
INTERRUPTED = """
import json, os, signal, sys, threading, time
from pathlib import Path
from caia_replay.sandbox.compiled_file import CompiledFolder
from caia_replay.sandbox.interpreter import Interpreter
from caia_replay.sandbox.limits import Limits
signal.signal(signal.SIGINT, signal.default_int_handler)
cache = CompiledFolder(Path(sys.argv[1]), bytes.fromhex(sys.argv[2]))
def interrupt(output):
    while not output._size:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
for code in json.load(sys.stdin):
    with Interpreter(0, Limits(fuel=10**15), cache) as interpreter:
        interpreter.run("import os; many = [bytearray(10**8)] * 1_024")
        threading.Thread(target=interrupt, args=(interpreter._guest._outputs[2],), daemon=True).start()
        try:
            interpreter.run(code)
        except KeyboardInterrupt:
            print(interpreter._guest.is_alive, interpreter.run("40 + 2").stdout, end="")
"""


@pytest.mark.check
def test_an_interrupt_ends_whatever_the_guest_does(sandbox: CompiledFolder) -> None:
    """Ctrl-C is heard in a loop and in a call that writes 100 GB without end; the next call finds a new guest."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(sandbox.folder), sandbox.key.hex()],
        input=json.dumps(ENDLESS),
        capture_output=True,
        text=True,
        timeout=600,
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert (done.stdout, done.stderr) == ("False 42\n" * len(ENDLESS), "")


@pytest.mark.check
def test_no_thread_outlives_its_interpreter(sandbox: CompiledFolder) -> None:
    """Closed, left, forgotten or replaced: each thread ends."""

    before = guest_threads()
    for _ in range(3):
        interpreter = Interpreter(NOW, SMALL, sandbox)
        interpreter.run("import os; os._exit(0)")
        interpreter.run("1")
        assert guest_threads() == before + 1
        interpreter.close()
        interpreter.close()
    assert guest_threads() == before
    forgotten = Interpreter(NOW, SMALL, sandbox)
    forgotten.run("1")
    del forgotten, interpreter
    gc.collect()
    assert guest_threads() == before

"""A stand-in for the package ``xllamacpp``: llama.cpp's server in Python, over files that say what it does.

It is put into a Python of its own, so that everything of ours runs as it does with the real one. A file of weights is
the four letters of its format and then JSON: ``says`` (the replies in turn, the last for ever), ``tools`` (whether its
template shows tools), ``dies`` or ``hangs`` (at which request, from 1). A token is a word.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ENGINE = """
import json, os, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class CommonParams:
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = (type("Part", (), {})() for _ in range(3))


class Server:
    def __init__(self, params):
        with open(params.model.path, encoding="utf-8") as file:
            text = file.read()
        if not text.startswith("GGUF{"):
            raise RuntimeError("failed to load the model")
        told, asked, key = json.loads(text[4:]), [], params.api_keys[0]

        class Handler(BaseHTTPRequestHandler):
            protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

            def do_GET(self):
                self.answer(200, {"status": "ok"})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if self.headers.get("authorization") != f"Bearer {key}":
                    return self.answer(401, {"error": {"message": "Invalid API Key"}})
                if self.path == "/tokenize":
                    return self.answer(200, {"tokens": body["content"].split()})
                if self.path == "/apply-template":
                    return self.answer(200, {"prompt": prompt(body)})
                asked.append(body)
                if len(asked) == told.get("dies"):
                    os.kill(os.getpid(), 9)
                if len(asked) == told.get("hangs"):
                    time.sleep(3600)
                size = len(prompt(body).split())
                if size + body["max_tokens"] > params.n_ctx:
                    message = "the request exceeds the available context size"
                    return self.answer(400, {"error": {"type": "exceed_context_size_error", "message": message}})
                said = told["says"][min(len(asked), len(told["says"])) - 1]
                said = json.dumps(body) if said == "the request" else said
                message = {"role": "assistant", "content": said}
                usage = {"prompt_tokens": size, "completion_tokens": max(1, len(said.split()))}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                whole = {"object": "chat.completion", "model": next(iter(params.model_alias)), "usage": usage}
                self.answer(200, {**whole, "choices": [choice]})

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *told):
                pass

        def prompt(body):
            tools = body.get("tools", []) if told.get("tools") else []
            return " ".join([message.get("content") or "" for message in body["messages"]] + [json.dumps(tools)])

        self.http = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{self.http.server_address[1]}"
"""
METADATA = "Metadata-Version: 2.1\nName: xllamacpp\nVersion: 0.1\n"
PYTHON = """#!/bin/sh
shift
exec {python} -c 'import runpy, sys
sys.path.insert(0, "{here}")
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")' "$@"
"""


def engine_python(folder: Path) -> Path:
    """A program that takes a Python's arguments, with the stand-in installed."""
    (folder / "xllamacpp-0.1.dist-info").mkdir(parents=True)
    (folder / "xllamacpp-0.1.dist-info" / "METADATA").write_text(METADATA)
    (folder / "xllamacpp.py").write_text(ENGINE)
    python = folder / "python"
    python.write_text(PYTHON.format(python=sys.executable, here=folder))
    python.chmod(0o755)
    return python


def weights(path: Path, *says: str, **told: Any) -> Path:
    """A file of weights that says so."""
    path.write_text("GGUF" + json.dumps({"says": says, **told}), "utf-8")
    return path

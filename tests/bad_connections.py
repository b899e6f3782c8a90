"""Bad ways of a server below the protocol: connections that break, slow servers, false claims, streams."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import zlib

from tests.bad_exchange import (
    ANSWER,
    ARGUMENTS,
    Exchange,
    Hangup,
    completion,
    cut_off,
    delta,
    endless,
    fetch,
    headers,
    slow,
    way,
)

# Connections that break.


OK = b"HTTP/1.1 200 OK\r\n"
JSON = OK + b"content-type: application/json\r\n"
EVENTS = OK + b"content-type: text/event-stream\r\n\r\n"
ERROR = b"HTTP/1.1 500 Internal Server Error\r\n"
WHOLE = json.dumps(completion({"content": ANSWER})).encode()
LONG = b"data: " + json.dumps(delta({"content": "word " * 10_000})).encode() + b"\n\n"
cut_off(
    "model_fault: connection",
    dies_before_headers=b"",
    dies_in_headers=OK + b"content-ty",
    dies_in_body=JSON + b'content-length: 1000\r\n\r\n{"choices": [',
    dies_in_a_chunk=JSON + b'transfer-encoding: chunked\r\n\r\nff\r\n{"choices": [',
    speaks_no_http=b"SSH-2.0-OpenSSH_9.6\r\n",
    bad_chunks=JSON + b"transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
)
endless("model_fault: connection", endless_headers=(OK, b"x-more: " + b"y" * 1_000 + b"\r\n"))
headers(
    "model_fault: connection",
    redirects_in_a_circle=("307 Temporary Redirect", "location: /v1/chat/completions", "content-length: 0"),
    redirects_to_nobody=("308 Permanent Redirect", "location: http://127.0.0.1:1/", "content-length: 0"),
    redirects_to_another_scheme=("307 Temporary Redirect", "location: ftp://127.0.0.1/", "content-length: 0"),
)
headers("model_fault: server", redirects_nowhere=("302 Found", "content-length: 0"))


@way("model_fault: connection")
def dies_in_a_stream(x: Exchange) -> None:
    x.stream(delta({"role": "assistant", "content": "FINAL ANSWER: 12"}), end=b'data: {"choi')


@way("model_fault: connection")
def stream_stops_early(x: Exchange) -> None:
    x.stream(delta({"role": "assistant", "content": "FINAL ANSWER: 12"}), end=b"")


@way("model_fault: connection")
def resets(x: Exchange) -> None:
    x.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise Hangup


# Servers that take their time.
slow(
    "model_fault: timeout",
    never_answers=(b"", b""),
    trickles_headers=(OK + b"x: ", b"y"),
    trickles_body=(JSON + b"content-length: 100000\r\n\r\n", b" "),
    keeps_a_stream_alive=(EVENTS, b": PROCESSING\n\n"),
    informs_for_ever=(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    promises_more=(JSON + b"content-length: %d\r\n\r\n" % (len(WHOLE) + 1) + WHOLE, b""),
    trickles_an_error=(ERROR + b"content-type: application/json\r\ncontent-length: 100000\r\n\r\n", b" "),
)


# Replies that are not what they claim.
endless(
    "model_fault: malformed",
    endless_body=(JSON + b"\r\n", b" " * 65_536),
    endless_stream=(EVENTS, LONG),
)
endless("model_fault: server", endless_error=(ERROR + b"content-type: text/plain\r\n\r\n", b"sorry " * 10_000))


@way("model_fault: malformed")
def promises_less(x: Exchange) -> None:
    x.send(JSON + b"content-length: %d\r\n\r\n" % (len(WHOLE) - 9) + WHOLE)


@way("answered")
def says_more_than_it_should(x: Exchange) -> None:
    x.say({"content": "Let me think." if x.turn < 2 else ANSWER})
    x.send(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}garbage")


@way("model_fault: malformed")
def gzip_that_is_none(x: Exchange) -> None:
    x.reply(b"\x1f\x8bnot gzip", "content-encoding: gzip")


@way("model_fault: malformed")
def gzip_bomb(x: Exchange) -> None:
    x.reply(gzip.compress(b" " * 200_000_000, 1, mtime=0), "content-encoding: gzip")


@way("model_fault: malformed")
def coding_nobody_asked_for(x: Exchange) -> None:
    x.reply(zlib.compress(b"{}"), "content-encoding: br")


# Streams.


@way("answered")
def stream_to_an_unstreamed_request(x: Exchange) -> None:
    call = fetch("s", "")
    if x.turn < 2:
        x.stream(
            delta({"role": "assistant", "tool_calls": [{"index": 0} | call]}),
            delta({"tool_calls": [{"index": 0, "function": {"arguments": ARGUMENTS}}]}),
            delta({}, "tool_calls"),
        )
    x.stream(delta({"content": ANSWER}), delta({}, "stop"), {"choices": [], "usage": None})


@way("answered")
def stream_that_stays_open(x: Exchange) -> None:
    x.head("content-type: text/event-stream")
    x.send(b"data: %s\r\n\r\ndata: [DONE]\r\n\r\n" % json.dumps(delta({"content": ANSWER}, "stop")).encode())
    x.trickle(b"", b": still here\n")


@way("answered")
def stream_without_done(x: Exchange) -> None:
    x.stream(delta({"content": ANSWER}, "stop"), end=b": bye\n")


@way("model_fault: server")
def error_in_a_stream(x: Exchange) -> None:
    x.stream(delta({"content": "FINAL"}), {"error": {"message": "The engine died", "type": "server_error"}})


@way("model_fault: malformed")
def garbage_in_a_stream(x: Exchange) -> None:
    x.stream(delta({"content": "FINAL"}), end=b"data: }{\n\ndata: [DONE]\n\n")

"""Bad ways of a server below the protocol: connections that break, slow servers, false claims, streams."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import zlib

from tests.bad_exchange import ANSWER, ARGUMENTS, Exchange, Hangup, completion, delta, fetch, way

# Connections that break.


@way("model_fault: connection")
def dies_before_headers(x: Exchange) -> None:
    raise Hangup


@way("model_fault: connection")
def dies_in_headers(x: Exchange) -> None:
    x.send(b"HTTP/1.1 200 OK\r\ncontent-ty")
    raise Hangup


@way("model_fault: connection")
def dies_in_body(x: Exchange) -> None:
    x.head("content-type: application/json", "content-length: 1000")
    x.send(b'{"choices": [')
    raise Hangup


@way("model_fault: connection")
def dies_in_a_chunk(x: Exchange) -> None:
    x.head("content-type: application/json", "transfer-encoding: chunked")
    x.send(b'ff\r\n{"choices": [')
    raise Hangup


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


@way("model_fault: connection")
def speaks_no_http(x: Exchange) -> None:
    x.send(b"SSH-2.0-OpenSSH_9.6\r\n")
    raise Hangup


@way("model_fault: connection")
def bad_chunks(x: Exchange) -> None:
    x.head("content-type: application/json", "transfer-encoding: chunked")
    x.send(b"zz\r\n{}\r\n0\r\n\r\n")
    raise Hangup


@way("model_fault: connection")
def endless_headers(x: Exchange) -> None:
    x.send(b"HTTP/1.1 200 OK\r\n")
    x.flood(b"x-more: " + b"y" * 1_000 + b"\r\n")


# Servers that take their time.


@way("model_fault: timeout")
def never_answers(x: Exchange) -> None:
    x.trickle(b"" for _ in range(200))


@way("model_fault: timeout")
def trickles_headers(x: Exchange) -> None:
    x.send(b"HTTP/1.1 200 OK\r\nx: ")
    x.trickle(b"y" for _ in range(10_000))


@way("model_fault: timeout")
def trickles_body(x: Exchange) -> None:
    x.head("content-type: application/json", "content-length: 100000")
    x.trickle(b" " for _ in range(10_000))


@way("model_fault: timeout")
def keeps_a_stream_alive(x: Exchange) -> None:
    x.head("content-type: text/event-stream")
    x.trickle(b": PROCESSING\n\n" for _ in range(10_000))


@way("model_fault: timeout")
def informs_for_ever(x: Exchange) -> None:
    x.trickle(b"HTTP/1.1 103 Early Hints\r\n\r\n" for _ in range(10_000))


@way("model_fault: timeout")
def promises_more(x: Exchange) -> None:
    data = json.dumps(completion({"content": ANSWER})).encode()
    x.head("content-type: application/json", f"content-length: {len(data) + 1}")
    x.send(data)
    x.trickle(b"" for _ in range(200))


@way("model_fault: timeout")
def trickles_an_error(x: Exchange) -> None:
    x.head("content-type: application/json", "content-length: 100000", status="500 Internal Server Error")
    x.trickle(b" " for _ in range(10_000))


# Replies that are not what they claim.


@way("model_fault: malformed")
def promises_less(x: Exchange) -> None:
    data = json.dumps(completion({"content": ANSWER})).encode()
    x.head("content-type: application/json", f"content-length: {len(data) - 9}")
    x.send(data)


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


@way("model_fault: malformed")
def endless_body(x: Exchange) -> None:
    x.head("content-type: application/json")
    x.flood(b" " * 65_536)


@way("model_fault: malformed")
def endless_stream(x: Exchange) -> None:
    x.head("content-type: text/event-stream")
    x.flood(b"data: " + json.dumps(delta({"content": "word " * 10_000})).encode() + b"\n\n")


@way("model_fault: server")
def endless_error(x: Exchange) -> None:
    x.head("content-type: text/plain", status="500 Internal Server Error")
    x.flood(b"sorry " * 10_000)


@way("model_fault: connection")
def redirects_in_a_circle(x: Exchange) -> None:
    x.head("location: /v1/chat/completions", "content-length: 0", status="307 Temporary Redirect")


@way("model_fault: connection")
def redirects_to_nobody(x: Exchange) -> None:
    x.head("location: http://127.0.0.1:1/", "content-length: 0", status="308 Permanent Redirect")


@way("model_fault: connection")
def redirects_to_another_scheme(x: Exchange) -> None:
    x.head("location: ftp://127.0.0.1/", "content-length: 0", status="307 Temporary Redirect")


@way("model_fault: server")
def redirects_nowhere(x: Exchange) -> None:
    x.head("content-length: 0", status="302 Found")


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
    x.trickle(b": still here\n" for _ in range(10_000))


@way("answered")
def stream_without_done(x: Exchange) -> None:
    x.stream(delta({"content": ANSWER}, "stop"), end=b": bye\n")


@way("model_fault: server")
def error_in_a_stream(x: Exchange) -> None:
    x.stream(delta({"content": "FINAL"}), {"error": {"message": "The engine died", "type": "server_error"}})


@way("model_fault: malformed")
def garbage_in_a_stream(x: Exchange) -> None:
    x.stream(delta({"content": "FINAL"}), end=b"data: }{\n\ndata: [DONE]\n\n")

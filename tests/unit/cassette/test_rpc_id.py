import json

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.cassette.rpc_id import id_slots, rpc_ids, splice_ids

IDS = st.integers(0, 2**70) | st.text(max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "jsonrpc", "x"]), inner),
    max_leaves=8,
)


def _call(number, method="eth_call"):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": []}


@settings(max_examples=100, deadline=None)
@given(IDS, IDS, JSON, st.booleans(), st.sampled_from([None, 1]))
def test_the_new_id_is_the_only_change(old, new, result, id_first, indent):
    """Whatever the reply holds, inner ids included, only its own id becomes the request's."""
    reply = {"jsonrpc": "2.0", "id": old, "result": result}
    if not id_first:
        reply = {"result": result, "jsonrpc": "2.0", "id": old}
    recorded = json.dumps(reply, indent=indent)
    spliced = splice_ids(json.dumps(_call(new)).encode(), recorded.encode())
    assert spliced.decode() == json.dumps(reply | {"id": new}, indent=indent)


def test_a_batch_goes_by_position():
    """Without the recorded request the order of the replies decides."""
    reply = b'[{"jsonrpc":"2.0","id":1,"result":1} , {"jsonrpc":"2.0","id":2,"result":2}]'
    request = json.dumps([_call(8), _call(9)]).encode()
    assert splice_ids(request, reply) == reply.replace(b'"id":1', b'"id":8').replace(b'"id":2', b'"id":9')


def test_a_batch_answered_out_of_order_goes_by_recorded_ids():
    """With the recorded request each reply finds the call it answered."""
    reply = b'[{"jsonrpc":"2.0","id":2,"result":"b"},{"jsonrpc":"2.0","id":1,"result":"a"}]'
    recorded, request = (json.dumps([_call(a), _call(b)]).encode() for a, b in ((1, 2), (7, 8)))
    assert [(one["id"], one["result"]) for one in json.loads(splice_ids(request, reply, recorded))] == [
        (8, "b"),
        (7, "a"),
    ]


def test_a_notification_takes_no_id():
    """A call without id gets no reply, so positions count the others."""
    request = json.dumps([{"jsonrpc": "2.0", "method": "note"}, _call(5)]).encode()
    assert splice_ids(request, b'[{"jsonrpc":"2.0","id":1,"result":0}]') == b'[{"jsonrpc":"2.0","id":5,"result":0}]'


def test_an_error_without_id_keeps_its_null():
    """A server that could not read the request's id did not learn it since."""
    reply = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}'
    assert splice_ids(json.dumps(_call(5)).encode(), reply) == reply


def test_what_is_not_json_rpc_is_left_alone():
    """Other replies, other requests, broken JSON and repeated ids come back byte for byte."""
    request = json.dumps(_call(5)).encode()
    for reply in (b"", b"\xff", b"<html>", b"[", b"[1]", b"{", b'{"id":1}', b'{"id":1,"id":2,"jsonrpc":"2.0"}', b"[[]",
                  b'{"jsonrpc":"2.0"', b'{"jsonrpc" 2}', b"[" * 100_000):  # fmt: skip
        assert splice_ids(request, reply) == reply
    assert splice_ids(b"a=1", b'{"jsonrpc":"2.0","id":1}') == b'{"jsonrpc":"2.0","id":1}'


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_safe(data):
    """Neither side can be made to raise."""
    assert isinstance(splice_ids(data, data), bytes)
    slots = id_slots(data)
    assert slots is None or slots.filled(tuple(slots.ids)) == data


def test_ids_are_json_texts():
    """A number and the text of the same digits are different ids; a missing one is None."""
    assert rpc_ids(_call(1)) == ("1",) and rpc_ids(_call("1")) == ('"1"',) and rpc_ids(_call(None)) == ("null",)
    assert rpc_ids([{"jsonrpc": "2.0"}, _call(2)]) == (None, "2")
    assert rpc_ids([]) is None and rpc_ids({"id": 1}) is None and rpc_ids(7) is None

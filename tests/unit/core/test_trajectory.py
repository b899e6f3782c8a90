from caia_replay.core.message import Message
from caia_replay.core.model import Usage
from caia_replay.core.tool import Served, ToolReply
from caia_replay.core.trajectory import ModelTurn, ToolStep, Trajectory


def test_calls_are_the_tool_steps_in_order() -> None:
    """Model turns are left out, order is kept."""
    turn = ModelTurn(1, Message("assistant", ""), Usage(1, 1), "stop")
    calls = tuple(ToolStep(1, str(at), "block_query", "{}", ToolReply(Served.FORK, {})) for at in range(3))
    assert Trajectory((), (turn, calls[0], turn, *calls[1:]), "answered", "1").calls() == calls

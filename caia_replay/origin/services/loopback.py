"""Moved to caia_replay.loopback."""

from caia_replay.loopback import App, LoopbackServer, Receive, Send, read_body, target_of

__all__ = ["App", "LoopbackServer", "Receive", "Send", "read_body", "target_of"]

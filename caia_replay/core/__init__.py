"""Frozen types and synchronous Protocols: no I/O, no clock, no network.

Read in this order to know the whole architecture:

    task, suite          what is asked, and where an answer is pinned
    gold, expression     the tool-chain that proves a task solvable, as data, and its small language
    tool                 a call, how it was served, and what the model sees
    world                what a task can see, and what a campaign adds to it
    provider             a remote API: widen when recording, narrow when replaying
    message, model       messages in, completion out
    agent, trajectory    the loop, and what it left behind
    attack               from a view of the world to an overlay
    score                one verdict
"""

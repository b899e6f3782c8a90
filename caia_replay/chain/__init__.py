"""Recorded chain state and the real EVM that runs on it.

Read in this order:

    column, table        JSON-RPC objects as typed Arrow columns, and back without loss
    manifest             what a snapshot says about itself, sealed to the byte
    snapshot_schema      writing, reading and resealing a snapshot folder
    snapshot             a sealed snapshot, looked up by sorted keys; outside it, a typed miss
    upstream             the loopback JSON-RPC server an Anvil forks from, up to a pinned block
    anvil                one Anvil process of the pinned version, and a connection to it
    rpc_guard            which JSON-RPC methods an agent may ask, and why the others are refused
    fork_pool            exclusive leases on (chain, block) over one Anvil per chain
"""

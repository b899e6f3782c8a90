"""Recorded chain state and the real EVM that runs on it.

Read in this order:

    column, table        JSON-RPC objects as typed Arrow columns, and back without loss
    claim                what a snapshot says it lacks nothing of; inside, absence is an answer
    manifest             what a snapshot says about itself, sealed to the byte; older schemas are read too
    snapshot_schema      writing, reading and resealing a snapshot folder
    sorted_table         looking up rows of a table on disk, one row group at a time
    snapshot             a sealed snapshot, looked up by sorted keys; outside it, a typed miss
    chain_source         what a fork can stand on: a snapshot, or a living chain that is being recorded
    node_answer          what a node standing at the pinned block would say, from recorded rows alone
    upstream             the loopback JSON-RPC server an Anvil forks from, up to a pinned block
    anvil                one Anvil process of the pinned version, and a connection to it
    rpc_guard            which JSON-RPC methods an agent may ask, and why the others are refused
    fork_pool            exclusive leases on (chain, block) over one Anvil per chain
    scratch_chain        a lease that may be written to: tried before mined, guarded, honest about absence
    prestate             a real block's traces as a snapshot, executed again to prove them
"""

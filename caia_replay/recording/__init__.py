"""Making worlds: what is asked of an origin once, checked against it, and written down for ever.

HTTP:

    record          a client that writes down what it was answered, and proves that the file answers the same
    scrub           what is taken out of an exchange before it is written

Tasks:

    task            records one task; read it first: anchor, web, chain, prove, seal
    capture_task    its chain: runs the gold chain on a fork of the node and keeps every row that was read
    live_task       its web: tools that ask the living APIs through the recorder
    plan            what a recording would request, with keys and costs; nothing is sent
    publish         a suite without third-party text; rehydrate builds it again

Chains:

    origin_node     one JSON-RPC origin, asked in batches; its address is never shown
    origin_state    values seen at blocks, joined into intervals for which they hold
    capture         a local archive chain, whole, as a chain snapshot
"""

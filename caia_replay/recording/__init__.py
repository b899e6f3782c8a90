"""Making worlds: what is asked of an origin once, checked against it, and written down for ever.

HTTP:

    record          a client that writes down what it was answered, and proves that the file answers the same
    scrub           what is taken out of an exchange before it is written

Chains:

    origin_node     one JSON-RPC origin, asked in batches; its address is never shown
    origin_state    values seen at blocks, joined into intervals for which they hold
    capture         a local archive chain, whole, as a chain snapshot
"""

"""One remote API per file: which requests are its own, what to record, how to answer from that."""

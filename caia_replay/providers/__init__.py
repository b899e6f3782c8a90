"""One folder per remote API: which requests are its own, what to record, how to answer from that, and as of when."""

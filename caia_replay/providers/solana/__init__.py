"""A Solana node's JSON-RPC: what it was asked, and which of its answers hold at every later moment."""

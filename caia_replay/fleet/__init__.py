"""Many replays at once: a file says which, each leaves an ordinary run folder, and one purse pays for all."""

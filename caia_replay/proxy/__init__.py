"""A local proxy that records and replays the HTTP of any command."""

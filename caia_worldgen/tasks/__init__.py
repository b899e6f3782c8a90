"""Question shapes of the synthetic suite, one file each: truth from the story, gold from the tools, never the same."""

"""Question shapes of the synthetic suite, a function each: truth from the story, gold from the tools."""

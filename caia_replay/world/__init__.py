"""One frozen world for one task: recorded HTTP, pinned forks, a corpus, a clock and an overlay."""

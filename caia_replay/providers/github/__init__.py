"""GitHub's REST API: what it was asked, what a recording of it answers, and as of when."""

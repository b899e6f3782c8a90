"""The Internet Archive: what it was asked, what a recording of it answers, and as of when."""

"""LNT: the linter itself: files it cannot read, rules that gave up, comments without use."""

"""A table of bad inputs: what is given, the one line that must come back, and its code."""

"""Coverage-guided fuzzing: whatever is read, the answer is a value or one clear error.

    python -m tests.harness.fuzz.rules --seconds 30

and likewise `document`, `folder` and `requests`. They need the extra `fuzz`.
"""

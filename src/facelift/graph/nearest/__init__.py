"""The nearest records that a point may move to."""

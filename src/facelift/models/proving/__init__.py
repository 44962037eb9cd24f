"""Proving what no search can: that nothing cheaper exists, of models that can be read."""

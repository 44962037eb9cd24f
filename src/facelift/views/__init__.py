"""Views: a value in, an artefact out; they never compute, show or save."""

from facelift.views import text

__all__ = ["text"]

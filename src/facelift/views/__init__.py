"""Views: a value in, an artefact out; they never compute, show or save."""

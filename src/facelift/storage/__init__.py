"""A fitted explainer as a folder of plain arrays and one JSON file; no pickle anywhere."""

from facelift.storage.description import Content
from facelift.storage.folder import FORMAT, read, write

__all__ = ["FORMAT", "Content", "read", "write"]

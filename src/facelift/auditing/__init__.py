"""Audits: who has ways out, how many and at what cost, and whether groups differ."""

from facelift.auditing.summary import Audit, audit

__all__ = ["Audit", "audit"]

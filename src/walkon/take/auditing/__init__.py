"""Audits: everything that can be wrong with a take, measured on its posed result.

Takes a `Take`, samples it, runs its own forward kinematics and measures; it trusts neither the planner nor, alone, the
labels. Every figure comes with the thresholds that define it, the source clips' own figure, and where and when its
worst cases happen. Drawing them is left to `walkon.drawing`, judging them to those who set limits.
"""

from walkon.take.auditing.audit import audit
from walkon.take.auditing.report import Audit, WorstCase

__all__ = ["Audit", "WorstCase", "audit"]

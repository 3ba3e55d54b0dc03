"""Checks of a domain of one's own and of its pairs: what cannot work, why, and what to do."""

from partwise.checking.check import check_domain
from partwise.checking.finding import Finding
from partwise.checking.report import DomainReport

__all__ = ["DomainReport", "Finding", "check_domain"]

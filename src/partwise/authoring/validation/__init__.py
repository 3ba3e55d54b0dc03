"""Checks of a domain of one's own and of its pairs: what cannot work, why, and what to do."""

from partwise.authoring.validation.check import check_domain
from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.report import DomainReport

__all__ = ["DomainReport", "Finding", "check_domain"]

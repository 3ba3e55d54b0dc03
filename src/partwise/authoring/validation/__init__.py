"""Validation of a domain of one's own and of its examples: what cannot work, why, what to do."""

from partwise.authoring.validation.issues import DomainReport, Issue
from partwise.authoring.validation.validate import declaration_issue, validate_domain

__all__ = ["DomainReport", "Issue", "declaration_issue", "validate_domain"]

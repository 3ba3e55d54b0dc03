"""Validation of a domain of one's own and of its examples: what cannot work, why, what to do."""

from partwise.authoring.validation.issues import DomainReport
from partwise.authoring.validation.validate import declaration_issue, validate_domain
from partwise.interface.domain import Issue

__all__ = ["DomainReport", "Issue", "declaration_issue", "validate_domain"]

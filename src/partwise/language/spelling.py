"""What domains import that `partwise learn` of version 0.2.0 wrote."""

from partwise.language.program_spelling import SpelledDomain as SpelledDomain
from partwise.language.program_spelling import Spelling as Spelling
from partwise.language.program_spelling import unknown_names as unknown_names

"""A domain from pairs of questions and programs alone: names, types, phrases, and its file.

May import what `partwise.authoring` may. Start reading in `infer`.
"""

from partwise.authoring.inference.infer import Inferred as Inferred
from partwise.authoring.inference.infer import infer as infer
from partwise.authoring.inference.pairs import read_pairs as read_pairs
from partwise.authoring.inference.writing import domain_text as domain_text

"""What is written for a meaning, as tokens, and back.

``text`` is a program or query as it is. ``rir`` and ``lir`` are intermediate representations of
queries (Herzig et al. 2021, arXiv 2104.07478), the *reversible* one and the *lossy* one, as in the
paper.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

from partwise.errors import PartwiseError, QueryError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import ANSWER, VARIABLE, QueryGraph, Triple, with_filters
from partwise_papers.constrained.programs import ProgramConstraint
from partwise_papers.constrained.tokens import join_program, split_program
from partwise_papers.seq2seq.decoding import ConstraintMask, Mask, OutputVocabulary


class Form(ABC):
    """How meanings are written as sequences of tokens.

    Attributes:
        constrained: whether outputs are constrained to whole meanings, whatever settings say.

    Args:
        domain: whose meanings they are.
    """

    constrained: ClassVar[bool] = False

    def __init__(self, domain: Any) -> None:
        self.domain = domain

    @classmethod
    def learn(cls, domain: Any, train: Sequence[Example[Any]]) -> Self:
        """That of a domain, with what training examples say."""
        return cls(domain)

    def to_json(self) -> Any:
        """What was learned, as JSON values."""
        return None

    @classmethod
    def from_json(cls, domain: Any, saved: Any) -> Self:
        """What `to_json` gave."""
        return cls(domain)

    @abstractmethod
    def tokens(self, meaning: Any) -> list[str]:
        """The tokens of a meaning; raises PartwiseError for one that cannot be written so."""

    @abstractmethod
    def meaning(self, tokens: Sequence[str]) -> Any:
        """The meaning of tokens; raises PartwiseError if they have none."""

    def mask(
        self,
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> Mask | None:
        """What may follow an output so that it can still come to have a meaning; None if the form
        cannot say (`questions`: the words of each that may be copied)."""
        return None


class Text(Form):
    """The text of a program or a query, as it is; the words of quoted names are tokens."""

    def tokens(self, meaning: Any) -> list[str]:
        """See `Form`."""
        text = self.domain.write(meaning)
        return split_program(text) if isinstance(self.domain, Domain) else text.split()

    def meaning(self, tokens: Sequence[str]) -> Any:
        """See `Form`."""
        programs = isinstance(self.domain, Domain)
        return self.domain.read(join_program(tokens) if programs else " ".join(tokens))

    def mask(
        self,
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> Mask | None:
        """See `Form`: what can still become a well-typed program of the domain; raises
        PartwiseError for a domain whose meanings are no programs."""
        return ConstraintMask(self._constraint, vocabulary, questions)

    @cached_property
    def _constraint(self) -> ProgramConstraint:
        if not isinstance(self.domain, Domain):
            raise PartwiseError(
                f"outputs are constrained to programs alone, and {self.domain.name} has none; "
                "leave out constrained"
            )
        return ProgramConstraint(self.domain)


UNARY = "a"
"""The predicate of CFQ's types, whose triples are not grouped."""
VAR = "var"
_PREFIX = re.compile(r"\w+:")
_SIDE = r"[^\s()]\S*|\( [^()]+ \)"
_GROUP = re.compile(rf"(\S+) ({_SIDE}) ({_SIDE})")
_FILTER = re.compile(r"FILTER \( \S+ != \S+ \)")
_HEAD = re.compile(r"[^{}]+ \{")


class Reversible(Form):
    """RIR: nothing is lost (`long`: names of relations and constants by what they are without their
    prefixes); raises PartwiseError for a domain whose meanings are no query graphs."""

    def __init__(self, domain: Any, long: Mapping[str, str] | None = None) -> None:
        super().__init__(domain)
        if not isinstance(domain, GraphDomain):
            raise PartwiseError(f"forms rir and lir are for queries; {domain.name} has none")
        self.long = dict(long or {})
        self.short = {name: short for short, name in self.long.items()}

    @classmethod
    def learn(cls, domain: Any, train: Sequence[Example[Any]]) -> Self:
        """With the names of training queries that are different without prefixes."""
        triples = {triple[1:] for example in train for triple in example.meaning.triples}
        names: dict[str, set[str]] = {}
        for name in {name for pair in triples for name in pair}:
            names.setdefault(_PREFIX.sub("", name), set()).add(name)
        return cls(domain, {short: min(some) for short, some in names.items() if len(some) == 1})

    def to_json(self) -> dict[str, str]:
        """The names by what they are without prefixes."""
        return {short: name for short, name in sorted(self.long.items()) if short != name}

    @classmethod
    def from_json(cls, domain: Any, saved: Any) -> Self:
        """See `Form`."""
        return cls(domain, dict(saved))

    def tokens(self, meaning: Any) -> list[str]:
        """See `Form`."""
        head, _, _ = self.domain.write(meaning).partition("{")
        filters = (f"FILTER ( {one} != {other} )" for one, other in sorted(meaning.filters))
        conjuncts = [*self._group(sorted(meaning.triples)), *filters]
        return " ".join([head, "{", " . ".join(conjuncts), "}"]).split()

    def _group(self, triples: Iterable[Triple]) -> list[str]:
        """Each subject with the relations that it has to the same objects."""
        objects: dict[tuple[str, str], list[str]] = {}
        for subject, relation, target in triples:
            objects.setdefault((subject, relation), []).append(self.short.get(target, target))
        relations: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (subject, relation), targets in objects.items():
            some = [(name,) for name in targets] if relation == UNARY else [tuple(targets)]
            for key in some:
                short = self.short.get(relation, relation)
                relations.setdefault((subject, key), []).append(short)
        return [
            f"{subject} {_side(some)} {_side(targets)}"
            for (subject, targets), some in relations.items()
        ]

    def meaning(self, tokens: Sequence[str]) -> QueryGraph:
        """See `Form`."""
        head = _HEAD.match(text := " ".join(tokens))
        if head is None or tokens[-1] != "}":
            raise QueryError(f"{text!r:.80} is no query between {{ and }}")
        body = text[head.end() : -1].strip()
        lines = [line for clause in body.split(" . ") if body for line in self._lines(clause)]
        query: QueryGraph = self.domain.read(f"{head.group()} {' . '.join(lines)} }}")
        return query

    def _lines(self, conjunct: str) -> list[str]:
        if _FILTER.fullmatch(conjunct):
            return [conjunct]
        group = _GROUP.fullmatch(conjunct)
        if group is None:
            raise QueryError(f"{conjunct!r:.80} is no conjunct of a query")
        subject, relations, targets = group.groups()
        return [
            f"{subject} {relation} {other}"
            for relation in self._names(relations)
            for other in self._names(targets)
        ]

    def _names(self, side: str) -> list[str]:
        some = side.removeprefix("( ").removesuffix(" )").split(" , ")
        return [self.long.get(name, name) for name in some]


def _side(some: Sequence[str]) -> str:
    return some[0] if len(some) == 1 else f"( {' , '.join(some)} )"


class Lossy(Reversible):
    """LIR: without the names of variables, and without FILTERs."""

    def tokens(self, meaning: Any) -> list[str]:
        """See `Form`."""
        made: list[str] = []
        numbers = {ANSWER: 0} if meaning.head == "select" else {}
        body = False
        for token in super().tokens(replace(meaning, filters=frozenset())):
            body = body or token == "{"
            if body and VARIABLE.fullmatch(token):
                known = token in numbers
                number = numbers.setdefault(token, len(numbers))
                token = f"?x{number}" if known else VAR
            made.append(token)
        return made

    def meaning(self, tokens: Sequence[str]) -> QueryGraph:
        """See `Form`."""
        made: list[str] = []
        # What is asked for is mentioned in front.
        count = int("SELECT" in tokens and ANSWER in tokens[:3])
        for token in tokens:
            made.append(f"?x{count}" if token == VAR else token)
            count += token == VAR
        return with_filters(super().meaning(made), self.domain.differing)

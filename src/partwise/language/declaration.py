"""A domain's class read: its marked methods as constants with signatures."""

from __future__ import annotations

import inspect
import keyword
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from partwise.errors import DomainError
from partwise.language.declare import Constant, Default, Mark, Signature
from partwise.language.program import is_symbol
from partwise.language.types import from_hint, stands
from partwise.language.vocabulary import EntityType, Vocabulary

if TYPE_CHECKING:
    from partwise.language.domain import Domain

Method = Callable[..., Any]
Parameters = Sequence[inspect.Parameter]


class Declaration:
    """What the class of a domain declares; all methods raise DomainError where it does not hold."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.marked: list[tuple[Method, Mark]] = []
        classes = type(domain).__mro__
        members: dict[str, Method] = {}
        for cls in reversed(classes):
            members |= {name: one for name, one in vars(cls).items() if inspect.isfunction(one)}
        for name, method in members.items():
            # An override without a decorator keeps that of what it overrides.
            marks = (getattr(vars(cls).get(name), "__partwise__", None) for cls in classes)
            given = next((mark for mark in marks if mark is not None), ())
            self.marked += [(method, mark) for mark in given]

    def methods(self, kind: str) -> list[tuple[Method, Mark]]:
        """Those of one decorator."""
        return [(method, mark) for method, mark in self.marked if mark.kind == kind]

    def constants(self, kind: str) -> tuple[Constant, ...]:
        """Those of one decorator as constants; entities without their names."""
        return tuple(self.constant(method, mark) for method, mark in self.methods(kind))

    def vocabulary(self) -> Vocabulary:
        """All constants."""
        domain = self.domain
        names = {mark.name or method.__name__ for method, mark in self.marked}
        for attribute in ("extraction", "directional", "preceding"):
            unknown = sorted(set(getattr(domain, attribute)) - names)
            if unknown:
                raise DomainError(f"{domain.name}.{attribute}: unknown predicates: {unknown}")
        predicates = self.constants("predicate")
        types: list[EntityType] = []
        first = len(predicates)
        for method, mark in self.methods("entities"):
            types.append(self._entity_type(method, mark, first))
            first += len(types[-1].names)
        lexicon = dict(domain.lexicon)
        shown = [replace(p, phrases=(*p.phrases, *lexicon.pop(p.category, ()))) for p in predicates]
        unknown = sorted(lexicon.keys() - {one.category for one in domain.type_shifts})
        unknown = [one for one in unknown if all(kind.name_of(one) is None for kind in types)]
        if unknown:
            raise DomainError(f"{domain.name}: lexicon entries for unknown categories: {unknown}")
        return Vocabulary(domain.name, shown, types, domain.type_shifts)

    def constant(self, method: Method, mark: Mark) -> Constant:
        """The constant of a method; for entities one without a name."""
        head, params = mark.name or method.__name__, _parameters(method, mark)
        self._check(method, mark, head, params)
        names = [p.name for p in params]
        return Constant(
            category=head,
            head=head,
            name="" if mark.kind == "entities" else None,
            signatures=self._signatures(method, mark, names),
            defaults=tuple(
                p.default.text if isinstance(p.default, Default) else "" for p in params
            ),
            phrases=mark.phrases,
            bare=mark.bare,
            type_shift=mark.kind == "type_shift",
            commutes=tuple(sorted(map(names.index, mark.commutes))),
            method=method.__name__,
            parameters=tuple(names),
            variadic=any(p.kind is p.VAR_POSITIONAL for p in params),
            of_phrases=mark.of_phrases,
            inside=mark.inside,
            keywords=tuple(_called(p) for p in params if p.kind is p.KEYWORD_ONLY),
        )

    def _check(self, method: Method, mark: Mark, head: str, params: Parameters) -> None:
        names = [p.name for p in params]
        if not is_symbol(head):
            raise DomainError(
                f"{self.domain.name}.{method.__name__}: {head!r} cannot be a name in programs; "
                "leave out blanks, brackets, commas and quotes"
            )
        if any(p.kind is p.VAR_KEYWORD for p in params) or (
            any(p.kind is p.VAR_POSITIONAL for p in params)
            and (mark.kind != "type_shift" or len(params) > 1)
        ):
            raise DomainError(
                f"{self.domain.name}.{head}: *{names[-1]} is for a @type_shift without other "
                "parameters; name the arguments of others one by one"
            )
        if set(mark.commutes) - set(names) or len(mark.commutes) == 1:
            raise DomainError(
                f"{self.domain.name}.{head}: commutes={mark.commutes} must name two or more of its "
                f"parameters {', '.join(names)}"
            )

    def _signatures(
        self, method: Method, mark: Mark, names: Sequence[str]
    ) -> tuple[Signature, ...]:
        domain, head = self.domain, mark.name or method.__name__
        sides = domain.directional.get(head, ()), domain.preceding.get(head, ())
        for attribute, side in zip(("directional", "preceding"), sides, strict=True):
            for one in side:
                if one not in names:
                    raise DomainError(
                        f"{domain.name}.{attribute}[{head!r}]: no parameter {one!r}; "
                        f"there are {', '.join(names) or 'none'}"
                    )
        after, before = (frozenset(map(names.index, side)) for side in sides)
        return tuple(
            Signature(
                tuple(
                    (slot, from_hint(hint), p.default is not p.empty)
                    for slot, (hint, p) in enumerate(zip(hints, params, strict=True))
                ),
                from_hint(returns),
                extracted=len(params) - 1 if head in domain.extraction and params else None,
                directional=after | {n for n, hint in enumerate(hints) if stands(hint, "after")},
                preceding=before | {n for n, hint in enumerate(hints) if stands(hint, "before")},
            )
            for params, hints, returns in self._hints(method, mark)
        )

    def _hints(
        self, method: Method, mark: Mark
    ) -> Iterator[tuple[Parameters, Sequence[object], object]]:
        """The parameters, their hints and that of the result, for each signature of a method, or
        for those that the domain gives in their place."""
        domain, head = self.domain, mark.name or method.__name__
        if head in domain.signatures:
            given, params = domain.signatures[head], _parameters(method, mark)
            for hint in given if isinstance(given, tuple) else (given,):
                hints, returns = typing.get_args(hint)
                if len(hints) != len(params):
                    raise DomainError(f"{domain.name}.signatures[{head!r}]: wrong arity")
                yield params, hints, returns
            return
        for overload in typing.get_overloads(method) or [method]:
            params = _parameters(overload, mark)
            try:
                known = typing.get_type_hints(overload, include_extras=True)
                hints, returns = [known[p.name] for p in params], known["return"]
            except (KeyError, NameError) as error:
                raise DomainError(f"{domain.name}.{head}: missing hint {error}") from error
            yield params, hints, returns

    def _entity_type(self, method: Method, mark: Mark, first: int) -> EntityType:
        domain, where = self.domain, f"{self.domain.name}.{method.__name__}"
        names = mark.names(domain) if callable(mark.names) else mark.names
        given = tuple(names)
        wrong = [names] if isinstance(names, str) else [n for n in given if not isinstance(n, str)]
        if wrong:
            raise DomainError(f"{where}: names must be a list of texts, and {wrong[0]!r} is none")
        try:
            pattern = None if mark.pattern is None else re.compile(mark.pattern)
        except re.error as error:
            raise DomainError(
                f"{where}: {mark.pattern!r} is no regular expression: {error}"
            ) from error
        declared: Mapping[str, Sequence[str]] = (
            mark.aliases(domain) if callable(mark.aliases) else mark.aliases or {}
        )
        aliases = {name: tuple(phrases) for name, phrases in declared.items()}
        if pattern is not None:
            more = (name for name in aliases if name not in given and pattern.fullmatch(name))
            given = (*given, *more)
        one = EntityType(
            self.constant(method, mark),
            first,
            given,
            aliases,
            pattern,
            mark.typos,
            mark.guess,
            mark.normal,
        )
        for category, phrases in domain.lexicon.items():
            name = one.name_of(category)
            if name is not None:
                aliases[name] = (*aliases.get(name, ()), *phrases)
        return one


def _parameters(method: Method, mark: Mark) -> Parameters:
    """The arguments in the language: without ``self``, and without the name of an entity."""
    skipped = 2 if mark.kind == "entities" else 1
    return list(inspect.signature(method).parameters.values())[skipped:]


def _called(parameter: inspect.Parameter) -> str:
    """What programs call a parameter: ``with`` where Python has ``with_``."""
    plain = parameter.name.removesuffix("_")
    return plain if keyword.iskeyword(plain) else parameter.name

"""A domain's class read: its marked methods as constants with signatures."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from partwise.errors import DomainError
from partwise.language.declare import Constant, Default, Mark, Signature
from partwise.language.types import from_hint
from partwise.language.vocabulary import EntityType, Vocabulary

if TYPE_CHECKING:
    from partwise.language.domain import Domain

Method = Callable[..., Any]


class Declaration:
    """What the class of a domain declares; all methods raise DomainError where it does not hold."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    @cached_property
    def marked(self) -> list[tuple[Method, Mark]]:
        """The methods with a decorator; an override without one keeps that of what it overrides."""
        classes = type(self.domain).__mro__
        members: dict[str, Method] = {}
        for cls in reversed(classes):
            members |= {name: one for name, one in vars(cls).items() if inspect.isfunction(one)}
        declared: list[tuple[Method, Mark]] = []
        for name, method in members.items():
            marks = (getattr(vars(cls).get(name), "__partwise__", None) for cls in classes)
            mark = next((mark for mark in marks if mark is not None), None)
            if mark is not None:
                declared.append((method, mark))
        return declared

    def methods(self, kind: str) -> list[tuple[Method, Mark]]:
        """Those of one decorator."""
        return [(method, mark) for method, mark in self.marked if mark.kind == kind]

    def constants(self, kind: str) -> tuple[Constant, ...]:
        """Those of one decorator as constants."""
        return tuple(self.constant(method, mark) for method, mark in self.methods(kind))

    def vocabulary(self) -> Vocabulary:
        """All constants."""
        domain = self.domain
        known = {method.__name__ for method, _ in self.marked}
        for attribute in ("extraction", "directional"):
            unknown = sorted(set(getattr(domain, attribute)) - known)
            if unknown:
                raise DomainError(f"{domain.name}.{attribute}: unknown predicates: {unknown}")
        extra = {category: tuple(more) for category, more in domain.lexicon.items()}
        predicates = [
            replace(constant, phrases=constant.phrases + extra.get(constant.category, ()))
            for constant in self.constants("predicate")
        ]
        types: list[EntityType] = []
        first = len(predicates)
        for method, mark in self.methods("entities"):
            types.append(self._entity_type(method, mark, first))
            first += len(types[-1].names)
        return Vocabulary(domain.name, predicates, types, domain.type_shifts, extra)

    def constant(self, method: Method, mark: Mark) -> Constant:
        """The constant of a method; for entities one without a name."""
        is_entity = mark.kind == "entities"
        params = _parameters(method, mark)
        head = method.__name__
        return Constant(
            category=head,
            head=head,
            name="" if is_entity else None,
            signatures=self._signatures(method, mark),
            defaults=tuple(
                p.default.text if isinstance(p.default, Default) else "" for p in params
            ),
            phrases=mark.phrases,
            bare=mark.bare,
            type_shift=mark.kind == "type_shift",
            commutes=self._commutes(method, mark, [p.name for p in params]),
        )

    def _signatures(self, method: Method, mark: Mark) -> tuple[Signature, ...]:
        """The signatures of a method, or those that the domain gives in their place."""
        name, params = method.__name__, _parameters(method, mark)
        names = [p.name for p in params]
        for one in self.domain.directional.get(name, ()):
            if one not in names:
                raise DomainError(
                    f"{self.domain.name}.directional[{name!r}]: no parameter {one!r}; "
                    f"there are {', '.join(names) or 'none'}"
                )
        directional = frozenset(map(names.index, self.domain.directional.get(name, ())))
        extracts = name in self.domain.extraction
        if name not in self.domain.signatures:
            overloads = typing.get_overloads(method) or [method]
            plain = [self._hinted(overload, mark) for overload in overloads]
        else:
            given = self.domain.signatures[name]
            hints = given if isinstance(given, tuple) else (given,)
            plain = [self._given(name, hint, params) for hint in hints]
        return tuple(
            replace(
                one,
                extracted=one.params[-1][0] if extracts and one.params else None,
                directional=directional,
            )
            for one in plain
        )

    def _hinted(self, method: Method, mark: Mark) -> Signature:
        try:
            hints = typing.get_type_hints(method)
            params = _parameters(method, mark)
            return _signature([hints[p.name] for p in params], params, hints["return"])
        except (KeyError, NameError) as error:
            raise DomainError(
                f"{self.domain.name}.{method.__name__}: missing hint {error}"
            ) from error

    def _given(self, name: str, hint: object, params: Sequence[inspect.Parameter]) -> Signature:
        types, returns = typing.get_args(hint)
        if len(types) != len(params):
            raise DomainError(f"{self.domain.name}.signatures[{name!r}]: wrong arity")
        return _signature(types, params, returns)

    def _commutes(self, method: Method, mark: Mark, names: Sequence[str]) -> tuple[int, ...]:
        if set(mark.commutes) - set(names) or len(mark.commutes) == 1:
            raise DomainError(
                f"{self.domain.name}.{method.__name__}: commutes={mark.commutes} must name two or "
                f"more of its parameters {', '.join(names)}"
            )
        return tuple(sorted(map(names.index, mark.commutes)))

    def _entity_type(self, method: Method, mark: Mark, first: int) -> EntityType:
        names = mark.names(self.domain) if callable(mark.names) else mark.names
        aliases = mark.aliases(self.domain) if callable(mark.aliases) else (mark.aliases or {})
        where = f"{self.domain.name}.{method.__name__}"
        given = tuple(typing.cast(Iterable[str], names))
        wrong = next((name for name in given if not isinstance(name, str)), None)
        if isinstance(names, str) or wrong is not None:
            shown = names if wrong is None else wrong
            raise DomainError(f"{where}: names must be a list of texts, and {shown!r} is none")
        try:
            pattern = None if mark.pattern is None else re.compile(mark.pattern)
        except re.error as error:
            raise DomainError(
                f"{where}: {mark.pattern!r} is no regular expression: {error}"
            ) from error
        return EntityType(self.constant(method, mark), first, given, aliases, pattern, mark.typos)


def _parameters(method: Method, mark: Mark) -> list[inspect.Parameter]:
    """The arguments in the language: without ``self``, and without the name of an entity."""
    return list(inspect.signature(method).parameters.values())[
        2 if mark.kind == "entities" else 1 :
    ]


def _signature(
    types: Sequence[object], params: Sequence[inspect.Parameter], returns: object
) -> Signature:
    slots = (
        (slot, from_hint(hint), p.default is not p.empty)
        for slot, (hint, p) in enumerate(zip(types, params, strict=True))
    )
    return Signature(tuple(slots), from_hint(returns))

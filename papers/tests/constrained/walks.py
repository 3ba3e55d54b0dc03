"""Random walks over allowed tokens, and small random domains, for tests."""

from __future__ import annotations

import inspect
import random
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from partwise.errors import PartwiseError
from partwise.language.constants import Application, default, entities, predicate, root
from partwise.language.domain import Domain
from partwise.language.open_types import closed_type, open_type_of
from partwise.language.program import Term
from partwise.language.types import match
from partwise_papers.constrained.programs import ProgramConstraint

T = TypeVar("T")
LITERALS = ("Emma", "cake", "5", "'on 5 may'", "'7-8'")
"""Names and numbers that only patterns give."""


class Animal: ...


class Dog(Animal): ...


class Plant: ...


class Many(Generic[T]): ...


class All(Many[T]): ...


HINTS: tuple[Any, ...] = (Animal, Dog, Plant, Many[Animal], Many[Dog], All[Dog], Dog | Plant)
OPEN_HINTS: tuple[Any, ...] = (*HINTS, Many[T], T, Many[object])


def walk(constraint: ProgramConstraint, rng: random.Random) -> list[str]:
    """The tokens of a random text; asserts that it can always go on or end."""
    state, tokens = constraint.start(), list[str]()
    while True:
        allowed = constraint.allowed(state)
        literals = [one for one in LITERALS if one in allowed and one not in allowed.tokens]
        choices = sorted(allowed.tokens) + literals
        if allowed.end and (not choices or rng.random() < 0.5):
            return tokens
        assert choices, f"a dead end after {' '.join(tokens)}"
        tokens.append(rng.choice(choices))
        state = constraint.advance(state, tokens[-1])


def accepts(constraint: ProgramConstraint, tokens: Sequence[str]) -> bool:
    """Whether a text is allowed token by token, and may end."""
    state = constraint.start()
    for token in tokens:
        if token not in constraint.allowed(state):
            return False
        state = constraint.advance(state, token)
    return constraint.allowed(state).end


def is_well_typed(domain: Domain, program: Term) -> bool:
    """Whether a whole program is what the domain may be asked."""
    try:
        kind = closed_type(open_type_of(domain.interpret(program)))
    except PartwiseError:
        return False
    wanted = domain.root_type
    return kind is not None and (wanted is None or match(wanted, kind) is not None)


def random_domain(rng: random.Random) -> Domain:
    """A domain of a few predicates and names, with all that signatures may have."""
    members: dict[str, Any] = {"name": "random"}
    for number in range(rng.randint(1, 5)):
        members[f"f{number}"] = predicate(f"word {number}", name=f"f{number}")(_method(rng))
    lists = (("rex", "rex 's dog"), ("old oak", "oak", "o'neil"), ("may", "5"), ("all", "_"))
    for number, names in enumerate(lists[: rng.randint(1, 4)]):
        pattern = rng.choice((None, r"\d+", r"on \d+ \w+|\d-\d"))
        bare = rng.random() < 0.4
        kind = _typed(rng.choice(HINTS), name=(str, "", None))
        # Types of names may have one constructor.
        head = rng.choice((f"e{number}", "e"))
        made = entities(names, bare=bare, pattern=pattern, name=head)
        members[f"e{number}"] = made(kind)
    if rng.random() < 0.5:
        members["answer"] = root(_typed(object, value=(rng.choice(HINTS), "", None)))
        members["answer"].__name__ = "answer"
    return type("Random", (Domain,), members)()


def _method(rng: random.Random) -> Any:
    params: dict[str, Any] = {}
    for number in range(rng.choice((0, 1, 1, 2, 2, 3))):
        left_out = rng.choice((None, None, "", "_", "f0()"))
        params[f"a{number}"] = (rng.choice(OPEN_HINTS), rng.choice(("", "", "k")), left_out)
    bound = any("T" in str(hint) and "~T" in str(hint) for hint, _, _ in params.values())
    return _typed(rng.choice((*HINTS, Many[T]) if bound else HINTS), **params)


def _typed(returns: Any, **params: tuple[Any, str, str | None]) -> Any:
    """A method by its hints: for each parameter its own, ``*`` or ``k``(eyword), and a default."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        raise NotImplementedError

    kinds = {"": 1, "*": 2, "k": 3}
    made = [
        inspect.Parameter(
            name,
            list(inspect._ParameterKind)[kinds[how]],
            default=inspect.Parameter.empty if text is None else default(text),
        )
        for name, (_, how, text) in sorted(params.items(), key=lambda one: one[1][1] == "k")
    ]
    # Python wants those with a default last.
    made.sort(key=lambda one: (one.kind, one.default is not inspect.Parameter.empty))
    method.__dict__["__signature__"] = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *made]
    )
    method.__annotations__ = {name: hint for name, (hint, _, _) in params.items()}
    method.__annotations__["return"] = returns
    return method


def random_programs(domain: Domain, rng: random.Random, tries: int = 60) -> list[Term]:
    """Well-typed programs, made by applying constants to programs at random."""
    pool: list[Application] = []
    for _ in range(tries):
        constant = domain.vocabulary[rng.randrange(len(domain.vocabulary))]

        args = tuple(
            rng.choice(pool) if pool and rng.random() < 0.75 else None for _ in constant.defaults
        )
        made = Application(constant, args)
        if made.term().depth < 7:
            try:
                kind = closed_type(open_type_of(made))
                pool += [made] if kind is not None else []
            except PartwiseError:
                continue
    programs = [domain.canonical(domain.wrap(one.term())) for one in pool]
    return [program for program in programs if is_well_typed(domain, program)]

"""A domain: a Python class whose type-hinted methods are both its predicates and its executor.

    class Library(Domain):
        @entities(names=("emma", "dracula"))
        def book(self, name: str) -> One[Book]: ...

        @predicate("author", "written by")
        def author(self, of: Books) -> Many[Author]: ...

        @root
        def answer(self, value: Many[Author] | One[Book]) -> object: ...

The hints are the signatures of the type system, `typing.overload` gives alternatives, a default
made by `default` marks an optional argument, and the arguments of a predicate may arrive in any
order. Phrases stand in the decorator. A subclass may re-type inherited predicates with
`signatures` and add phrases with `lexicon`.
"""

from __future__ import annotations

import collections.abc
import typing
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from partwise.errors import DomainError, ExecutionError, UnknownConstantError
from partwise.language.canonical import CanonicalOrder
from partwise.language.declaration import Declaration
from partwise.language.declare import Application as Application
from partwise.language.declare import Constant as Constant
from partwise.language.declare import Default as Default
from partwise.language.declare import Signature as Signature
from partwise.language.declare import default as default
from partwise.language.declare import entities as entities
from partwise.language.declare import predicate as predicate
from partwise.language.declare import root as root
from partwise.language.declare import type_shift as type_shift
from partwise.language.interpreter import call, evaluate, interpret
from partwise.language.matcher import PhraseMatcher
from partwise.language.program import Term, parse_program
from partwise.language.shared import SharedArguments
from partwise.language.typed import Typing, typed_matcher
from partwise.language.types import After as After
from partwise.language.types import Before as Before
from partwise.language.types import Pattern, from_hint
from partwise.language.vocabulary import Constants, Vocabulary

RENAMED = {
    "middles": "infix",
    "floating": "scope_raising",
    "fronting": "extraction",
    "following": "directional",
    "implied": "type_shifts",
    "normalize": "canonical",
    "execute": "run",
}
"""Members of domains by their names before version 0.2."""


class Domain:
    """Base class of all domains; see the module's docstring for how to write one."""

    name: ClassVar[str] = "domain"
    runnable: ClassVar[bool] = True
    signatures: ClassVar[Mapping[str, object]] = {}
    """Other signatures for predicates: name -> ``Callable[[...], ...]`` or a tuple of them."""
    lexicon: ClassVar[Mapping[str, Sequence[str]]] = {}
    """More phrases for categories, as ``{"stateid('ohio')": ["the buckeye state"]}``."""
    annotation: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Phrases for the annotation of trees, where a person would point at other words than the
    lexicon has; see `partwise.span.annotation.lexicon`."""
    typing: ClassVar[Typing] = Typing()
    """What people type in place of its words, for parsers that are to read it; see
    `partwise.language.typed`."""
    infix: ClassVar[Sequence[str] | None] = None
    """Infix operators: predicates that may stand in the middle of a ternary join; None for all."""
    scope_raising: ClassVar[Sequence[str]] = ()
    """Scope-raising operators: predicates that take scope over the phrase around them, as in
    "borders the most states"."""
    extraction: ClassVar[Sequence[str]] = ()
    """Predicates whose last argument may be extracted: it follows them or stands in front of the
    whole phrase that they are in, as in "there is a cube; how many things are left of it?"."""
    directional: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Predicate -> parameters whose arguments are directional (the slashes of categorial grammars):
    they only follow it, as in "cubes left of the sphere"; others stand on either side. A hint
    ``After[Things]`` says the same, and `Before` that an argument is in `preceding`."""
    preceding: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Predicate -> parameters whose arguments only stand before it, as in "emma gave"."""
    shared: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Predicate -> an argument within it, by its path -> the one that fills it, too: with
    ``{"want": {"what.agent": "agent"}}``, who wants to sleep is who sleeps."""
    answers: ClassVar[object | None] = None
    """What a whole program may return, as a type hint, in a domain without a `root`."""
    examples: ClassVar[Sequence[str]] = ()
    """Questions to begin with, shown to people who ask."""
    parser: ClassVar[str] = "span"
    """Name of the parser that is trained for it where nothing else is asked for."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, value in vars(cls).items():
            marked = hasattr(value, "__partwise__")
            if name in RENAMED and not marked:
                raise DomainError(f"{cls.__name__}.{name} is now called {RENAMED[name]}; rename it")
            if marked and hasattr(Domain, name):
                raise DomainError(
                    f"{cls.__name__}.{name} cannot be a predicate: every domain has a member of "
                    "this name; choose another"
                )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All that programs are made of: predicates and entities as declared, then type shifts."""
        return self._declared.vocabulary()

    @cached_property
    def _declared(self) -> Declaration:
        return Declaration(self)

    @cached_property
    def constants(self) -> Sequence[Constant]:
        """All categories: predicates, then listed entities, as declared."""
        return Constants(self.vocabulary, range(self.vocabulary.n_listed))

    @cached_property
    def type_shifts(self) -> tuple[Constant, ...]:
        """The type-shifting operators: predicates that no word names."""
        return self._declared.constants("type_shift")

    @cached_property
    def categories(self) -> dict[str, int]:
        """Category name -> its number, of all predicates and listed entities."""
        return {constant.category: constant.number for constant in self.constants}

    @cached_property
    def matcher(self) -> PhraseMatcher:
        """What finds phrases of the categories in questions."""
        return PhraseMatcher(self.vocabulary)

    @cached_property
    def typed_matcher(self) -> PhraseMatcher:
        """The same with inflected forms, and with the phrases of `typing`."""
        return typed_matcher(self.vocabulary, self.typing)

    @property
    def phrases(self) -> Mapping[tuple[str, ...], Sequence[int]]:
        """Words of a phrase -> numbers of the categories that it may name, as written."""
        return self.matcher.exact

    @cached_property
    def _root(self) -> Constant | None:
        roots = self._declared.constants("root")
        if len(roots) > 1:
            names = ", ".join(constant.head for constant in roots)
            raise DomainError(f"{self.name}: more than one @root: {names}")
        return roots[0] if roots else None

    @property
    def root_name(self) -> str | None:
        """Name of the predicate around whole programs, if the domain has one."""
        return None if self._root is None else self._root.head

    @cached_property
    def root_type(self) -> Pattern | None:
        """What a whole program may return; None for anything."""
        if self._root is not None:
            return self._root.signatures[0].params[0][1]
        return None if self.answers is None else from_hint(self.answers)

    def canonical(self, program: Term) -> Term:
        """A program with its arguments in order; see `partwise.language.canonical`.

        A domain with several spellings overrides this, and calls it.
        """
        return self._canonical_order(program)

    @cached_property
    def _canonical_order(self) -> CanonicalOrder:
        known = self.vocabulary
        named = (one.blank for one in known.types if not one.blank.bare)
        return CanonicalOrder((*known.predicates, *self.type_shifts, *named))

    @cached_property
    def shared_arguments(self) -> SharedArguments:
        """What copies the arguments of `shared`."""
        known = self.vocabulary
        constants = (*known.predicates, *self.type_shifts, *(one.blank for one in known.types))
        return SharedArguments(self.name, constants, self.shared)

    def read(self, text: str) -> Term:
        """The program that a text spells; see `parse_program`."""
        return parse_program(text)

    def write(self, program: Term, context: Any = None) -> str:
        """The text of a program, as `read` takes it; no program depends on a context."""
        return program.text()

    def interpret(self, program: Term) -> Application:
        """A whole program as applications of constants, the root predicate taken off.

        Raises:
            UnknownConstantError: for a name the domain lacks, or a wrong number of arguments.
        """
        program = self.canonical(program)
        name, args = self.root_name, program.args or ()
        if name is None:
            return interpret(self, program)
        if program.symbol != name or len(args) != 1:
            raise UnknownConstantError(
                f"a program of {self.name} has the form {name}(...), not {program}"
            )
        return interpret(self, args[0])

    def wrap(self, program: Term) -> Term:
        """Put the root predicate around a program, whose shared arguments are copied."""
        if self.shared:
            program = self.shared_arguments.copied(interpret(self, program)).term()
        return program if self.root_name is None else Term(self.root_name, (program,))

    def run(self, program: Term, context: Any = None) -> Any:
        """Run a program by calling the methods from the leaves up, in this process.

        Nothing bounds them; see `partwise.execution.programs` for a process that does.

        Args:
            context: see `about`.

        Raises:
            ExecutionError: if a method fails; the message names it.
        """
        program = self.canonical(program)
        domain, name = self.about(context), self.root_name
        if name is None or program.symbol != name:
            return evaluate(domain, interpret(self, program))
        return call(domain, name, [evaluate(domain, self.interpret(program))], program.text)

    def about(self, context: Any) -> Domain:
        """This domain with what a question is about; itself where that is always the same.

        A domain over many small worlds (scenes, tables) overrides this to return a copy that
        executes in the given one, and raises ExecutionError where none is given.
        """
        if context is not None:
            raise ExecutionError(f"the domain {self.name} takes no context, but one was given")
        return self

    def read_context(self, text: str) -> Any:
        """A context from what a user gave on the command line, as the name of a file."""
        raise ExecutionError(f"the domain {self.name} takes no context, but {text!r} was given")

    def denotation(self, value: Any) -> collections.abc.Hashable:
        """What two answers are compared by; override where the executor's values need it."""
        return typing.cast(collections.abc.Hashable, value)

    def surprise(self, program: Term) -> float:
        """What is taken off the score of a whole program, in units of `span.decoding.SURPRISE`."""
        return 0.0

    def partial_matches(self, gold: Term, predicted: Term) -> Mapping[str, bool]:
        """Nothing: programs are right or wrong as a whole."""
        return {}

    def question_group(self, program: Term) -> str:
        """None: only examples say what kind of question they are."""
        return ""

    def is_empty(self, value: Any) -> bool:
        """Whether an answer says nothing (used when alternatives are tried in turn)."""
        return value is None or value in ((), [], frozenset())

    def show(self, value: Any) -> list[str]:
        """An answer as lines for a person."""
        return [str(value)]

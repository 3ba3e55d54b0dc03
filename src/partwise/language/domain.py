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
import inspect
import keyword
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from partwise.errors import DomainError, ExecutionError, PartwiseError, UnknownConstantError
from partwise.language.arguments import CanonicalOrder, SharedArguments
from partwise.language.constants import Application as Application
from partwise.language.constants import Constant as Constant
from partwise.language.constants import Constants, EntityType, Mark, Vocabulary, default_term
from partwise.language.constants import Default as Default
from partwise.language.constants import Signature as Signature
from partwise.language.constants import default as default
from partwise.language.constants import entities as entities
from partwise.language.constants import predicate as predicate
from partwise.language.constants import root as root
from partwise.language.constants import type_shift as type_shift
from partwise.language.matcher import PhraseMatcher
from partwise.language.program import Term, is_symbol, parse_program
from partwise.language.typed import Typing, typed_matcher
from partwise.language.types import After as After
from partwise.language.types import Before as Before
from partwise.language.types import Pattern, from_hint, is_concrete, match, stands

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
    lexicon has; see `partwise.span.annotation`."""
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
        return self._declaration.vocabulary()

    @cached_property
    def _declaration(self) -> Declaration:
        return Declaration(self)

    @cached_property
    def constants(self) -> Sequence[Constant]:
        """All categories: predicates, then listed entities, as declared."""
        return Constants(self.vocabulary, range(self.vocabulary.n_listed))

    @cached_property
    def type_shifts(self) -> tuple[Constant, ...]:
        """The type-shifting operators: predicates that no word names."""
        return self._declaration.constants("type_shift")

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
        roots = self._declaration.constants("root")
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
        """A program with its arguments in order; see `partwise.language.arguments`. A domain with
        several spellings overrides this, and calls it."""
        return self._canonical_order(program)

    @cached_property
    def _canonical_order(self) -> CanonicalOrder:
        known = self.vocabulary
        named = (entity_type.blank for entity_type in known.types if not entity_type.blank.bare)
        return CanonicalOrder((*known.predicates, *self.type_shifts, *named))

    @cached_property
    def shared_arguments(self) -> SharedArguments:
        known = self.vocabulary
        constants = (
            *known.predicates,
            *self.type_shifts,
            *(entity_type.blank for entity_type in known.types),
        )
        return SharedArguments(self.name, constants, self.shared)

    def read(self, text: str) -> Term:
        """The program that a text spells; see `parse_program`."""
        return parse_program(text)

    def write(self, program: Term, context: Any = None) -> str:
        """The text of a program, as `read` takes it; no program depends on a context."""
        return program.text()

    def interpret(self, program: Term) -> Application:
        """A whole program as applications of constants, the root predicate taken off. Raises
        UnknownConstantError for a name the domain lacks, or a wrong number of arguments."""
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
            program = self.shared_arguments.copy_arguments(interpret(self, program)).term()
        return program if self.root_name is None else Term(self.root_name, (program,))

    def run(self, program: Term, context: Any = None) -> Any:
        """Run a program by calling the methods from the leaves up, in this process; nothing bounds
        them, see `partwise.execution.programs`. Raises ExecutionError if a method fails; the
        message names it."""
        program = self.canonical(program)
        domain, name = self.about(context), self.root_name
        if name is None or program.symbol != name:
            return evaluate(domain, interpret(self, program))
        return call(domain, name, [evaluate(domain, self.interpret(program))], program.text)

    def about(self, context: Any) -> Domain:
        """This domain with what a question is about; itself where that is always the same. A domain
        over many small worlds (scenes, tables) overrides this to return a copy that executes in the
        given one, and raises ExecutionError where none is given."""
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
            members |= {
                name: function
                for name, function in vars(cls).items()
                if inspect.isfunction(function)
            }
        for name, method in members.items():
            # An override without a decorator keeps that of what it overrides.
            marks = (getattr(vars(cls).get(name), "__partwise__", None) for cls in classes)
            given = next((mark for mark in marks if mark is not None), ())
            self.marked += [(method, mark) for mark in given]

    def methods(self, kind: str) -> list[tuple[Method, Mark]]:
        return [(method, mark) for method, mark in self.marked if mark.kind == kind]

    def constants(self, kind: str) -> tuple[Constant, ...]:
        return tuple(self.constant(method, mark) for method, mark in self.methods(kind))

    def vocabulary(self) -> Vocabulary:
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
        unknown = sorted(lexicon.keys() - {shift.category for shift in domain.type_shifts})
        unknown = [name for name in unknown if all(kind.name_of(name) is None for kind in types)]
        if unknown:
            raise DomainError(f"{domain.name}: lexicon entries for unknown categories: {unknown}")
        return Vocabulary(domain.name, shown, types, domain.type_shifts)

    def constant(self, method: Method, mark: Mark) -> Constant:
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
            keywords=tuple(_name_of(p) for p in params if p.kind is p.KEYWORD_ONLY),
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
            for parameter in side:
                if parameter not in names:
                    raise DomainError(
                        f"{domain.name}.{attribute}[{head!r}]: no parameter {parameter!r}; "
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
        entity_type = EntityType(
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
            name = entity_type.name_of(category)
            if name is not None:
                aliases[name] = (*aliases.get(name, ()), *phrases)
        return entity_type


def _parameters(method: Method, mark: Mark) -> Parameters:
    """The arguments in the language: without ``self``, and without the name of an entity."""
    skipped = 2 if mark.kind == "entities" else 1
    return list(inspect.signature(method).parameters.values())[skipped:]


def _name_of(parameter: inspect.Parameter) -> str:
    """What programs call a parameter: ``with`` where Python has ``with_``."""
    plain = parameter.name.removesuffix("_")
    return plain if keyword.iskeyword(plain) else parameter.name


def interpret(domain: Domain, term: Term) -> Application:
    """A program, without a root predicate, as applications of constants. Raises
    UnknownConstantError for a name the domain lacks, or too many arguments."""
    constant, rest = _constant(domain, term)
    if constant.variadic and not term.keywords:
        return Application(constant, tuple(interpret(domain, arg) for arg in rest))
    slots, ordered = len(constant.defaults), len(rest) - len(term.keywords)
    if ordered > slots - len(constant.keywords):
        takes = "".join(f", and by name {name}" for name in constant.keywords)
        raise UnknownConstantError(
            f"{term.symbol} takes {slots - len(constant.keywords)} argument(s){takes}, "
            f"not {ordered}: {term}"
        )
    defaults = [default_term(text) for text in constant.defaults]
    parts = [None if arg in defaults else interpret(domain, arg) for arg in rest]
    placed: list[Application | None] = [None] * slots
    slots_of = [*places(constant, rest[:ordered], parts), *_places_of_names(constant, term)]
    for slot, arg, part in zip(slots_of, rest, parts, strict=True):
        # Text of a default elsewhere than in its own place is a program like any other.
        if arg != defaults[slot]:
            placed[slot] = part or interpret(domain, arg)
    return Application(constant, tuple(placed))


def _places_of_names(constant: Constant, term: Term) -> Iterator[int]:
    first = len(constant.defaults) - len(constant.keywords)
    for name in term.keywords:
        if name not in constant.keywords:
            known = ", ".join(constant.keywords) or "none"
            raise UnknownConstantError(
                f"{term.symbol} has no argument that is called {name}; there are: {known}"
            )
        yield first + constant.keywords.index(name)


def _constant(domain: Domain, term: Term) -> tuple[Constant, Sequence[Term]]:
    args = term.args or ()
    named = _has_name(domain, term)
    if len(args) == 1 and not named:
        constant, rest = _entity(domain, args[0])
        if constant is not None and constant.inside == term.symbol:
            return constant, rest
    if term.args is None or named:
        what = "entity" if named else "constant"
        label = f"{term.symbol}({args[0]})" if named else str(term)
        constant, rest = _entity(domain, term)
        if constant is not None and constant.inside:
            raise UnknownConstantError(
                f"{domain.name} has {label} only inside {constant.inside}(...)"
            )
    else:
        what, label, rest = "predicate", term.symbol, args
        constant = domain.vocabulary.find(term.symbol, None)
    if constant is None:
        raise UnknownConstantError(f"{domain.name} has no {what} {label}")
    return constant, rest


def _has_name(domain: Domain, term: Term) -> bool:
    """Whether it is a constructor with its name, and no predicate of a bare name in quotes."""
    if not term.args or not term.args[0].quoted or len(term.keywords) == len(term.args):
        return False
    find, name = domain.vocabulary.find, term.args[0].symbol
    return find(term.symbol, name) is not None or find("", name) is None


def _entity(domain: Domain, term: Term) -> tuple[Constant | None, Sequence[Term]]:
    if term.args is None:
        return domain.vocabulary.find("", term.symbol), ()
    if not term.args or not _has_name(domain, term):
        return None, ()
    return domain.vocabulary.find(term.symbol, term.args[0].symbol), term.args[1:]


def places(
    constant: Constant, args: Sequence[Term], parts: Sequence[Application | None]
) -> Sequence[int]:
    """The slot of each argument, in order. A program leaves out arguments whose default has no
    text, so with fewer arguments than slots an argument stands in the next slot whose type it may
    have. Where that leads nowhere the program is ill-typed, and slots are taken in order, so that
    the types say what is wrong."""
    slots = iter(range(len(constant.defaults)))
    placed: list[int] = []
    for arg, part in zip(args, parts, strict=False):
        for slot in slots:
            if _may_stand(constant, slot, arg, part):
                placed.append(slot)
                break
            if constant.defaults[slot] or not is_optional(constant, slot):
                return range(len(args))
        else:
            return range(len(args))
    return placed


def _may_stand(constant: Constant, slot: int, arg: Term, part: Application | None) -> bool:
    if part is None:
        return default_term(constant.defaults[slot]) == arg
    return any(
        not is_concrete(given.returns)
        or not is_concrete(pattern)
        or match(pattern, given.returns) is not None
        for signature in constant.signatures
        for number, pattern, _ in signature.params
        for given in part.constant.signatures
        if number == slot
    )


def is_optional(constant: Constant, slot: int) -> bool:
    """Whether some signature does without it, or has it as optional."""
    return any(
        all(optional for number, _, optional in signature.params if number == slot)
        for signature in constant.signatures
    )


def evaluate(domain: Domain, program: Application) -> Any:
    """Call the domain's methods from the leaves up. Raises ExecutionError if a method fails; names
    it."""
    constant = program.constant
    if constant.variadic:
        parts = [evaluate(domain, arg) for arg in program.args if arg is not None]
        return call(domain, constant.method, parts, program.term)
    values: list[Any] = [] if constant.name is None else [constant.name]
    for slot, (arg, text) in enumerate(zip(program.args, constant.defaults, strict=True)):
        if arg is None and not is_optional(constant, slot):
            raise ExecutionError(
                f"{constant.head} lacks its argument {slot + 1} in {program.term()}"
            )
        if arg is None:
            # What a text means that stands for an argument left out, if it is a program.
            term = default_term(text)
            arg = interpret(domain, term) if term is not None and term.args is not None else None
        values.append(Default(text) if arg is None else evaluate(domain, arg))
    ordered = len(values) - len(constant.keywords)
    called = constant.parameters[len(constant.parameters) - len(constant.keywords) :]
    named = dict(zip(called, values[ordered:], strict=True))
    return call(domain, constant.method, values[:ordered], program.term, named)


def call(
    domain: Domain,
    name: str,
    values: Sequence[Any],
    term: Callable[[], object],
    named: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Call one method; `term` makes the program that the message shows. Raises ExecutionError if it
    fails with anything but one of this package's errors."""
    try:
        return getattr(domain, name)(*values, **named)
    except PartwiseError:
        raise
    except Exception as error:
        raise ExecutionError(
            f"{name} failed with {type(error).__name__}: {error} in {term()}"
        ) from error

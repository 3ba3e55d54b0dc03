"""The whole validation of a domain and its examples: what cannot work, why, and what to do.

Examples cannot be read, do not type, contradict each other, fail or give another answer; or no tree
over the question yields the program (the chart's reach). Some of that tells what the domain may
have to declare for them.
"""

import difflib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.text import Text

from partwise.authoring.declarations import (
    Coverage,
    Heads,
    phrase_issues,
    place_in_message,
    place_of,
    place_of_error,
    show_path,
    usage_issues,
)
from partwise.chart import charts
from partwise.chart.scores import NEVER, SpanScores
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError, PartwiseError, UnknownConstantError
from partwise.interface.data import Example
from partwise.interface.domain import Issue, Severity
from partwise.interface.jsonl import fields_of, line_reader, read_bytes
from partwise.language.constants import Application, Constant
from partwise.language.domain import Domain
from partwise.language.matcher import Match
from partwise.language.program import Term, parse_program
from partwise.language.text import Words, tokenize
from partwise.language.typed import TypedReader, Typing

Typed = tuple[Example[Term], Application]
"""An example whose program types, and the program."""
COLORS: dict[Severity, str] = {"error": "bold red", "warning": "yellow", "note": "cyan"}
"""In the terminal, the gravest first."""


@dataclass
class DomainReport:
    """The issues of a domain and its examples. `pairs`: how many examples were read; `coverage`:
    what they use of the language, if it can be told."""

    domain: str
    issues: list[Issue] = field(default_factory=list)
    pairs: int | None = None
    coverage: Coverage | None = None

    @property
    def errors(self) -> list[Issue]:
        return [issue for issue in self.issues if issue.severity == "error"]

    @property
    def ok(self) -> bool:
        return not self.errors

    def ordered(self) -> list[Issue]:
        return sorted(self.issues, key=lambda issue: list(COLORS).index(issue.severity))

    def counts(self) -> dict[str, int]:
        return {name: sum(issue.severity == name for issue in self.issues) for name in COLORS}

    def to_json(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "ok": self.ok,
            "counts": self.counts(),
            "pairs": self.pairs,
            "coverage": None if self.coverage is None else self.coverage.to_json(),
            "findings": [asdict(issue) for issue in self.ordered()],
        }

    def lines(self) -> Iterator[Text]:
        for issue in self.ordered():
            place = f"  {issue.where}  " if issue.where else "  "
            severity = (issue.severity, COLORS[issue.severity])
            yield Text.assemble(severity, place, (issue.what, "bold"))
            yield Text(f"    {issue.why}")
            if issue.suggestion:
                yield Text(f"    -> {issue.suggestion}", "green")
        counts = [f"{n} {name}{'s' * (n != 1)}" for name, n in self.counts().items()]
        yield Text(f"{self.domain}: {', '.join(counts) if self.issues else 'nothing found'}")
        if self.coverage is not None:
            yield Text(f"{self.pairs} pairs use {self.coverage}")


SECONDS = 60.0
"""Time for looking at examples one by one, unless told otherwise."""


def validate_domain(
    domain: Domain, examples: str | Path | None = None, seconds: float = SECONDS
) -> DomainReport:
    """Validate a domain, and with a file of examples those. What is wrong is in the report and
    never raised; but the domain's own methods run, which may take any time. Examples that are not
    reached within `seconds` are neither run nor searched for trees. Raises DataError if the file
    cannot be opened."""
    read, unreadable = ([], []) if examples is None else read_examples(Path(examples))
    report = DomainReport(domain.name, unreadable)
    try:
        heads = Heads(TypeAlgebra(domain))
    except Exception as error:
        # Names may come from the user's own code, which may fail in any way.
        report.issues.append(declaration_issue(error, domain))
        return report
    report.issues += usage_issues(heads)
    typed, untyped = type_examples(heads, read)
    coverage = Coverage(heads, (program for _, program in typed))
    if examples is not None:
        report.pairs, report.coverage = len(read), coverage
        report.issues += untyped
        report.issues += unstable_names(domain, read)
        if unstable := [*unstable_forms(domain, typed)]:
            report.issues += unstable
        else:
            report.issues += contradictions(domain, typed)
        report.issues += _one_by_one(heads, typed, seconds)
        why = "no pair uses it, so a parser learns nothing about it"
        advice = "write a pair that does"
        report.issues += (
            Issue("warning", "unused-by-pairs", head.title, why, advice, head.where)
            for head in heads.all.values()
            if head.name not in coverage.heads and head.state in heads.used
        )
    questions = [example.question for example, _ in typed]
    report.issues += phrase_issues(heads, questions, coverage.heads)
    return report


def declaration_issue(error: Exception, domain: Domain | None = None) -> Issue:
    known = isinstance(error, PartwiseError)
    why = str(error) if known else f"{type(error).__name__}: {error}"
    where = place_of_error(error) or (place_in_message(domain, why) if domain else "")
    advice = "fix this first; nothing else can be checked before"
    if "missing hint" in why:
        advice = "give every argument and the result a type hint; the classes must be at the top"
    if "declared twice" in why:
        advice = "use different names: each is a word of the language"
    return Issue("error", "declaration", "domain", why, advice, where)


def _one_by_one(heads: Heads, typed: Sequence[Typed], seconds: float) -> Iterator[Issue]:
    reach, end = Reach(heads.types), time.monotonic() + seconds
    for number, (example, program) in enumerate(typed):
        if time.monotonic() > end:
            what, advice = f"{len(typed) - number} pairs", "give more --seconds"
            why = f"were typed but neither run nor searched for trees: {seconds:g} s were over"
            yield Issue("warning", "unfinished", what, why, advice)
            return
        yield from check_reach(reach, example, program)
        if heads.domain.runnable:
            yield from run_example(heads.domain, example)


LINE = 'a line holds {"question": "...", "program": "..."}'
SHOWN = 5
"""Lines of an answer in a message."""
MAX_NAMES = 5_000
"""Names that an unknown one is compared with."""


def read_examples(file: Path) -> tuple[list[Example[Term]], list[Issue]]:
    """The examples of a file; lines that cannot be read are issues. An example's `source` is its
    place for people, its `answer` the lines that the file gives. Raises DataError if the file
    cannot be opened."""
    data = read_bytes(file, f"a UTF-8 text file; {LINE}").removeprefix(b"\xef\xbb\xbf")
    read = line_reader(parse_program)
    examples: list[Example[Term]] = []
    issues: list[Issue] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        where = f"{show_path(str(file))}:{number}"
        try:
            if line.strip():
                examples.append(replace(read(line, where), answer=_answer(fields_of(line))))
        except DataError as error:
            issues.append(Issue("error", "unreadable-pair", "pair", str(error), LINE, where))
    if not examples and not issues:
        what, why = "file of pairs", "holds no examples"
        issues.append(Issue("error", "unreadable-pair", what, why, LINE, show_path(str(file))))
    return examples, issues


def _answer(fields: dict[str, Any]) -> tuple[str, ...] | None:
    given = fields.get("answer")
    if isinstance(given, list):
        return tuple(map(str, given))
    return None if given is None else (str(given),)


def type_examples(
    heads: Heads, examples: Sequence[Example[Term]]
) -> tuple[list[Typed], list[Issue]]:
    typed: list[Typed] = []
    issues: list[Issue] = []
    for example in examples:
        try:
            typed.append((example, heads.types.check(example.meaning)))
        except PartwiseError as error:
            what, advice = f"program {example.meaning}", _advice(heads, example.meaning, error)
            where = example.source
            issues.append(Issue("error", "untyped-pair", what, str(error), advice, where))
    return typed, issues


def _advice(heads: Heads, program: Term, error: PartwiseError) -> str:
    root = heads.domain.root_name
    if root is not None and (program.symbol != root or len(program.args or ()) != 1):
        try:
            heads.types.check(heads.domain.wrap(program))
        except PartwiseError:
            return f"write {root}(...)"
        return f"write {root}({program})"
    if isinstance(error, UnknownConstantError):
        hints = dict.fromkeys(_unknown(heads, program))
        return "; ".join(hints) or "see the names and predicates of the domain"
    return "change the program, or the type hints of the predicate that it names"


def _unknown(heads: Heads, program: Term) -> Iterator[str]:
    vocabulary = heads.domain.vocabulary
    methods = {one.method: one.head for one in vocabulary.predicates}
    methods |= {one.blank.method: one.head for one in vocabulary.types}
    declared = {*heads.all, *(one.head for one in vocabulary.types)}
    known = {heads.domain.root_name, *declared, *(one.head for one in heads.domain.type_shifts)}
    for term in program.walk():
        name = term.symbol
        if term.quoted or (term.args is None and name not in declared):
            continue
        if name in known:
            yield from _misused(heads, term)
        elif name in methods:
            yield f"{name!r} is called {methods[name]!r} in programs"
        elif not name.isidentifier():
            yield f"{name!r} is not known: declare it as @predicate(name={name!r})"
        else:
            yield from _nearest(name, sorted(declared), "is not known")


def _misused(heads: Heads, term: Term) -> Iterator[str]:
    """What may be wrong with a call of what is declared."""
    vocabulary, head = heads.domain.vocabulary, term.symbol
    types = [one for one in vocabulary.types if one.head == head]
    if term.args is None or (types and not term.is_of_name):
        given = "'NAME'" if types else "..." * bool(heads.all[head].sample.defaults)
        yield f"{head!r} is declared as {head}({given})"
    elif term.is_of_name and vocabulary.find(head, name := term.args[0].symbol) is None:
        written = [one.find_name(name) for one in types if one.pattern]
        if right := [one for one in written if one and vocabulary.find(head, one)]:
            yield f"{name!r} is written {right[0]!r} in programs"
        names = [one for kind in types for one in kind.names[:MAX_NAMES]]
        yield from _nearest(name, names, f"is no name of {head}")


def _nearest(name: str, known: Sequence[str], what: str) -> Iterator[str]:
    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), list(folded), 1, 0.6)
    if close:
        yield f"{name!r} {what}: did you mean {folded[close[0]]!r}?"
    elif known:
        few = ", ".join(sorted(known)[:8])
        yield f"{name!r} {what}; there are {few}{', ...' if len(known) > 8 else ''}"


def contradictions(domain: Domain, typed: Sequence[Typed]) -> Iterator[Issue]:
    first: dict[tuple[str, ...], Example[Term]] = {}
    for example, _ in typed:
        earlier = first.setdefault(tokenize(example.question).words, example)
        if earlier is example:
            continue
        what = f"question {example.question!r}"
        mine, theirs = (domain.canonical(case.meaning) for case in (example, earlier))
        if mine != theirs:
            why = f"has another program than at {earlier.source}: {mine}, not {theirs}"
            advice = "a question means one thing: correct the one that is wrong"
            yield Issue("error", "contradiction", what, why, advice, example.source)
        else:
            why = f"is at {earlier.source} already, with the same program"
            yield Issue("note", "repeated-pair", what, why, "", example.source)


def unstable_names(domain: Domain, examples: Sequence[Example[Term]]) -> Iterator[Issue]:
    """Kinds of names whose `normal` changes what it gave for a text of a question."""
    for kind in domain.vocabulary.types:
        found = (
            (match[0], name)
            for example in examples
            for match in (kind.pattern.finditer(example.question) if kind.pattern else ())
            if (name := kind.find_name(match[0])) is not None
        )
        for text, name in found:
            if (again := kind.find_name(name)) != name:
                why = f"normal makes {name!r} of {text!r}, and {again!r} of that: it is no name"
                advice = "let normal give what it leaves as it is"
                where = place_of(domain, kind.blank.method)
                yield Issue("error", "unstable-form", f"names of {kind.head}", why, advice, where)
                break


def unstable_forms(domain: Domain, typed: Sequence[Typed]) -> Iterator[Issue]:
    """Pairs whose canonical program has another canonical program, or none."""
    for example, _ in typed:
        try:
            form = domain.canonical(example.meaning)
            again: object = domain.canonical(form)
        except Exception as error:
            form, again = example.meaning, f"an error: {error}"
        if again != form:
            why = f"the canonical form of {form} is another one: {again}"
            advice = "let canonical give what it leaves as it is, or equal programs count as others"
            what = f"program {example.meaning}"
            yield Issue("error", "unstable-form", what, why, advice, example.source)


def run_example(domain: Domain, example: Example[Term]) -> Iterator[Issue]:
    what, where = f"program {example.meaning}", example.source
    try:
        value = domain.run(example.meaning, example.context)
        lines = domain.show(value)
        hash(domain.denotation(value))
    except Exception as error:
        why, at = f"fails to run: {error}", place_of_error(error)
        advice = f"see {at}" if at else "fix the method that it names"
        if not isinstance(error, PartwiseError):
            why = f"its answer cannot be shown or compared: {type(error).__name__}: {error}"
            advice = "let the domain's denotation give something hashable, as a frozenset"
        yield Issue("error", "failing-pair", what, why, advice, where)
        return
    answer = example.answer
    if isinstance(answer, tuple) and sorted(answer) != sorted(lines):
        why = f"gives {_few(lines)}; the pair says {_few(answer)}"
        yield Issue("error", "other-answer", what, why, "correct the one or the other", where)
    elif domain.is_empty(value) and answer is None:
        advice = 'fix the program or its method; if it is meant, give the pair "answer": []'
        yield Issue("warning", "empty-answer", what, "gives an empty answer", advice, where)


def _few(lines: Sequence[object]) -> str:
    few = ", ".join(sorted(map(str, lines))[:SHOWN])
    return (f"{few}, ... ({len(lines)})" if len(lines) > SHOWN else few) or "nothing"


def missing(domain: Domain, words: Words, program: Application) -> Iterator[str]:
    matches = domain.matcher.find(words)
    parts = [part for part in program.walk() if not part.constant.type_shift]
    joining = list(dict.fromkeys(_conjunctions(parts)))
    for head in joining:
        yield (
            f"if {head} joins any number of parts and has no word, declare it as @type_shift over "
            "*parts"
        )
    known = {match.number for match in matches}
    silent = [
        part.constant.head
        for part in parts
        if not part.constant.is_entity
        and part.constant.number not in known
        and part.constant.head not in joining
    ]
    if silent and len(parts) > len(words):
        shown = ", ".join(dict.fromkeys(silent))
        yield f"if no word stands for {shown}, declare it as @type_shift(of_phrases=True)"
    yield from _find_repeats(parts, matches)
    yield from _crossing(program, matches, words)


def _conjunctions(parts: Sequence[Application]) -> Iterator[str]:
    """Predicates that join like things: their arguments may be swapped, or they hold themselves."""
    for part in parts:
        inner = [arg.constant.head for arg in part.args if arg is not None]
        if len(part.constant.commutes) > 1 or (len(inner) > 1 and part.constant.head in inner):
            yield part.constant.head


def _find_repeats(parts: Sequence[Application], matches: Sequence[Match]) -> Iterator[str]:
    wanted = Counter(part.constant.number for part in parts if part.constant.is_entity)
    named = Counter(match.number for match in matches)
    for part in parts:
        number = part.constant.number
        if 0 < named[number] < wanted[number]:
            wanted[number] = 0
            yield (
                f"if one mention of {part.constant.category} fills several arguments, declare "
                "which is a copy of which in `shared`"
            )


def _crossing(program: Application, matches: Sequence[Match], words: Words) -> Iterator[str]:
    several = Counter(part.constant.number for part in program.walk())
    several.update(match.number for match in matches)
    # Only what stands once in both says where its words are.
    places = {match.number: match for match in matches if several[match.number] == 2}
    for part in program.walk():
        own = {inner.constant.number for inner in part.walk()}
        here = [places[number] for number in own if number in places]
        if not here or part is program:
            continue
        start, end = min(m.start for m in here), max(m.end for m in here)
        for other in program.walk():
            match = places.get(other.constant.number)
            if match is not None and other.constant.number not in own and start < match.start < end:
                yield (
                    f"{words.span(match.start, match.end)!r} stands within the words of "
                    f"{part.term()}: if that is how people speak, see `extraction`, `infix` and "
                    'phrases with a gap, as "take ... off"'
                )
                return


LONGEST = 5
"""Words of a question that are compared with a name, at most."""


class Reach:
    """Searches charts of all-zero scores under the algebra of the gold program. `types`: the types
    that the programs were checked with."""

    def __init__(self, types: TypeAlgebra) -> None:
        self.types = types
        self._targets: dict[Term, TargetAlgebra] = {}
        self._known: dict[tuple[Term, str | int], bool] = {}

    def reachable(self, example: Example[Term], by_phrase: bool = False) -> bool:
        """Whether some tree yields the program; `by_phrase`: with entities only on words that are
        one of their phrases. Raises PartwiseError if the program does not type."""
        words = tokenize(example.question)
        if self._reachable(example.meaning, words, by_phrase):
            return True
        if self._read is None:
            return False
        # A parser of typed questions puts words between those of a fragment.
        typed = self._read(example.question)
        return typed.words != words.words and self._reachable(example.meaning, typed, by_phrase)

    @cached_property
    def _read(self) -> TypedReader | None:
        domain = self.types.domain
        if domain.typing == Typing():
            return None
        return TypedReader(domain.vocabulary, domain.typed_matcher, domain.typing, None)

    def _reachable(self, program: Term, words: Words, by_phrase: bool) -> bool:
        # Without phrases only the number of words counts.
        key = program, words.text if by_phrase else len(words)
        if key not in self._known:
            self._known[key] = len(words) > 0 and self._search(program, words, by_phrase)
        return self._known[key]

    def _search(self, program: Term, words: Words, by_phrase: bool) -> bool:
        if program not in self._targets:
            self._targets[program] = TargetAlgebra(self.types, self.types.check(program))
        target, size = self._targets[program], len(words) + 1
        constants = np.zeros((size, size, len(target.used)))
        if by_phrase:
            # Entities are forbidden away from their phrases.
            domain = self.types.domain
            matches = domain.matcher.find(words)
            for column, number in enumerate(target.used.tolist()):
                if domain.vocabulary.is_entity(number):
                    constants[:, :, column] = NEVER
                    for match in matches:
                        if match.number == number:
                            constants[match.start, match.end, column] = 0
        scores = SpanScores.of(constants, np.zeros((size, size)), columns=target.used)
        return charts().best(scores, target) is not None


def check_reach(reach: Reach, example: Example[Term], program: Application) -> Iterator[Issue]:
    """Why no tree yields an example's program, if none does. Names must be on one of their phrases,
    as they must when a parser reads the question."""
    if not reach.reachable(example, by_phrase=True):
        why, advice = _reason(reach, example, program)
        more = missing(reach.types.domain, tokenize(example.question), program)
        advice = "; ".join([advice, *more])
        what = f"question {example.question!r}"
        yield Issue("error", "unreached-pair", what, why, advice, example.source)


def _reason(reach: Reach, example: Example[Term], program: Application) -> tuple[str, str]:
    words = tokenize(example.question)
    parts = [part.constant for part in program.walk() if not part.constant.type_shift]
    if len(parts) > len(words):
        return (
            f"no tree yields {program.term()}: each of its {len(parts)} parts needs a word of its "
            f"own, and the question has {len(words)}",
            "ask in more words, or declare with @type_shift what no word names",
        )
    named = Counter(match.number for match in reach.types.domain.matcher.find(words))
    wanted = Counter(constant.number for constant in parts if constant.is_entity)
    for constant in parts:
        times = wanted[constant.number]
        if named[constant.number] < times:
            often = "" if times == 1 else f" {times} times"
            return (
                f"{constant.category} is not named{often} in the question by any of its phrases: "
                f"{', '.join(map(repr, constant.phrases))}",
                _alias(constant, words),
            )
    why = f"the types let no arrangement of its {len(parts)} parts over the words mean it"
    if reach.reachable(example):
        why = "the names are where no tree can use them"
    return (
        f"{why}: {program.term()}",
        "check the program; if it is right, a name may overlap another one, or an argument be "
        "where it may not (`directional`, `extraction` and `infix` of the domain)",
    )


def _alias(constant: Constant, words: Words) -> str:
    n = len(words)
    spans = (words.span(i, k) for i in range(n) for k in range(i + 1, min(n, i + LONGEST) + 1))
    folded = {text.lower(): text for text in spans}
    for phrase in constant.phrases:
        for close in difflib.get_close_matches(phrase.lower(), list(folded), 1, 0.6):
            text = folded[close]
            return (
                f"is it {text!r}? Then write the name as it is, or give it as an alias: "
                f"@entities(..., aliases={{{constant.name!r}: ({text!r},)}})"
            )
    return "name it in the question, or give an alias for what it is called there"

"""From questions and their graphs to phrase rules.

In "who directed M0 and was influenced by M1" the parts "directed M0" and "was influenced by M1"
are coordinated, since "who" with either of them is a question that training shows. Strings and
conjuncts are written as the lines that `partwise.graph.grammar.phrases` reads.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from partwise.errors import TooCostlyError
from partwise.graph.grammar.phrases import (
    AND,
    COMMA,
    MARKS,
    ConstituencyChart,
    Constituent,
    Part,
    read_grammar,
)
from partwise.graph.grammar.tokens import ENTITY, TaggedTokens
from partwise.graph.induction.patterns import (
    EDGE,
    THING,
    Pattern,
    Patterns,
    commonest,
    places_of,
    put,
    read_patterns,
)
from partwise.graph.induction.substitution import (
    CutVertexTest,
    Reducer,
    find_roots,
    is_made_of,
    nest,
    smallest,
    substitutes,
)
from partwise.interface.budget import Work
from partwise.language.query_graph import QueryGraph

QUESTION = "Question"
"""The category of whole questions."""
FEWEST = 5
"""In so many patterns two strings must be seen together."""
LISTS = 500
"""How many joins of a chart of spans take as long as cutting a list out of a pattern."""
JOINTS = {COMMA: ",", AND: "&"}
LIST, CONJUNCT = re.compile("x+(,x+)*,?&x+"), re.compile("x+")
"""The shape of lists: symbols, commas, and a conjunction at the end."""

Context = tuple[str, Pattern, Pattern]
"""A category, and what stands before and after in one of its strings."""
List = tuple[Pattern, list[Pattern], Pattern]
"""What stands before a list, its conjuncts, and what stands after it."""


@dataclass(frozen=True)
class Conjuncts:
    """Strings that are coordinated, the shortest first, and where lists of them stood."""

    strings: tuple[Pattern, ...]
    contexts: frozenset[Context]


def find_conjuncts(
    patterns: Patterns, reducer: Reducer, roots: Collection[Pattern]
) -> list[Conjuncts]:
    """The strings that are coordinated, those that go together as one. Lists stand in whole
    questions, or in the strings of a category."""
    roots, strings = set(roots), defaultdict[str, set[Pattern]](set)
    for string, name in reducer.strings.items():
        strings[name].add(string)
    seen: Counter[frozenset[Pattern]] = Counter()
    contexts: dict[Pattern, set[Context]] = defaultdict(set)
    for pattern in sorted(p for p in patterns.occurrences if AND in p):
        place = _list_of(pattern, reducer, strings, roots)
        if place is not None:
            category, (before, conjuncts, after) = place
            seen[frozenset(conjuncts)] += 1
            for conjunct in conjuncts:
                contexts[conjunct].add((category, before, after))
    groups: list[set[Pattern]] = []
    for together, times in sorted(seen.items(), key=lambda item: (-item[1], sorted(item[0]))):
        if times >= FEWEST:
            touched = [group for group in groups if group & together]
            groups = [group for group in groups if not group & together]
            groups.append(set(together).union(*touched))
    return [
        Conjuncts(
            tuple(sorted(group, key=lambda conjunct: (len(conjunct), conjunct))),
            frozenset().union(*(contexts[conjunct] for conjunct in group)),
        )
        for group in groups
    ]


def _list_of(
    pattern: Pattern,
    reducer: Reducer,
    strings: Mapping[str, set[Pattern]],
    roots: Collection[Pattern],
) -> tuple[str, List] | None:
    """The list of a question, and the category in whose string it stands."""
    whole = _shortest(segmentations(reducer.one(pattern)), roots)
    if whole is not None:
        return QUESTION, whole
    lists, size = list(segmentations(pattern)), len(pattern)
    joints = [at for at, name in enumerate(pattern) if name in JOINTS]
    starts, ends = range(joints[0]), range(joints[-1] + 2, size + 1)
    reducer.work.spend(LISTS * len(starts) * len(ends) * (1 + len(lists)))
    for start, end in sorted(itertools.product(starts, ends), key=lambda s: s[1] - s[0]):
        inside = [
            (before[start:], conjuncts, after[: len(after) - size + end])
            for before, conjuncts, after in lists
            if len(before) >= start and len(after) >= size - end
        ]
        for category in sorted(strings) if end - start < size else ():
            shortest = _shortest(inside, strings[category])
            if shortest is not None and reducer.one(put(pattern, start, end, category)) in roots:
                return category, shortest
    return None


def _shortest(lists: Iterable[List], strings: Collection[Pattern]) -> List | None:
    """A list each of whose conjuncts makes a known string; of several, that of the shortest."""
    able = [
        (sum(map(len, conjuncts)), before, conjuncts, after)
        for before, conjuncts, after in lists
        # Coordinated entities are one symbol already.
        if (THING,) not in conjuncts
        and all((*before, *conjunct, *after) in strings for conjunct in conjuncts)
    ]
    return min(able)[1:] if able else None


def merge_conjuncts(pattern: Pattern, conjuncts: Collection[Conjuncts]) -> Pattern:
    """A pattern with the first of its conjuncts in the place of each list."""
    kinds = {string: number for number, some in enumerate(conjuncts) for string in some.strings}
    while AND in pattern:
        for before, some, after in segmentations(pattern):
            numbers = {kinds.get(one) for one in some}
            if len(numbers) == 1 and None not in numbers:
                pattern = (*before, *some[0], *after)
                break
        else:
            return pattern
    return pattern


def segmentations(pattern: Pattern) -> Iterator[List]:
    """All ways to see a list in a pattern, the longest of the first conjunction first."""
    shape = "".join(JOINTS.get(name, "x") for name in pattern)
    lists = []
    for start, end in itertools.combinations(range(len(shape) + 1), 2):
        if LIST.fullmatch(shape, start, end):
            spans = [match.span() for match in CONJUNCT.finditer(shape, start, end)]
            lists.append((shape.index("&", start), -len(spans), start, end, spans))
    for *_, start, end, spans in sorted(lists):
        yield pattern[:start], [pattern[a:b] for a, b in spans], pattern[end:]


TEXT = 50_000
"""How many joins of a chart of spans take as long as writing a string."""
Place = tuple[int, int, int]
"""Where conjuncts stand in a string: start, end, and their number; all -1 for nowhere."""


def productive(rules: Iterable[str]) -> tuple[str, ...]:
    """The rules that some question can be made with: of categories that the question's rules come
    to, and that come to words themselves."""
    kept = list(dict.fromkeys(rules))
    able: set[str] = set()
    while more := {_category(r) for r in kept if able.issuperset(_categories(r))} - able:
        able |= more
    kept = [rule for rule in kept if able.issuperset(_categories(rule))]
    used = {QUESTION}
    while more := {c for r in kept if _category(r) in used for c in _categories(r)} - used:
        used |= more
    return tuple(rule for rule in kept if _category(rule) in used)


def _category(rule: str) -> str:
    return rule.partition(":")[0]


def _categories(rule: str) -> list[str]:
    return re.findall(r"\b[A-Z]\w*", rule.partition(":")[2])


@dataclass
class Writer:
    """Writes rules, with the conjuncts of lists in the place of what is coordinated somewhere."""

    patterns: Patterns
    reducer: Reducer
    roots: Sequence[Pattern]
    conjuncts: Sequence[Conjuncts]

    def lines(self) -> tuple[str, ...]:
        if not self.roots:
            return ()
        strings = self.reducer.strings
        self.categories = {name: name.capitalize() for name in (THING, *strings.values())}
        self.parts = {
            number: f"Part{number}"
            for number, conjuncts in enumerate(self.conjuncts)
            if any(set(string) & set(self.categories) for string in conjuncts.strings)
        }
        rules = [(QUESTION, text) for text in self._texts(self.roots, [(QUESTION, (), ())])]
        for name, category in self.categories.items():
            rules.append((category, f"{ENTITY}&" if name == THING else self._word(name)))
            mine = [string for string, kind in strings.items() if kind == name]
            rules += [(category, text) for text in self._texts(mine, [(name, (), ())])]
        for number, category in self.parts.items():
            rules += [(category, text) for text in self._alternatives(number)]
        return productive(f"{kind}: {text}" for kind, text in rules)

    def _texts(
        self,
        strings: Collection[Pattern],
        where: Collection[Context],
        within: frozenset[int] = frozenset(),
    ) -> Iterator[str]:
        """Right-hand sides of strings of some contexts, with conjuncts for what is coordinated.
        Those `within` are being written already."""
        pool, edge = set(strings), EDGE if (QUESTION, (), ()) in where else ""
        for string in strings:
            self.reducer.work.spend(TEXT)
            longest = max(
                self._places_of_lists(string, pool, where, within),
                key=lambda place: place[1] - place[0],
                default=(-1, -1, -1),
            )
            yield self._text(string, longest, within, edge)

    def _places_of_lists(
        self,
        string: Pattern,
        pool: Collection[Pattern],
        where: Collection[Context],
        within: frozenset[int],
    ) -> Iterator[Place]:
        """Where others of some conjuncts stand in the place of one, or lists of them do."""
        for number, conjuncts in enumerate(self.conjuncts):
            for conjunct in conjuncts.strings if number not in within else ():
                for start, end in places_of(conjunct, string):
                    before, after = string[:start], string[end:]
                    others = ((*before, *o, *after) for o in conjuncts.strings if o != conjunct)
                    lists = ((c, (*left, *before), (*after, *right)) for c, left, right in where)
                    if any(o in pool for o in others) or not conjuncts.contexts.isdisjoint(lists):
                        yield start, end, number

    def _text(self, string: Pattern, place: Place, within: frozenset[int], edge: str) -> str:
        start, end, number = place
        around = (edge, *string, edge)
        words: list[str] = []
        for at in range(len(string) + 1):
            if not start < at < end:
                words += self._between(around[at], around[at + 1])
            if at == start:
                words.append(f"{self.parts.get(number) or self._bracket(number, within)}&")
            if at < len(string) and not start <= at < end:
                words.append(self.categories.get(string[at], self._word(string[at])))
        return " ".join(words)

    def _between(self, left: str, right: str) -> list[str]:
        return [
            f"{kind}{'*' if several else '?'}"
            for (kind, *beside), several in sorted(self.patterns.modifiers.items())
            if beside == [left, right]
        ]

    def _bracket(self, number: int, within: frozenset[int]) -> str:
        return f"({' | '.join(dict.fromkeys(self._alternatives(number, within)))})"

    def _alternatives(self, number: int, within: frozenset[int] = frozenset()) -> Iterator[str]:
        conjuncts = self.conjuncts[number]
        return self._texts(conjuncts.strings, conjuncts.contexts, within | {number})

    def _word(self, name: str) -> str:
        if name in MARKS:
            return f"\\{name}"
        several, listed = name in self.patterns.repeated, name in self.patterns.coordinated
        if several and listed:
            return f"({name}+)&"
        return f"{name}{'+' * several}{'&' * listed}"


RARE = 3
"""A rare pattern of whole questions is a rule if so many questions need it."""
MOST_WORK = 20_000_000_000
"""Steps of some two nanoseconds after which induction begins again, with fewer patterns."""
FEWER = 4
"""By this factor they are fewer."""
ROUNDS = 3
"""Rounds of adding rare patterns, which show more of what is coordinated."""
NEEDED = 0.0005
"""A learned rule that a smaller share of the aligned trees needs is dropped."""


def induce_rules(
    questions: Sequence[TaggedTokens], graphs: Sequence[QueryGraph], classes: Collection[str]
) -> tuple[str, ...]:
    """Phrase rules from questions and their gold graphs, as lines for `read_grammar`. What takes
    too much work is tried again with the commonest patterns alone, so that it ends."""
    patterns = read_patterns(questions, classes)
    while patterns.occurrences:
        try:
            return _induce(patterns, questions, graphs, Work(MOST_WORK))
        except TooCostlyError:
            patterns = commonest(patterns, len(patterns.occurrences) // FEWER)
    return ()


def _induce(
    patterns: Patterns, questions: Sequence[TaggedTokens], graphs: Sequence[QueryGraph], work: Work
) -> tuple[str, ...]:
    test = CutVertexTest(patterns, questions, graphs)
    attested = substitutes(patterns, test, work)
    things = smallest(attested)
    strings = dict.fromkeys(things, THING)
    for name, more in nest(things, patterns).items():
        others = {s: kind for s, kind in strings.items() if not is_made_of(s, name, more, things)}
        strings = others | dict.fromkeys(more, name)
    reducer, roots = find_roots(patterns, strings, work)
    for _ in range(ROUNDS):
        writer = Writer(patterns, reducer, roots, find_conjuncts(patterns, reducer, roots))
        more = _rare_patterns(writer, questions)
        if not more:
            break
        roots = [*roots, *more]
    return writer.lines()


def _rare_patterns(writer: Writer, questions: Sequence[TaggedTokens]) -> list[Pattern]:
    """Rare patterns of the questions that the rules do not fit."""
    if not writer.roots:
        return []
    grammar = read_grammar(writer.lines())
    times: Counter[Pattern] = Counter()
    for pattern, occurrences in writer.patterns.occurrences.items():
        left = writer.reducer.one(merge_conjuncts(pattern, writer.conjuncts))
        if left not in writer.roots and AND not in left and COMMA not in left:
            work = writer.reducer.work
            charts = (
                ConstituencyChart(grammar, questions[o.number].classes, work) for o in occurrences
            )
            times[left] += sum(not chart.trees(1) for chart in charts)
    return [pattern for pattern, count in times.most_common() if count >= RARE]


def keep_supported(
    rules: Sequence[str], trees: Sequence[Constituent]
) -> tuple[tuple[str, ...], list[Constituent]]:
    """The rules that the trees which explain the gold graphs need, and the trees by these rules."""
    times = Counter(number for tree in trees for number in {p.rule for p in tree.constituents()})
    often = (rule for number, rule in enumerate(rules) if times[number] > NEEDED * len(trees))
    kept = productive(often)
    numbers = {number: kept.index(rule) for number, rule in enumerate(rules) if rule in kept}
    able = (
        t for t in trees if all(constituent.rule in numbers for constituent in t.constituents())
    )
    return kept, [_renumber(tree, numbers) for tree in able]


def _renumber(tree: Constituent, numbers: Mapping[int, int]) -> Constituent:

    def part(one: Part) -> Part:
        symbol, inner = one
        return symbol, _renumber(inner, numbers) if isinstance(inner, Constituent) else inner

    return replace(tree, rule=numbers[tree.rule], parts=tuple(map(part, tree.parts)))

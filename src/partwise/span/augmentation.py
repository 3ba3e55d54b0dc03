"""Training questions made from the given ones, drawn again in each epoch.

`PhraseExchange` puts fragments of questions in the places of others: names of the domain in those
of names, and composed phrases of one question in those of another ("data recombination", Jia and
Liang 2016, whose grammar was written from the programs; here it is the domain's types). "How many
cubes are left of the sphere" and "is there a thing of the same size as the cylinder" give "how many
cubes are the same size as the cylinder". Which words are a phrase, and of which type, span trees
say: those that examples come with, else those made from their programs by lexicon
(`partwise.span.annotation`), and without a lexicon the best trees of the parser itself, chosen
again before each epoch. `HurriedTyping` makes questions as they are typed in a hurry.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from partwise.chart.scores import SpanTree
from partwise.chart.semantics import MeaningNode, read_tree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise.interface.data import JOIN_LABEL, Example, Span
from partwise.language.constants import Application, Constant
from partwise.language.domain import Domain
from partwise.language.open_types import close_type
from partwise.language.program import Term
from partwise.language.text import FUNCTION_WORDS, LONG, split, tokenize
from partwise.span.annotation import Annotator, Place, in_words, places, tree_of
from partwise.span.config import SpanParserConfig
from partwise.span.objectives import TrainingItem

KEPT = 50_000
"""Examples whose names are remembered; recombination makes ever new ones."""
UNLISTED = 0.2
"""The share of swapped names of which a word is put together from two, where names are guessed."""
TRIES = 8
"""How often a place and a phrase are drawn before an example is left as it was."""
DROPPED = frozenset(
    "a an and are by did do does for has have in is it its me of on s that the there these this "  # noqa: SIM905
    "those to was were what which with".split()
)
"""Words that are left out."""
SHORTEST = 2
"""Words that a question has at least."""
SHARES = {"words": 0.5, "phrase": 0.3, "letter": 0.2}
"""How often each is done, of the questions that are typed in a hurry."""
LETTER_WORD = 5
"""Letters of a word in which one may be wrong, at least."""


class Augmentation:
    """Draws another item from a training item, as the settings say how often. Phrases are those of
    the `examples`, or with `own_trees` of the parser's own trees; see `Recombination.learn`. `make`
    makes items of examples, but of those that do not fit, as a question that has become too
    long."""

    def __init__(
        self,
        config: SpanParserConfig,
        types: TypeAlgebra,
        examples: Sequence[Example[Term]],
        make: Callable[[Sequence[Example[Term]]], tuple[list[TrainingItem], object]],
    ) -> None:
        self.config, self.make = config, make
        self.swap = EntitySwap(types.domain)
        self.recombination, self.own_trees = None, False
        if config.recombination:
            # The trees must not know phrases that the parser does not know.
            predicates = types.domain.vocabulary.predicates
            phrases = config.lexicon == "full" and any(
                predicate.phrases for predicate in predicates
            )
            self.own_trees = not phrases
            given = () if self.own_trees else examples
            self.recombination = Recombination(types, given)
        self.typing = HurriedTyping(types.domain)

    def __call__(self, item: TrainingItem, draw: random.Random) -> TrainingItem:
        example = item.example
        if self.recombination is not None and draw.random() < self.config.recombination:
            example = self.recombination(example, draw)
        if draw.random() < self.config.entity_augmentation:
            example = self.swap(example, draw)
        if self.config.typing_augmentation and draw.random() < self.config.typing_augmentation:
            example = self.typing(example, draw)
        made = [] if example is item.example else self.make([example])[0]
        return made[0] if made else item


@dataclass(frozen=True)
class SpanFragment:
    """A phrase of a question: its words ``start..end`` (end excluded), its program and type."""

    start: int
    end: int
    words: tuple[str, ...]
    term: Term
    kind: str


def exchange(
    example: Example[Term], pairs: Sequence[tuple[SpanFragment, SpanFragment]]
) -> Example[Term]:
    """An example of a canonical meaning with fragments in the places of others, the last ones
    first; without a tree."""
    words = list(tokenize(example.question).words)
    for place, new in pairs:
        words[place.start : place.end] = new.words
    terms = {place.term: new.term for place, new in pairs}
    meaning = example.meaning.map(lambda part: terms.get(part, part))
    return replace(example, question=" ".join(words), meaning=meaning, spans=None)


class EntitySwap:
    """Replaces entities in a question and its program by others of their type. Names come from the
    domain, never from data. An entity is replaced where it stands once in the program and one
    phrase of the question can only be found once as its name."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        known = domain.vocabulary
        self.pools: dict[str, Sequence[Constant]] = {
            entity_type.head: known.listed(place)
            for place, entity_type in enumerate(known.types)
            if not entity_type.blank.bare
        }
        self.guessed = {entity_type.head for entity_type in known.types if entity_type.guess}
        self.names = lru_cache(maxsize=KEPT)(self._names)

    def _names(self, question: str, program: Term) -> list[SpanFragment]:
        """The entities of an example that can be replaced, the last one first."""
        try:
            parts = list(self.domain.interpret(program).walk())
        except PartwiseError:
            return []
        counts = Counter(part.constant.category for part in parts)
        words = tokenize(question).words
        named: dict[tuple[Term, str], SpanFragment] = {}
        for part in parts:
            if counts[part.constant.category] == 1 and self._replaceable(part):
                spans = places(words, in_words(part.constant.phrases))
                longest = max((end - start for start, end in spans), default=0)
                longest_spans = [span for span in spans if span[1] - span[0] == longest]
                if len(longest_spans) == 1:
                    ((start, end),), head = longest_spans, part.constant.head
                    name = SpanFragment(start, end, words[start:end], part.term(), head)
                    named[name.term, head] = name
        taken = Counter(i for name in named.values() for i in range(name.start, name.end))
        alone = [n for n in named.values() if all(taken[i] == 1 for i in range(n.start, n.end))]
        return sorted(alone, key=lambda name: -name.start)

    def _replaceable(self, part: Application) -> bool:
        pool = self.pools.get(part.constant.head, ())
        return part.constant.is_entity and len(pool) > 1 and not any(part.args)

    def __call__(self, example: Example[Term], draw: random.Random) -> Example[Term]:
        """The example with every replaceable entity replaced by one drawn at random."""
        names, spans = self.names(example.question, example.meaning), example.spans
        pairs: list[tuple[SpanFragment, SpanFragment]] = []
        for name in names:
            chosen = self._other(name.kind, draw)
            words = tokenize(chosen.phrases[0]).words
            term = chosen.term([None] * len(chosen.defaults))
            pairs.append((name, replace(name, words=words, term=term)))
            if spans is not None:
                spans = _move(spans, (name.start, name.end), len(words), chosen.category)
        if not pairs:
            return example
        whole = replace(example, meaning=self.domain.canonical(example.meaning))
        return replace(exchange(whole, pairs), spans=spans)

    def _other(self, head: str, draw: random.Random) -> Constant:
        """Another entity of a type: a listed one, or where names are guessed one that is in no list
        at times, or the parser would only know the listed ones."""
        listed = self.pools[head]
        if head in self.guessed and draw.random() < UNLISTED:
            words = draw.choice(listed).phrases[0].split()
            place, other = draw.randrange(len(words)), draw.choice(listed).phrases[0].split()[-1]
            old = words[place]
            words[place] = old[: (len(old) + 1) // 2] + other[len(other) // 2 :]
            return self.domain.vocabulary.find(head, " ".join(words)) or draw.choice(listed)
        return draw.choice(listed)


def _move(spans: tuple[Span, ...], place: Place, length: int, category: str) -> tuple[Span, ...]:
    """The spans of a tree after the words at `place` became `length` words of another category."""
    start, end = place
    by = length - (end - start)
    return tuple(
        (
            i + by if i >= end else i,
            k + by if k >= end else k,
            category if (i, k) == place and label != JOIN_LABEL else label,
        )
        for i, k, label in spans
    )


class Recombination:
    """Puts phrases of training questions in the places of others of exactly their type. No made
    question is longer, and no made program deeper, than the longest and deepest given. Phrases come
    from the examples with a span tree at first, a given one or one by lexicon."""

    def __init__(self, types: TypeAlgebra, examples: Iterable[Example[Term]] = ()) -> None:
        self.types, self.domain = types, types.domain
        self.learn(self._annotated(examples))

    def _annotated(
        self, examples: Iterable[Example[Term]]
    ) -> Iterator[tuple[Example[Term], SpanTree]]:
        """The examples that have a tree, given or by lexicon, with it."""
        annotator = Annotator(self.types)
        for example in examples:
            with suppress(PartwiseError):
                given = example if example.spans is not None else annotator.with_spans(example)
                words = tokenize(example.question).words
                yield example, tree_of(given.spans or (), self.domain, words)

    def learn(self, trees: Iterable[tuple[Example[Term], SpanTree]]) -> None:
        """Take the phrases of these trees, in place of those of before."""
        self.places: dict[tuple[str, Term], list[SpanFragment]] = {}
        self.phrases: defaultdict[str, list[SpanFragment]] = defaultdict(list)
        self.longest = self.deepest = 0
        for example, tree in trees:
            with suppress(PartwiseError):
                self._learn(example, read_tree(tree, self.types))

    def _learn(self, example: Example[Term], root: MeaningNode) -> None:
        words = tokenize(example.question).words
        self.longest = max(self.longest, len(words))
        self.deepest = max(self.deepest, example.meaning.depth)
        whole = self.domain.canonical(example.meaning)
        places = self.places[example.question, example.meaning] = []
        for phrase in self._phrases(root, words):
            # A phrase whose program stands twice would leave the question and change the program
            # both times.
            if sum(part == phrase.term for part in whole.walk()) == 1:
                places.append(phrase)
                self.phrases[phrase.kind].append(phrase)

    def _phrases(self, root: MeaningNode, words: tuple[str, ...]) -> Iterator[SpanFragment]:
        """The composed phrases of a tree that are complete programs, but for the whole question's.
        A phrase ends with the last word that has a meaning: a node's later words are gaps."""
        for node in root.walk():
            leaves = [part for part in node.walk() if not part.children]
            kind = close_type(self.types.open_types[node.state])
            if node.term is None or node.term == root.term or len(leaves) < 2 or kind is None:
                continue
            start, end = leaves[0].start, max(leaf.end for leaf in leaves)
            term = self.domain.canonical(node.term)
            yield SpanFragment(start, end, words[start:end], term, str(kind))

    def __call__(self, example: Example[Term], draw: random.Random) -> Example[Term]:
        """The example with one phrase replaced by a phrase drawn at random, if any fits."""
        places = self.places.get((example.question, example.meaning), [])
        if not places:
            return example
        whole = replace(example, meaning=self.domain.canonical(example.meaning))
        for _ in range(TRIES):
            place = draw.choice(places)
            made = exchange(whole, [(place, draw.choice(self.phrases[place.kind]))])
            program = self.domain.canonical(made.meaning)
            if program != whole.meaning and self._fits(made.question, program):
                return replace(made, meaning=program, answer=None)
        return example

    def _fits(self, question: str, program: Term) -> bool:
        if len(question.split(" ")) > self.longest or program.depth > self.deepest:
            return False
        with suppress(PartwiseError):
            self.types.check(program)
            return True
        return False


class HurriedTyping:
    """Drops function words, draws another phrase of a predicate, or mistypes a letter."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def __call__(self, example: Example[Term], draw: random.Random) -> Example[Term]:
        words = tokenize(example.question).words
        chosen = draw.choices(list(SHARES), list(SHARES.values()))[0]
        if chosen == "words":
            words = self._drop_words(words, draw)
        elif chosen == "phrase":
            words = self._rephrase(words, example.meaning, draw)
        else:
            words = self._mistype(words, draw)
        return replace(example, question=" ".join(words), spans=None)

    def _drop_words(self, words: Sequence[str], draw: random.Random) -> tuple[str, ...]:
        share = draw.random()
        kept = tuple(word for word in words if word not in DROPPED or draw.random() > share)
        return kept if len(kept) >= SHORTEST else tuple(words)

    def _rephrase(
        self, words: Sequence[str], program: Term, draw: random.Random
    ) -> tuple[str, ...]:
        try:
            parts = {part.constant.number for part in self.domain.interpret(program).walk()}
        except PartwiseError:
            return tuple(words)
        matches = self.domain.typed_matcher.find(tokenize(" ".join(words)))
        ours = [match for match in matches if match.number in parts and not match.guess]
        ours = [
            match
            for match in ours
            if match.number < self.domain.vocabulary.n_predicates
            and not FUNCTION_WORDS.issuperset(words[match.start : match.end])
        ]
        if not ours:
            return tuple(words)
        match = draw.choice(ours)
        constant = self.domain.vocabulary[match.number]
        phrases = (*constant.phrases, *self.domain.typing.phrases.get(constant.head, ()))
        spoken = [phrase for phrase in phrases if phrase not in FUNCTION_WORDS and phrase[0] != "'"]
        phrase = split(draw.choice(spoken)) if spoken else words[match.start : match.end]
        return (*words[: match.start], *phrase, *words[match.end :])

    def _mistype(self, words: Sequence[str], draw: random.Random) -> tuple[str, ...]:
        places = [i for i, word in enumerate(words) if word.isalpha() and len(word) >= LETTER_WORD]
        if not places:
            return tuple(words)
        place = draw.choice(places)
        word = words[place]
        for _ in range(1 + (len(word) >= LONG and draw.random() < 0.3)):
            word = _wrong(word, draw)
        return (*words[:place], word, *words[place + 1 :])


def _wrong(word: str, draw: random.Random) -> str:
    """The word with a letter dropped, doubled, replaced, or in its neighbour's place."""
    at = draw.randrange(1, len(word) - 1)
    kind = draw.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    if kind == 2:
        return word[:at] + draw.choice("aeiourstln") + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

"""Word classes of a language, learned from its training pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from partwise.graph.classes.affixes import Affixes, learn_affixes
from partwise.graph.classes.contexts import (
    THING,
    Contexts,
    alike_in,
    clusters,
    coordinated,
    interchangeable,
    needed,
    placed,
    with_second_classes,
)
from partwise.graph.classes.pairs import (
    FEWEST,
    AtomPair,
    Beside,
    atoms,
    joined,
    list_words,
    terms,
)
from partwise.graph.classes.segmentation import learn_pieces, words_of
from partwise.graph.classes.word_classes import Cue, WordClasses, cues_of
from partwise.language.query_graph import QueryGraph

ROUNDS = 4
"""Words of the longest term, less one; and rounds of clustering."""
SURE_CUE, COVERED, WRONG = 0.98, 0.001, 10
"""A cue tells the head in this share of its questions; one that tells that of fewer is left out;
and so many questions that it tells weigh as much as one that it tells wrongly."""


def learn_word_classes(
    questions: Sequence[str], graphs: Sequence[QueryGraph], by_atoms: bool = False
) -> WordClasses:
    """Word classes, terms, list words, cues and pieces, from training questions alone.

    Args:
        by_atoms: whether words are of one class that have to do with atoms of one type, whatever
            their contexts. It is coarser, and surer where translations vary.
    """
    pieces = learn_pieces(questions)
    plain = [words_of(question, pieces) for question in questions]
    affixes = Affixes() if pieces else learn_affixes([words.words for words in plain])
    lines = [affixes.split(words).words for words in plain]
    joints = list_words(zip(lines, graphs, strict=True))
    pairs = [AtomPair(line, atoms(graph)) for line, graph in zip(lines, graphs, strict=True)]
    for _ in range(ROUNDS):
        merged = terms(pairs, joints)
        if not merged:
            break
        pairs = [AtomPair(joined(words, merged), some) for words, some in pairs]
    beside = Beside(pairs)
    content = beside.content() - set(joints)
    if by_atoms:
        words = _kinds(beside, content)
    else:
        words = _classes([pair.words for pair in pairs], joints, content)
    cues = _cues(lines, graphs, bool(pieces))
    return WordClasses(words, joints, cues, _differing(graphs), pieces, affixes)


def _kinds(beside: Beside, content: set[str]) -> dict[str, tuple[str, ...]]:
    """Classes by the types of atoms."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for word in sorted(content):
        kinds[beside.kind(word)].append(word)
    return {f"class{number}": tuple(some) for number, (_, some) in enumerate(sorted(kinds.items()))}


def _classes(
    lines: Sequence[tuple[str, ...]], joints: dict[str, str], content: set[str]
) -> dict[str, tuple[str, ...]]:
    contexts = Contexts(lines, joints, content)
    names = dict.fromkeys(content, "")
    for _ in range(2):
        uses = contexts.uses(names)
        contexts = Contexts(lines, joints, content, alike_in(uses))
        uses = contexts.uses(names)
        groups = placed(contexts.uses(names, beyond=True), clusters(uses))
        groups = coordinated(groups, contexts.lists, uses)
        names = {word: f"class{number}" for number, some in enumerate(groups) for word in some}
    groups = needed(with_second_classes(contexts.uses(names, beyond=True), groups))
    told = contexts.patterns(names)
    function = {w for line in told for w in line} - {THING, *joints, *names.values()}
    groups += [sorted(some) for some in interchangeable(told, function)]
    groups += [[word] for word in sorted(content.difference(*groups)) if " " in word]
    return {f"class{number}": tuple(some) for number, some in enumerate(groups, 1)}


def _cues(
    lines: Sequence[Sequence[str]], graphs: Sequence[QueryGraph], unspaced: bool
) -> tuple[Cue, ...]:
    """What tells whether a question asks whether: the widest cue first, of what others leave."""
    pairs = zip(lines, graphs, strict=True)
    left = [(cues_of(line, unspaced), graph.head) for line, graph in pairs if line]
    chosen: list[Cue] = []
    total = len(left)
    heads = Counter((*cue, head) for cues, head in left for cue in cues)
    every = Counter(cue for cues, _ in left for cue in cues)
    sure = {c for c, n in heads.items() if n >= SURE_CUE * every[c[:2]]}
    while left:
        times = Counter((*cue, head) for cues, head in left for cue in cues)
        best = max(sure & times.keys(), key=lambda c: _worth(c, times), default=None)
        if best is None or times[best] < max(COVERED * total, min(FEWEST, total)):
            break
        chosen.append(best)
        left = [(cues, head) for cues, head in left if best[:2] not in cues]
    rest = Counter(head for _, head in left) or Counter(graph.head for graph in graphs)
    return (*chosen, ("any", "", max(sorted(rest), key=rest.__getitem__)))


def _worth(cue: Cue, times: Mapping[Cue, int]) -> tuple[int, bool, Cue]:
    """How many questions a cue tells rightly, those that it tells wrongly weighing more.

    Of cues that tell as many, one with a place goes before: a word may stand elsewhere, too.
    """
    where, word, head = cue
    wrong = times.get((where, word, "ask" if head == "select" else "select"), 0)
    return times[cue] - WRONG * wrong, where != "has", cue


def _differing(graphs: Iterable[QueryGraph]) -> tuple[str, ...]:
    """Predicates whose ends are mostly said to differ."""
    times: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    for graph in graphs:
        filters = graph.filters | {(o, s) for s, o in graph.filters}
        for s, p, o in graph.edges:
            times[p] += 1
            differ[p] += (s, o) in filters
    return tuple(sorted(p for p, n in times.items() if 2 * differ[p] > n))

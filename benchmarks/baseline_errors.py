"""What goes wrong with parsers, and how far their probabilities can be trusted.

    python benchmarks/baseline_errors.py MODEL... --dataset NAME --split SPLIT [--part dev]
        [--constrained]

MODEL is a folder of a run, or the name of a parser that comes with the package. Each wrong meaning
is counted once, as the first of these that it is:

- *unreadable*: there is no meaning, or one that does not type or that nothing can be;
- *entity*: right but for the names in it;
- *lexical*: right but for predicates or names, the structure being that of the gold meaning;
- *unseen structure*: another structure, and no question that the parser was trained on has the gold
  one's template (the meaning with its names blanked);
- *seen structure*: another structure, though one of them has the template.

The calibration error is that of exact match, in ten bins of equal width. `--constrained` lets a
sequence-to-sequence parser that was trained without a constraint write only well-typed programs.

Rows are kept in benchmarks/results/baseline_errors.json; that of the same parser and questions is
replaced.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache, singledispatch
from pathlib import Path
from typing import Any

import torch

from partwise.chart.type_algebra import TypeAlgebra
from partwise.encoders.storage import read_json, write_json
from partwise.errors import PartwiseError
from partwise.evaluation.confidence import Judgement, calibration_error
from partwise.evaluation.metrics import score
from partwise.evaluation.splits import some_of, template
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.registry import data_note, load
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.query_graph import QueryGraph, Triple, canonical
from partwise.training.store import CONFIG, find_pretrained, load_parser
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).resolve().parent / "results" / "baseline_errors.json"
loaded = cache(load)
"""A data set, read once: parsers are mostly trained on the split that they are tested on."""
KINDS = ("unreadable", "entity", "lexical", "unseen structure", "seen structure")


@singledispatch
def structure(meaning: Any) -> Hashable:
    """What is left of a meaning without its names and predicates."""
    kept: Hashable = meaning
    return kept


@structure.register
def _(meaning: Term) -> Hashable:
    return tuple(structure(one) for one in meaning.operands)


@structure.register
def _(meaning: QueryGraph) -> Hashable:
    edges = _blanked(meaning.edges, lambda one: (one.subject, one.object))
    attributes = _blanked(meaning.attributes, lambda one: (one.subject, "c"))
    names = dict.fromkeys(meaning.entities, "M")
    return canonical(QueryGraph(meaning.head, edges, attributes, meaning.filters).rename(names))


def _blanked(
    triples: frozenset[Triple], ends: Callable[[Triple], tuple[str, str]]
) -> frozenset[Triple]:
    """Triples with numbers for predicates; so many between the same nodes stay so many."""
    seen: Counter[tuple[str, str]] = Counter()
    blanked = []
    for one in sorted(triples):
        subject, end = ends(one)
        seen[subject, end] += 1
        blanked.append(Triple(subject, str(seen[subject, end]), end))
    return frozenset(blanked)


class Sorter:
    """Sorts what a parser says of questions into `KINDS`.

    Args:
        train: the questions that it was trained on.
    """

    def __init__(self, domain: Any, train: Sequence[Example[Any]]) -> None:
        self.domain = domain
        self.seen = {self._template(example.meaning) for example in train}
        self.types = TypeAlgebra(domain) if isinstance(domain, Domain) else None

    def kind(self, gold: Any, guess: Any) -> str:
        """The kind of a wrong meaning; None for no meaning."""
        if guess is None or not self._makes_sense(guess):
            return KINDS[0]
        gold, guess = self.domain.canonical(gold), self.domain.canonical(guess)
        if self._template(gold) == self._template(guess):
            return KINDS[1]
        if structure(gold) == structure(guess):
            return KINDS[2]
        return KINDS[4] if self._template(gold) in self.seen else KINDS[3]

    def is_new(self, gold: Any) -> bool:
        """Whether no training question has the template of a meaning."""
        return self._template(gold) not in self.seen

    def _template(self, meaning: Any) -> Hashable:
        known = self.domain if isinstance(self.domain, Domain) else None
        return template(self.domain.canonical(meaning), known)

    def _makes_sense(self, meaning: Any) -> bool:
        try:
            if self.types is not None:
                self.types.check(meaning)
                return True
            return bool(self.domain.is_possible(meaning))
        except PartwiseError:
            return False


def analysed(
    sorter: Sorter, examples: Sequence[Example[Any]], said: Sequence[Prediction[Any]]
) -> dict[str, Any]:
    """Shares of the wrong meanings by kind, and how far probabilities can be trusted.

    Returns:
        ``questions``, ``wrong`` (their number), ``kinds`` (shares of the wrong ones), ``new``
        (share of all questions whose template is not in train), ``exact_match_new`` and
        ``exact_match_known`` (on these and on the others; null for none), and
        ``calibration_error`` (null if the parser gives no probabilities).

    Raises:
        PartwiseError: for a parser that answers without a meaning, as End2End does.
    """
    both = zip(examples, said, strict=True)
    if any(one.meaning and type(one.meaning) is not type(e.meaning) for e, one in both):
        raise PartwiseError("this parser gives answers and no meanings, which cannot be sorted")
    outcomes = score(sorter.domain, examples, [one.meaning for one in said], run=False).outcomes
    right = [outcome.exact_match for outcome in outcomes]
    triples = list(zip(examples, said, right, strict=True))
    counts = Counter(sorter.kind(e.meaning, one.meaning) for e, one, ok in triples if not ok)
    wrong = sum(counts.values())
    new = [sorter.is_new(example.meaning) for example in examples]
    return {
        "questions": len(right),
        "wrong": wrong,
        "kinds": {kind: counts[kind] / wrong if wrong else 0.0 for kind in KINDS},
        "new": _share(new),
        "exact_match_new": _share([ok for ok, is_new in zip(right, new, strict=True) if is_new]),
        "exact_match_known": _share(
            [ok for ok, is_new in zip(right, new, strict=True) if not is_new]
        ),
        "calibration_error": _calibration(said, right),
    }


def _share(truths: Sequence[bool]) -> float | None:
    return sum(truths) / len(truths) if truths else None


def _calibration(said: Sequence[Prediction[Any]], right: Sequence[bool]) -> float | None:
    judged = [
        Judgement(0.0 if one.meaning is None else one.probability, ok)
        for one, ok in zip(said, right, strict=True)
    ]
    # A probability that was not asked for, or cannot be had, is not a number.
    return calibration_error(judged) if all(one.probability >= 0 for one in judged) else None


def measured(model: str, given: argparse.Namespace) -> dict[str, Any]:
    """A parser's row."""
    folder = find_pretrained(model)
    parser, config = load_parser(folder), read_json(folder / CONFIG)
    if given.constrained:
        constrain(parser)
    train = trained_on(config["training"], given.dataset, given.data)
    examples = loaded(given.dataset, given.split, given.data).parts()[given.part]
    said = parser.parse([example.question for example in examples], at_least=0.0)
    return {
        **_key(config, given),
        **analysed(Sorter(parser.domain, train), examples, said),
        **{"data": data_note(given.dataset, given.data), "commit": checkout_commit()},
    }


def trained_on(training: Mapping[str, Any], dataset: str, data: Path | None) -> list[Example[Any]]:
    """The questions that a parser was trained on.

    Args:
        training: what a parser's config says of its training.
        dataset: whose questions they are.
        data: the folder of the data.
    """
    train = loaded(dataset, str(training["split"]), data).train
    return some_of(train, training["train_size"])


def constrain(parser: Any) -> None:
    """Let a parser write nothing but meanings of its domain.

    Raises:
        PartwiseError: for a parser that cannot be constrained, or is so already.
    """
    if getattr(parser.config, "constrained", True) or parser.form.constrained:
        raise PartwiseError(f"leave out --constrained: it changes no parser of kind {parser.kind}")
    parser.config = replace(parser.config, constrained=True)


def _key(config: dict[str, Any], given: argparse.Namespace) -> dict[str, Any]:
    training = config["training"]
    return {
        "system": config["kind"],
        "variant": training.get("variant", "") + ("-constrained" if given.constrained else ""),
        "seed": training.get("settings", {}).get("seed"),
        **{name: getattr(given, name) for name in ("dataset", "split", "part")},
    }


def main() -> None:
    """Measure the parsers and write their rows down."""
    form = argparse.RawDescriptionHelpFormatter
    options = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    options.add_argument("models", nargs="+")
    options.add_argument("--dataset", required=True)
    options.add_argument("--split", required=True)
    options.add_argument("--part", choices=("dev", "test"), default="dev")
    options.add_argument("--constrained", action="store_true")
    options.add_argument("--data", type=Path)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    torch.set_num_threads(1)
    for model in given.models:
        row = measured(model, given)
        print(row, flush=True)
        rows = read_json(given.out)["rows"] if given.out.exists() else []
        key = _key(read_json(find_pretrained(model) / CONFIG), given)
        rows = [one for one in rows if any(one[name] != key[name] for name in key)]
        write_json(given.out, {"rows": [*rows, row]})


if __name__ == "__main__":
    main()

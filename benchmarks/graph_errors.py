"""What composed reading still gets wrong, by construction, on inner splits of MCWQ's train.

    python benchmarks/graph_errors.py --data DIR [--splits mcd1 mcd2 mcd3] [--share 0.07]

The train part of each split is parted again by maximal compound divergence, a parser with the usual
settings is trained on the larger part, and the questions of the other that it reads wrong are
counted by the form of phrase in them that is rarest in what it was trained on. Neither dev nor test
is touched.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from partwise.domains.films.domain import PHRASES
from partwise.encoders.storage import read_json, write_json
from partwise.evaluation.metrics import evaluate
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.tokens import Tagger
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.interface.registry import DATASETS, data_note, load
from partwise.language.query_graph import QueryGraph
from partwise.training.trainer import settings_for
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.splits.examples import mcd
from partwise_papers.tables.published import MCD as SPLITS

OUT = Path(__file__).resolve().parent / "results" / "graph_errors.json"
COMPOSITION = "latent"
NO_TREE = "no phrase tree"


class Forms:
    """The forms of the phrases of questions: category and elements, without words."""

    def __init__(self) -> None:
        self.tagger = Tagger(WIKIDATA)
        self.reader = ConstituencyParser(PHRASES, 1)

    def __call__(self, question: str) -> frozenset[str]:
        """Those of the likeliest tree."""
        trees = self.reader.trees(self.tagger(question))
        if not trees:
            return frozenset({NO_TREE})
        return frozenset(
            f"{placed.piece.category}: {' '.join(e.name for e in placed.piece.elements)}"
            for placed in trees[0][1].pieces
        )

    def counted(self, examples: Iterable[Example[QueryGraph]]) -> Counter[str]:
        """In how many questions each form is."""
        return Counter(form for example in examples for form in self(example.question))


def errors(split: str, data: Path, share: float) -> dict[str, Any]:
    """Train on most of a split's train part, and count what goes wrong on the rest."""
    pool = load("mcwq", split, data).train
    train, held = mcd(pool, WIKIDATA, share=share)
    given, of_data = {"composition": COMPOSITION}, DATASETS["mcwq"].settings
    config, settings = settings_for(GraphParser, WIKIDATA, len(train), given, of_data)
    parser = GraphParser.create(WIKIDATA, config)
    # No epoch is chosen: the last one's weights are kept.
    report = parser.fit(train, [], settings)
    metrics = evaluate(parser, held, run=False)
    outcomes = [outcome.wrong for outcome in metrics.outcomes]
    return {
        "split": split,
        "train": len(train),
        "unusable": len(report.unusable),
        "held": len(held),
        "exact_match": metrics.exact_match,
        "edges_match": metrics.partial["edges"],
        "kinds": metrics.errors,
        "forms": by_form(train, held, outcomes),
        "commit": checkout_commit(),
    }


def by_form(
    train: Sequence[Example[QueryGraph]],
    held: Sequence[Example[QueryGraph]],
    outcomes: Sequence[str | None],
) -> list[dict[str, Any]]:
    """The forms under which wrong questions come, most of them first."""
    forms = Forms()
    seen = forms.counted(train)
    mine = [forms(example.question) for example in held]
    rarest = [min(sorted(some), key=lambda form: seen[form]) for some in mine]
    wrong = Counter(form for form, out in zip(rarest, outcomes, strict=True) if out)
    there = Counter(form for some in mine for form in some)
    return [
        {"form": form, "wrong": count, "held": there[form], "train": seen[form]}
        for form, count in wrong.most_common()
    ]


def main() -> None:
    """Train and count, split by split; what is done already is kept."""
    parser = argparse.ArgumentParser(description="Errors of composed reading by construction.")
    parser.add_argument("--data", type=Path, required=True, help="folder that holds mcwq/")
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS)
    parser.add_argument("--share", type=float, default=0.07, help="share of train that is held")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    torch.set_num_threads(1)
    about = f"{COMPOSITION}, usual settings, {100 * given.share:.0f} % of train held by MCD, seed 0"
    content: dict[str, Any] = {"about": about, "data": data_note("mcwq", given.data), "splits": []}
    if given.out.exists():
        content = read_json(given.out)
        if content["about"] != about:
            raise SystemExit(f"{given.out} is of {content['about']}; give another file with --out")
    for split in given.splits:
        if all(row["split"] != split for row in content["splits"]):
            content["splits"].append(errors(split, given.data, given.share))
            write_json(given.out, content)


if __name__ == "__main__":
    main()

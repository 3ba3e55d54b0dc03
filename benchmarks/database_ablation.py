"""What the parts of a parser for databases bring: ranks of right interpretations without each.

    python benchmarks/database_ablation.py PARSER --spider DATA --fills FOLDER [--sample 150]

Nothing is trained anew: questions are searched again without an operation of the lexicon
(constants in its roles), an implicit step (programs with it), what the network compares names by,
or the cross-encoder. The questions are of typed databases that those who wrote rows and steps had
not read, and a sample of Spider's for choosing. Written to
``benchmarks/results/databases_ablation.json``.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from partwise.chart.k_best import Beam, Item, k_best
from partwise.database.features import question_of
from partwise.database.inference import Parses, SchemaNames
from partwise.database.meaning import PRICES
from partwise.database.parser import DatabaseParser
from partwise.database.phrases import Frame, SpanConstant
from partwise.database.scorer import ChartScores
from partwise.database.spans.text import words_of
from partwise.database.spans.vectors import ContextMeanings, word_vectors
from partwise.database.unsaid import Steps
from partwise.encoders.storage import write_json
from partwise.execution.relational.program import Program
from partwise_papers.databases.options import RankedOn
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion
from partwise_papers.databases.ranks import databases_for_choosing
from partwise_papers.results.recorder import checkout_commit, device
from partwise_papers.spider.data import read_questions, read_schemas, spider_folder, split
from partwise_papers.typed_databases.check import HOME, read_typed_questions

OUT = Path(__file__).resolve().parent / "results" / "databases_ablation.json"
TYPED = ("orchestra", "sports_league", "streaming", "wholesale")
DEPTHS = (1, 5, 20)
NAMED = {"table", "column", "measure", "value", "number", "period", "text", "flag", "unit"}
NAMED |= {"age", "time"}
"""First words of roles that no row of the lexicon makes."""
Ranks = dict[tuple[str, str], int | None]
"""Kind and name of what is left out -> place of the first right interpretation."""


class Remembering(torch.nn.Module):
    """A cross-encoder that compares each pair once."""

    def __init__(self, plain: torch.nn.Module) -> None:
        super().__init__()
        self.plain, self.known = plain, dict[tuple[str, str], float]()

    def forward(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        """See `CrossEncoder.forward`."""
        new = [pair for pair in pairs if pair not in self.known]
        self.known |= zip(new, self.plain(new).tolist() if new else (), strict=True)
        return torch.tensor([self.known[pair] for pair in pairs])


class Kept(NamedTuple):
    """The programs of frames without those that need one of some steps."""

    made: dict[Frame, list[tuple[Program, Steps]]]
    out: frozenset[str] = frozenset()

    def programs(self, frame: Frame) -> list[tuple[Program, Steps]]:
        """See `Meanings.programs`."""
        return [made for made in self.made[frame] if self.out.isdisjoint(made[1])]


def operation(constant: SpanConstant) -> str:
    """The operation of the lexicon that a constant is of, by its role; empty if it is of none."""
    first = constant.role.removeprefix("bare ").split()[0]
    return "" if first in NAMED else first


@torch.no_grad()
def ranks(
    parser: DatabaseParser, database: AskedDatabase, names: SchemaNames, question: AskedQuestion
) -> Ranks:
    """Where the first right interpretation stands, whatever may be left out."""
    text, domain, words = question.text, database.on(question.today), words_of(question.text)
    vectors = word_vectors(parser.encode, [(text, words)])[0]
    alike = ContextMeanings(vectors, names.vectors)
    constants, spelt = (names.constants.find(words, x, domain.today) for x in (alike, None))
    right = cache(lambda program: database.judge(question, program))
    beam = Beam(parser.config.cell, parser.config.inner, parser.config.margin)

    def search(some: list[SpanConstant], labels: bool = True) -> tuple[Parses, list[Item]]:
        asked = question_of(words, some, names.items, names.types, domain.layer.schema)
        scores = parser._scores(asked, vectors, names, None)
        if not labels and isinstance(scores, ChartScores):
            scores._match[:] = scores._prior[:] = 0
        return Parses(asked, vectors, scores, []), k_best(some, scores, names.algebra, beam)

    def rank(parses: Parses, items: list[Item], meanings: Any, reranked: bool = True) -> int | None:
        found = parser._interpretations(items, parses.scores, meanings)
        parses = parses._replace(interpretations=found)
        found = (parser.rerank(text, parses, domain.layer) if reranked else parses).interpretations
        places = enumerate(found[: DEPTHS[-1]], 1)
        return next((place for place, x in places if right(x.program)), None)

    base, items = search(constants)
    kept = Kept({item.meaning: list(names.meanings.programs(item.meaning)) for item in items})
    steps = {x for made in kept.made.values() for _, some in made for x in some} & PRICES.keys()
    said = {operation(known) for known in constants} - {""}
    less = {name: [x for x in constants if operation(x) != name] for name in sorted(said)}
    less["all"] = [x for x in constants if not operation(x)]
    out = {**{name: frozenset({name}) for name in sorted(steps)}, "all": frozenset(steps)}
    return {
        ("base", ""): rank(base, items, kept),
        ("network", "cross-encoder"): rank(base, items, kept, reranked=False),
        ("network", "open labels"): rank(*search(constants, labels=False), names.meanings),
        ("network", "all meanings"): rank(*search(spelt, labels=False), names.meanings),
        **{("operation", x): rank(*search(some), names.meanings) for x, some in less.items()},
        **{("step", x): rank(base, items, kept._replace(out=some)) for x, some in out.items()},
    }


def summary(made: dict[str, list[Ranks]]) -> dict[str, Any]:
    """Of each set how many are right, and how many are no more without a part, of the questions
    that have it."""

    def within(some: list[Ranks], key: tuple[str, str]) -> Any:
        places = np.array([x[key] or np.inf for x in some])[:, None]
        return (places <= DEPTHS).sum(0)

    base = ("base", "")
    sets = {
        name: {"questions": len(some), "right": within(some, base).tolist()}
        for name, some in made.items()
    }
    rows = []
    for kind, part in sorted({key for some in made.values() for x in some for key in x} - {base}):
        row: dict[str, Any] = {"kind": kind, "part": part}
        for name, some in made.items():
            used = [x for x in some if (kind, part) in x]
            lost = within(used, base) - within(used, (kind, part))
            row[name] = {"questions": len(used), "lost": lost.tolist()}
        rows.append(row)
    return {"depths": DEPTHS, "sets": sets, "parts": rows}


def main() -> None:
    """Measure, and keep the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("parser")
    options.add_argument("--spider", type=Path, required=True)
    options.add_argument("--fills", type=Path, required=True)
    options.add_argument("--sample", type=int, default=150)
    given = options.parse_args()
    torch.set_num_threads(1)
    folder = spider_folder(given.spider)
    chosen = split(read_schemas(folder)).dev
    every = [(x.db, x.id) for x in read_questions(folder) if x.db in chosen]
    wanted = set(random.Random(0).sample(every, given.sample))
    for name in TYPED:
        wanted |= {(name, x.id) for x in read_typed_questions(HOME / name / "questions.jsonl")}
    about = {"about": device(), "commit": checkout_commit(), "parser": given.parser}
    made, parser, asked = defaultdict[str, list[Ranks]](list), None, list[str]()
    on = RankedOn(spider=given.spider, fills=given.fills)
    with tempfile.TemporaryDirectory() as work:
        for kind, database in databases_for_choosing(on, Path(work), wanted):
            with closing(database):
                if not database.questions:
                    continue
                if parser is None:
                    parser = DatabaseParser.from_pretrained(given.parser, database.domain)
                    if parser.cross_encoder is not None:
                        parser.cross_encoder = Remembering(parser.cross_encoder)
                names = parser.names_in(database.domain)
                made[kind] += (ranks(parser, database, names, x) for x in database.questions)
            asked.append(database.name)
            result = {**about, "databases": asked, **summary(made)}
            write_json(OUT, result)
            print(kind, database.name, result["sets"], flush=True)


if __name__ == "__main__":
    main()

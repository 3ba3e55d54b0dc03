"""Your own knowledge graph: declare its language, train on a few examples, ask new questions.

Run with ``python examples/own_graph.py``. It takes some seconds and needs no data.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import torch

from partwise import Dataset, Example, GraphDomain, GraphParser, train
from partwise.drawing import draw_text
from partwise.execution.sparql import LocalStore
from partwise.language.graph_domain import Relation
from partwise.language.query_graph import QueryGraph, with_filters
from partwise.language.sparql import parse_query
from partwise.training.trainer import settings_for

SONGS = GraphDomain(
    "songs",
    "sparql",
    relations=(Relation("song:spouse", differ=True),),
    words={
        "verb": ("write", "sing", "produce", "marry"),
        "past": ("wrote", "written", "sang", "sung", "produced", "married"),
        "role": ("writer", "singer", "producer", "spouse"),
        "noun": ("song", "singer"),
        "adjective": ("irish", "danish"),
    },
    phrases=(
        "Question: did Thing (verb& Thing)&",
        "Question: was Thing Passive&",
        "Question: Asked Past&",
        "Past: past& Thing | was Passive",
        "Asked: who | which adjective* noun",
        "Thing: Owner | a adjective* noun Rel?",
        "Owner: entity& | Owner 's role&",
        "Rel: that Past& | Passive&",
        "Passive: past& by Thing",
    ),
    prefixes={"song": "https://partwise.example/songs#"},
)
"""The language: word classes and phrase rules. Training learns what "sang" and "'s" mean."""

GRAPH = """
@prefix song: <https://partwise.example/songs#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
song:Tide rdfs:label "The Tide" ; a song:Song ;
  song:writer song:Una ; song:singer song:Una, song:Jens .
song:Lamp rdfs:label "Paper Lamp" ; a song:Song ;
  song:writer song:Jens ; song:singer song:Una ; song:producer song:Maeve .
song:Rain rdfs:label "Rain Again" ; a song:Song ;
  song:writer song:Jens ; song:singer song:Jens ; song:producer song:Jens .
song:Una rdfs:label "Una Quill" ; a song:Singer ; song:from song:Ireland ; song:spouse song:Jens .
song:Jens rdfs:label "Jens Holm" ; a song:Singer ; song:from song:Denmark ; song:spouse song:Una .
song:Maeve rdfs:label "Maeve Carr" ; song:from song:Ireland .
"""

PAIRS = (
    ("Who wrote M0", "M0 song:writer ?x0"),
    ("Who sang M0", "M0 song:singer ?x0"),
    ("Who produced M0", "M0 song:producer ?x0"),
    ("Who married M0", "?x0 song:spouse M0"),
    ("Who wrote and sang M0", "M0 song:writer ?x0 . M0 song:singer ?x0"),
    ("Did M0 write M1", "M1 song:writer M0"),
    ("Did M0 sing M1 and M2", "M1 song:singer M0 . M2 song:singer M0"),
    ("Did M0 produce M1", "M1 song:producer M0"),
    ("Did M0 marry M1", "M0 song:spouse M1"),
    ("Was M0 written by M1", "M0 song:writer M1"),
    ("Was M0 sung and produced by M1", "M0 song:singer M1 . M0 song:producer M1"),
    ("Did M0 's writer sing M1", "M0 song:writer ?x0 . M1 song:singer ?x0"),
    ("Did M0 's singer write M1", "M0 song:singer ?x0 . M1 song:writer ?x0"),
    ("Did M0 's producer marry M1", "M0 song:producer ?x0 . ?x0 song:spouse M1"),
    ("Did M0 's spouse produce M1", "?x0 song:spouse M0 . M1 song:producer ?x0"),
    ("Which song was written by M0", "?x0 a song:Song . ?x0 song:writer M0"),
    (
        "Which Irish singer sang M0",
        "?x0 a song:Singer . ?x0 song:from song:Ireland . M0 song:singer ?x0",
    ),
    (
        "Which Danish singer wrote M0",
        "?x0 a song:Singer . ?x0 song:from song:Denmark . M0 song:writer ?x0",
    ),
    ("Who produced a song", "?x1 a song:Song . ?x1 song:producer ?x0"),
    ("Who married a singer", "?x1 a song:Singer . ?x0 song:spouse ?x1"),
    (
        "Did M0 sing a song written by M1",
        "?x0 a song:Song . ?x0 song:singer M0 . ?x0 song:writer M1",
    ),
    (
        "Did M0 marry a singer that sang M1",
        "?x0 a song:Singer . M0 song:spouse ?x0 . M1 song:singer ?x0",
    ),
)
"""Questions with the triples of their queries; names are placeholders."""
NEW = (
    ("Who wrote and produced Rain Again?", ("Jens Holm",)),
    ("Did Paper Lamp's writer sing and produce Rain Again?", ("yes",)),
    ("Which Irish singer married a singer that sang and wrote Rain Again?", ("Una Quill",)),
    ("Who married a Danish singer that wrote a song produced by Maeve Carr?", ("Una Quill",)),
)
"""New combinations with their answers."""


def example(question: str, said: str) -> Example[QueryGraph]:
    """A training example. Its first word gives the head, and the domain gives the filters."""
    head = "ASK" if question.split()[0] in ("Did", "Was") else "SELECT DISTINCT ?x0"
    graph = parse_query(f"{head} WHERE {{ {said} }}")
    return Example(question, with_filters(graph, SONGS.differing))


def trained(domain: GraphDomain, folder: Path) -> GraphParser:
    """A parser of the pairs."""
    pairs = [example(*pair) for pair in PAIRS]
    # So few questions are all trained on; none are held out to choose the best epoch by.
    given = {"epochs": 16, "batch_size": 4, "head_rate": 1e-2, "held_out": 0}
    config, training = settings_for(GraphParser, domain, len(pairs), given)
    data = Dataset("songs", "all", train=pairs, dev=[], test=[])
    train(GraphParser, domain, data, config, training, folder=folder, progress=False)
    return GraphParser.from_pretrained(folder, domain)


def main() -> None:
    """Train on the pairs, and answer questions with new combinations."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "songs.ttl").write_text(GRAPH, encoding="utf-8")
        with LocalStore(place / "songs.ttl") as store:
            parser = trained(replace(SONGS, store=store), place / "run")
            for (question, wanted), answer in zip(NEW, parser([q for q, _ in NEW]), strict=True):
                print(question, "->", ", ".join(answer.lines))
                # The query graph, with the words that each edge rests on.
                print(draw_text(answer.prediction.derivation), end="\n\n")
                assert answer.lines == wanted


if __name__ == "__main__":
    main()

"""Questions about films for the command line's tests, and a parser that has learned them."""

from __future__ import annotations

from pathlib import Path

from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query, write_query
from partwise_papers.datasets.writing import to_line, write_lines
from partwise_papers.films.generate import generate

FILM = "https://partwise.example/films#"
MADE = "film:producer|film:productionCompany"
PATTERNS = {
    "Who directed M0": "SELECT DISTINCT ?x0 WHERE { ?x0 a film:Person . M0 film:director ?x0 }",
    "Who edited M0": "SELECT DISTINCT ?x0 WHERE { ?x0 a film:Person . M0 film:editor ?x0 }",
    "Who directed and edited M0": "SELECT DISTINCT ?x0 WHERE "
    "{ ?x0 a film:Person . M0 film:director ?x0 . M0 film:editor ?x0 }",
    "Did M0 direct M1": "ASK WHERE { M1 film:director M0 }",
    "Did M0 edit M1": "ASK WHERE { M1 film:editor M0 }",
    "Was M0 directed by M1": "ASK WHERE { M0 film:director M1 }",
}
"""What is learned by heart, so that a tiny parser can be asked."""
SMALL = ("--set", "dx=16", "--set", "dh=32", "--set", "layers=1", "--set", "dropout=0")
TINY = (*SMALL, "--batch-size", "16", "--epochs", "2")
DOMAIN = ("--domain", "films")


def patterns(times: int) -> list[Example[QueryGraph]]:
    bindings = (("M0", f"{FILM}Alien"), ("M1", f"{FILM}Ridley_Scott"))
    return [
        Example(question, parse_query(query), context=bindings[: question.count("M")])
        for question, query in PATTERNS.items()
        for _ in range(times)
    ]


def write(
    folder: Path, train: list[Example[QueryGraph]], test: list[Example[QueryGraph]]
) -> list[str]:
    """Files of questions, and the options that name them; dev and test are the same."""
    write_lines(
        folder / "train.jsonl.gz",
        (to_line(e, write_query(e.meaning, "sparql"), "query") for e in train),
    )
    write_lines(
        folder / "test.jsonl", (to_line(e, write_query(e.meaning, "sparql"), "query") for e in test)
    )
    return [
        *DOMAIN,
        *("--train", str(folder / "train.jsonl.gz")),
        *("--dev", str(folder / "test.jsonl"), "--test-file", str(folder / "test.jsonl")),
    ]


def generated(folder: Path, size: int = 50) -> list[str]:
    made = generate(size + 10, 2)
    return write(folder, made[:size], made[size:])

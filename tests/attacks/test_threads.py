"""One parser that 16 threads share answers as it does in one thread, to the last bit."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import BertConfig, PreTrainedTokenizerFast

from partwise import GraphParser, SpanParser
from partwise.chart import compiled, warm_up
from partwise.domains.films.domain import FILMS
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.execution import sparql
from partwise.execution.sparql import SPARQL, RowStore
from partwise.interface.registry import load
from partwise.language.graph_domain import GraphDomain
from partwise.language.text import tokenize
from partwise_papers.films.generate import generate

T = TypeVar("T")
R = TypeVar("R")
THREADS, ASKED = 16, 64


@pytest.fixture(autouse=True)
def busy() -> Iterator[None]:
    """Threads take turns far more often than they would, so that they meet in every place."""
    threads, interval = torch.get_num_threads(), sys.getswitchinterval()
    torch.set_num_threads(1)
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)
    torch.set_num_threads(threads)


def at_once(call: Callable[[T], R], given: Sequence[T]) -> list[R]:
    """The results of calls by many threads that begin at the same moment."""
    start = Barrier(THREADS)

    def share(number: int) -> list[R]:
        start.wait()
        return [call(one) for one in given[number::THREADS]]

    with ThreadPoolExecutor(THREADS) as pool:
        shares = [iter(results) for results in pool.map(share, range(THREADS))]
    return [next(shares[place % THREADS]) for place in range(len(given))]


def geography() -> list[str]:
    return [example.question for example in load("geography", "iid").train[:ASKED]]


def films() -> list[str]:
    asked = []
    for example in generate(ASKED, 7):
        names = FILMS.knowledge.labels(iri for _, iri in example.context or ())
        bound = {name: names[iri] for name, iri in example.context or ()}
        asked.append(" ".join(bound.get(word, word) for word in example.question.split()))
    return asked


PARSERS = [(SpanParser, "geography", geography), (GraphParser, "films", films)]


@pytest.mark.parametrize(("kind", "name", "questions"), PARSERS)
def test_a_shared_parser_answers_as_in_one_thread(kind: Any, name: str, questions: Any) -> None:
    shared, alone, asked = kind.from_pretrained(name), kind.from_pretrained(name), questions()

    def replies(parser: Any) -> Callable[[str], str]:
        return lambda question: repr(parser(question, k=3).to_json())

    # The threads go first: what a parser sets up when it is first asked is part of the attack.
    together = at_once(replies(shared), asked)
    assert together == [*map(replies(alone), asked)]


def test_so_it_does_while_its_charts_are_being_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up()
    parser, asked = SpanParser.from_pretrained("geography"), geography()[16:32]

    def reply(question: str) -> str:
        return repr(parser(question, k=3).to_json())

    expected = [*map(reply, asked)]
    calls = count()
    monkeypatch.setattr(compiled.COMPILER, "_busy", lambda: next(calls) < 40)
    assert at_once(reply, asked) == expected
    assert compiled.COMPILER._busy is None


@pytest.mark.parametrize(("kind", "name", "questions"), PARSERS)
def test_a_parse_changes_no_mode(
    kind: Any, name: str, questions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = kind.from_pretrained(name)

    def train(self: torch.nn.Module, mode: bool = True) -> torch.nn.Module:
        raise AssertionError("a parse writes to the network")

    monkeypatch.setattr(torch.nn.Module, "train", train)
    monkeypatch.setattr(torch.nn.Module, "register_forward_hook", train)
    assert parser.parse(questions()[:3])[0].meaning is not None


def test_programs_and_queries_run_in_many_threads() -> None:
    examples = load("geography", "iid").train[:ASKED]
    domain = SpanParser.from_pretrained("geography").domain
    alone = [domain.denotation(domain.run(one.meaning)) for one in examples]
    assert at_once(lambda one: domain.denotation(domain.run(one.meaning)), examples) == alone
    graphs = generate(ASKED, 7)
    said = [FILMS.denotation(FILMS.run(one.meaning, one.context)) for one in graphs]
    assert at_once(lambda x: FILMS.denotation(FILMS.run(x.meaning, x.context)), graphs) == said


def test_a_tokenizer_is_set_up_before_threads_use_it(tmp_path: Path) -> None:
    pieces = Tokenizer(WordLevel({"[UNK]": 0, "[PAD]": 1}, unk_token="[UNK]"))
    # As the files of many published encoders say; dropped where a whole question is wanted.
    pieces.enable_truncation(4)
    pieces.enable_padding()
    PreTrainedTokenizerFast(
        tokenizer_object=pieces, unk_token="[UNK]", pad_token="[PAD]"
    ).save_pretrained(tmp_path)
    sizes = {"hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1}
    BertConfig(vocab_size=2, intermediate_size=4, **sizes).save_pretrained(tmp_path)
    encoder = PretrainedEncoder("small", tmp_path)
    assert encoder.tokenizer.truncation is None
    assert encoder.tokenizer.padding is None
    words = [tokenize("word " * length) for length in range(1, 65)]
    assert at_once(encoder.fits, words) == [True] * len(words)


OPENERS = 8


class Store(RowStore):
    """A store that takes a moment to open, and counts how often that was done."""

    opened = 0

    def __init__(self, *_: object) -> None:
        super().__init__()
        type(self).opened += 1
        time.sleep(0.2)

    def ask(self, query: str) -> bool:
        return True

    def rows(self, query: str, limit: int) -> list[Any]:
        return []


@contextmanager
def opening() -> Iterator[Store]:
    yield Store()


def by_sparql() -> Callable[[], object]:
    reader = SPARQL("data.ttl")
    return lambda: (reader.column("SELECT ?a {}"), reader._store)[1]


def by_domain() -> Callable[[], object]:
    domain = GraphDomain("threads", "sparql", open_store=opening)
    return lambda: domain.knowledge


@pytest.mark.parametrize("made", [by_sparql, by_domain])
def test_threads_open_one_store(
    made: Callable[[], Callable[[], object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "opened", 0)
    monkeypatch.setattr(sparql, "LocalStore", Store)
    ask, start = made(), Barrier(OPENERS)

    def first(_: int) -> object:
        start.wait()
        return ask()

    with ThreadPoolExecutor(OPENERS) as pool:
        stores = set(pool.map(first, range(OPENERS)))
    assert (Store.opened, len(stores)) == (1, 1)

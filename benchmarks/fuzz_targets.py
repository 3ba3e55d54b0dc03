"""What `fuzz.py` runs: each target feeds bytes to one reader, and lets its errors through."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent / "tests"
CORPUS = TESTS / "attacks" / "corpus"


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes:
        run: feeds it; a `PartwiseError` is what it may raise.
        seeds: inputs to begin with.
        words: tokens of the language.
        seconds: of processor time that a case may take.
    """

    run: Callable[[bytes], object]
    seeds: Sequence[bytes]
    words: Sequence[str] = ()
    seconds: float = 1.0


def text_of(data: bytes) -> str:
    """The text of an input, as a command line has it: what is no UTF-8 gives lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def scratch(name: str) -> Path:
    """A file for inputs of readers of files, in memory where the system has that."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None)) / name


def program() -> Target:
    """Program texts: what is read is written and read again."""
    from partwise.domains.geography.domain import Geography
    from partwise.language.program import parse_program

    domain = Geography()

    def run(data: bytes) -> None:
        term = parse_program(text_of(data))
        assert parse_program(str(term)) == term
        domain.canonical(domain.read(text_of(data)))

    seeds = [
        b"answer(capital(loc_2(stateid('texas'))))",
        b"answer(largest_one(population_1(city(loc_2(countryid('usa'))))))",
        b'answer(count(intersection(river(all), exclude(state(all), next_to_2(stateid("ohio"))))))',
        b"f ( g#2 ( ), -1.5, _, 'a\\'b' )",
    ]
    words = ("answer(", "(", ")", ",", "'", '"', "\\", "#", "_", "-1.5", "stateid('texas')", " ")
    return Target(run, seeds, words)


PAIR = b'{"question": "which rivers ?", "program": "answer(river(all))", "id": 7}'
JSON_WORDS = (
    *('{"', '":', '"', "[", "]", "{", "}", ",", "null", "true", "1e999", "NaN", "\\ud800"),
    *("9" * 50, "\n", "\ufeff", "\u2028"),
)


def jsonl() -> Target:
    """Examples as JSON Lines; the first byte chooses the meaning, what is bad, and gzip."""
    from partwise.domains.films.domain import FILMS
    from partwise.interface.jsonl import read_jsonl
    from partwise.language.program import parse_program

    plain, packed = scratch("file.jsonl"), scratch("file.jsonl.gz")

    def run(data: bytes) -> None:
        how, rest = data[0] if data else 0, data[1:]
        read: Callable[[str], Any] = FILMS.read if how & 1 else parse_program
        zipped = how & 28 == 28
        # Some are a damaged gzip.
        file = packed if zipped else plain
        file.write_bytes(gzip.compress(rest, 1)[: -1 - (how >> 5)] if zipped else rest)
        read_jsonl(file, read, skip_bad=bool(how & 2))

    query = b'{"question": "Who directed M0", "query": "SELECT DISTINCT ?x0 WHERE { M0 a:b ?x0 }", '
    query += b'"bindings": {"M0": "x"}, "rules": {"names": ["a", "b"], "edges": [[0, 1]]}}'
    seeds = [b"0" + PAIR, b"1" + query, b"2" + PAIR + b"\n\n{}\n" + query, b"<" + PAIR, b"\x1e{}"]
    names = ("question", "program", "query", "meaning", "bindings", "rules", "official")
    return Target(run, seeds, (*JSON_WORDS, *(f'"{name}":' for name in names)))


QUERIES = (
    b"SELECT DISTINCT ?x0 WHERE { ?x0 a film:Person . M0 film:director ?x0 }",
    b"ASK WHERE { M1 film:director|film:editor M0 . FILTER ( M0 != M1 ) . M1 ^a:a/b:c <http://a> }",
    b"PREFIX wd: <http://w/> SELECT count(*) WHERE { ?x0 wdt:P1 ?x1 . ?x1 wdt:P1 ?x2 . M0 a a:Q5 }",
)
QUERY_WORDS = (
    *("SELECT DISTINCT ?x0 WHERE {", "ASK {", "?x0", "?x1", "M0", "M1", "film:director", " a "),
    *(" . ", "FILTER ( ?x0 != ?x1 )", "{", "}", "|", "/", "^", "<", ">", "PREFIX a: <b>"),
)


def sparql() -> Target:
    """Queries to graphs, their canonical form and their text."""
    from partwise.domains.films.domain import FILMS

    def run(data: bytes) -> None:
        graph = FILMS.read(text_of(data))
        canonical = FILMS.canonical(graph)
        assert FILMS.canonical(FILMS.read(FILMS.write(canonical))) == canonical

    return Target(run, QUERIES, QUERY_WORDS)


def store() -> Target:
    """Queries to the local store; the process behind it has limits of its own."""
    from importlib.resources import files

    from partwise.execution.sparql import LocalStore

    local = LocalStore(Path(str(files("partwise.domains.films") / "films.ttl")), timeout=2.0)

    def run(data: bytes) -> None:
        text = text_of(data[1:])
        if data[:1] > b"@":
            local.ask(text)
        else:
            local.rows(text, 10)

    begin = b"PREFIX film: <https://partwise.example/films#> "
    seeds = [
        b"0"
        + begin
        + b"SELECT ?a WHERE { ?a film:director ?b FILTER(regex(str(?b), 'a+')) } LIMIT 3",
        b"A" + begin + b"ASK { ?a film:director/film:spouse* ?b }",
        b"0"
        + begin
        + b"SELECT (COUNT(*) AS ?n) WHERE { { SELECT ?x { ?x ?y ?z } } UNION { ?a ?b 1.5 } }",
        b"0DESCRIBE <a>",
    ]
    words = ("OPTIONAL {", "GROUP BY", "BIND(", "SERVICE <http://a> {", "MINUS {", "VALUES ?x {")
    return Target(run, seeds, (*QUERY_WORDS, *words), seconds=2.5)


def turtle() -> Target:
    """Turtle files, each loaded by a process of its own."""
    from partwise.execution.sparql import LocalStore

    file = scratch("file.ttl")

    def run(data: bytes) -> None:
        file.write_bytes(data)
        LocalStore(file, timeout=2.0, load_timeout=5.0).close()

    seeds = [
        b'@prefix a: <http://a#> . a:b a:c "d"@en, 1.5 ; a a:E .\n[ a:f ( 1 2 ) ] a:g "x"^^a:t .',
        b"<a> <b> <c> .",
    ]
    words = ("@prefix", "@base", "<http://a>", '"""', "[", "]", "(", ")", "^^", "@en", "_:b", " . ")
    return Target(run, seeds, words, seconds=2.5)


def folder() -> Target:
    """Model folders, each made hostile in ways that the input chooses; loaded and asked."""
    from hostile_folders import Hostile

    attack = Hostile(scratch("folders").parent)
    seeds = [b"a", b"b"]
    return Target(lambda data: attack(hashlib.sha256(data).hexdigest()), seeds)


def http() -> Target:
    """Bodies of requests; the first byte chooses the path, the second the type."""
    sys.path += [str(TESTS), str(TESTS / "serve")]
    from serve_helpers import Echo

    from partwise.serve.api import create_app
    from partwise.serve.guard import Limits
    from partwise.serve.logs import Log

    app = create_app(Echo(), Limits(rate=0), Log(io.StringIO()))
    loop = asyncio.new_event_loop()
    paths = ("/ask", "/parse", "/batch", "/batch", "/ask/", "/page/../api.py", "/about", "/\udcff")
    kinds = (b"application/json", b"text/plain", b"application/json; charset=utf-16", b"\xff")

    async def request(path: str, kind: bytes, body: bytes) -> int:
        status = 0

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Mapping[str, Any]) -> None:
            nonlocal status
            status = int(message.get("status", status))

        raw = path.encode("utf-8", "surrogateescape")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "http",
        }
        scope |= {"method": "POST", "path": path, "raw_path": raw, "query_string": b""}  # type: ignore[dict-item]
        scope |= {"root_path": "", "client": ("1.1.1.1", 1), "server": ("localhost", 80)}  # type: ignore[dict-item]
        scope |= {"headers": [(b"content-type", kind)]}  # type: ignore[dict-item]
        await app(scope, receive, send)  # type: ignore[arg-type]
        return status

    def run(data: bytes) -> None:
        path, kind = (data[0], data[1]) if len(data) > 1 else (0, 0)
        sent = request(paths[path % len(paths)], kinds[kind % len(kinds)], data[2:])
        status = loop.run_until_complete(sent)
        assert 200 <= status < 500, f"status {status}"

    seeds = [
        b'\0\0{"question": "which rivers ?", "k": 2}',
        b'\1\0{"question": "\\u00e9 \\ud83d\\ude00", "k": 1}',
        b'\2\0{"questions": ["a", "b"], "k": 1, "run": true}',
    ]
    words = (*JSON_WORDS, '"question":', '"questions":', '"k":', '"run":', '{"questions":["a",')
    return Target(run, seeds, words)


def settings() -> Target:
    """Files of settings; the first byte chooses the format."""
    from partwise.cli.train import read_settings

    files = [scratch("settings" + ending) for ending in (".toml", ".yaml", ".json")]

    def run(data: bytes) -> None:
        file = files[data[0] % 3 if data else 0]
        file.write_bytes(data[1:])
        read_settings(file)

    seeds = [
        b'\0[span]\nhidden = 16\nobjective = "crf"\n[training]\nepochs = 2\nhead_rate = 1e-3\n',
        b"\1span:\n  hidden: 16\n  a: &b [1, *b]\n  <<: {c: 2}\nd: 2001-01-01\n",
        b'\2{"span": {"hidden": 16}, "epochs": null}',
    ]
    words = (*JSON_WORDS, "[[a]]", '"""', "a.b.c", "&a", "*a", "- ", "? ", "!!python/object", "|\n")
    return Target(run, seeds, words)


def tables() -> Target:
    """Tables of questions; the first byte chooses the format."""
    from partwise.serve.files import open_table

    files = [scratch("table" + ending) for ending in (".jsonl", ".csv", ".parquet")]

    def run(data: bytes) -> None:
        file = files[data[0] % 3 if data else 0]
        file.write_bytes(data[1:])
        table = open_table(file)
        for where in table.slices(100):
            table.read(where)

    import pyarrow
    import pyarrow.parquet

    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"id": [1, 2], "question": ["a", None]}), sink)
    seeds = [
        b'\0{"id": 1, "question": "a"}\n\n{"question": 3}\n',
        b'\1id,question\n1,"a ""b""\nc"\n2,d\n',
        b"\2" + sink.getvalue(),
    ]
    return Target(run, seeds, (*JSON_WORDS, "question", "question,", '""', ",", "\r\n", "\0"))


def context() -> Target:
    """What questions are about: scenes in files, and what placeholders stand for."""
    from partwise.domains.films.domain import FILMS
    from partwise_papers.domains.scenes.scene import find_scene, read_scenes

    file = scratch("scene.json")
    solid = {"size": "small", "color": "red", "material": "metal", "shape": "cube"}
    sides = {side: [[]] for side in ("left", "right", "front", "behind")}
    scene = {"objects": [{**solid, "3d_coords": [1, 2.5, 0]}], "relationships": sides}
    scene |= {"directions": {"left": [1, 0, 0]}}

    def run(data: bytes) -> None:
        if data[:1] == b"=":
            FILMS.read_context(text_of(data[1:]))
            return
        file.write_bytes(data[1:])
        if data[:1] == b"0":
            find_scene(str(file))
        elif data[:1] == b"1":
            find_scene(f"{file}:1")
        else:
            read_scenes(file)

    one = json.dumps(scene).encode()
    many = b'{"info": {}, "scenes": [%s, %s]}' % (one, one)
    seeds = [b"=M0=https://a,M1=b", b"0" + one, b"1" + many, b"2" + many]
    return Target(run, seeds, (*JSON_WORDS, '"objects":', '"relationships":', '"scenes":', "M0="))


QUESTION_SEEDS = (
    "what is the capital of texas ?",
    "which states border the state with the largest population",
    "Wo liegt der Mississippi ? ¿Qué ríos ?",
    "日本の首都はどこですか 中国 한국 ทะเล",
    "ما هي عاصمة تكساس ؟ שלום",
    "e\u0301\u0301\u0301 \U0001f600\u200d\U0001f468 ﬁ \u202ereversed\u202c \u0130I\u0131 ß \x00 \t",
)
GLUE = ("'s ", "-", ".", ",", '"', "(", "\u00ad", "\u200b", "\ufeff", "\U0001f1e6", "½", "٣", "é")


def span() -> Target:
    """Questions to the shipped span parser, of as many characters as the server lets through."""
    from partwise.domains.geography.domain import Geography

    names = Geography().vocabulary.types[0].names[:50]
    words = sorted({word for name in names for word in name.split()})
    return _questions("geography", QUESTION_SEEDS, (*words, "texas ", "river ", "largest "))


def graph() -> Target:
    """Questions to the shipped graph parser."""
    seeds = (
        "Who directed M0",
        "Did M0 and M1 's founder direct and edit Alien",
        "Which film director",
    )
    return _questions("films", (*seeds, *QUESTION_SEEDS), ("M0 ", "M999999 ", "directed ", "and "))


def _questions(name: str, seeds: Sequence[str], words: Sequence[str]) -> Target:
    from partwise.interface.answering import answer
    from partwise.training.store import load_parser

    parser = load_parser(name)

    def run(data: bytes) -> None:
        # A request is valid Unicode; half a surrogate is refused before.
        text = data.decode("utf-8", "replace")[:500]
        for one in answer(parser, [text], 3):
            json.dumps(one.to_json(True))

    return Target(run, [seed.encode() for seed in seeds], (*words, *GLUE), 4.0)


UNGUIDED = ("folder", "turtle", "span", "graph")
"""Targets of which coverage says less than the time that it costs."""
TARGETS: Mapping[str, Callable[[], Target]] = {
    make.__name__: make
    for make in (
        *(program, jsonl, sparql, settings, context, tables, http, folder, store, turtle),
        *(span, graph),
    )
}

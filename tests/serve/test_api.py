"""The JSON API: programs, query graphs, answers, its schema, and what it says to bad requests."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from serve_helpers import Echo, Served, served

from cases import cases
from partwise import __version__
from partwise.graph.parser import GraphParser
from partwise.serve.api import create_app
from partwise.serve.guard import PACE, Access, Limits
from partwise.serve.service import Service
from partwise.span.parser import SpanParser


def tree_nodes(tree: dict[str, Any]) -> list[dict[str, Any]]:
    return [tree, *(node for child in tree["children"] for node in tree_nodes(child))]


@pytest.fixture(scope="module")
def api(library: SpanParser) -> Served:
    return served(Service(library), Limits(rate=0))


def test_ask_gives_answer_meaning_and_derivation(api: Served) -> None:
    found = api.client.post("/ask", json={"question": "Who wrote Emma, please, secretly?", "k": 3})
    assert found.status_code == 200
    reply = found.json()
    assert reply["kind"] == "span"
    assert reply["meaning"] == "answer(author(book('emma')))"
    assert reply["answer"] == ["austen"]
    assert reply["reason"] is None
    assert 0 < reply["probability"] <= 1
    assert [reply["words"][i] for i in reply["unused"]] == ["secretly"]
    nodes = tree_nodes(reply["derivation"])
    assert {"wrote", "Emma"} <= {node["words"] for node in nodes}
    assert sum(node["score"] for node in nodes) == pytest.approx(reply["score"], abs=1e-4)
    assert len(reply["alternatives"]) == 2
    assert all("answer" in other and other["derivation"] for other in reply["alternatives"])


def test_parse_runs_nothing(api: Served) -> None:
    reply = api.client.post("/parse", json={"question": "when did dracula come out ?"}).json()
    assert reply["meaning"] == "answer(year(book('dracula')))"
    assert "answer" not in reply
    assert reply["alternatives"] == []
    assert reply["reason"] is None


def test_a_program_that_does_not_run_and_a_question_without_a_parse(api: Served) -> None:
    reply = api.client.post("/ask", json={"question": "when did dracula come out ?"}).json()
    assert reply["answer"] is None
    assert "the year of dracula is lost" in reply["reason"]
    reply = api.client.post("/ask", json={"question": "?!"}).json()
    assert reply["meaning"] is reply["derivation"] is reply["answer"] is None
    assert reply["reason"]


def test_a_batch_has_the_replies_of_its_questions_in_their_order(api: Served) -> None:
    questions = ["who wrote emma ?", "novels by eliot", "qux", "who wrote emma ?"]
    replies = api.client.post("/batch", json={"questions": questions}).json()["replies"]
    assert [reply["question"] for reply in replies] == questions
    alone = [api.client.post("/ask", json={"question": question}).json() for question in questions]
    assert [reply.get("answer") for reply in replies] == [one["answer"] for one in alone]
    assert replies[1]["answer"] == ["romola"]
    bare = api.client.post("/batch", json={"questions": questions, "run": False}).json()["replies"]
    assert all("answer" not in reply for reply in bare)


def test_health_and_about(api: Served) -> None:
    health = api.client.get("/health").json()
    assert health == {"status": "ok", "version": __version__, "kind": "span", "domain": "library"}
    about = api.client.get("/about").json()
    assert about["examples"][0] == "who wrote emma ?"
    assert about["limits"]["characters"] == Limits().characters
    assert about["runs"] is True


def test_the_schema_is_whole_and_says_the_limits() -> None:
    schema = served(Echo(), Limits(characters=77, k=3, batch=5)).client.get("/openapi.json").json()
    assert {"/ask", "/parse", "/batch", "/health", "/about"} <= set(schema["paths"])
    models = schema["components"]["schemas"]
    assert models["Question"]["properties"]["question"]["maxLength"] == 77
    assert models["Question"]["properties"]["k"]["maximum"] == 3
    assert models["Questions"]["properties"]["questions"]["maxItems"] == 5
    ask = schema["paths"]["/ask"]["post"]["responses"]
    assert {"200", "400", "413", "422", "429", "500", "503"} <= set(ask)
    assert ask["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Reply")
    # Each reference leads somewhere.
    for name in _references(schema):
        assert name in models


def _references(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_references, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"].rsplit("/", 1)[1]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*map(_references, value.values()))


def test_the_page_and_its_files_come_from_here_and_may_load_nothing_else(api: Served) -> None:
    page = api.client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    for name in ("style.css", "app.js"):
        assert api.client.get(f"/page/{name}").status_code == 200
        assert f'"page/{name}"' in page.text
    # Nor from the top of the host: the page may stand in any folder of it.
    for outside in ("http://", "https://", "/"):
        assert f'src="{outside}' not in page.text
        assert f'href="{outside}' not in page.text
    assert 'fetch("/' not in api.client.get("/page/app.js").text
    assert api.client.get("/page/../api.py").status_code == 404
    assert api.client.head("/").status_code == 200


@pytest.fixture(scope="module")
def graph_service_api(films: GraphParser) -> Served:
    return served(Service(films))


def test_ask_gives_answer_query_grounding_and_drawing(graph_service_api: Served) -> None:
    sent = graph_service_api.client.post("/ask", json={"question": "Who directed Alien?", "k": 3})
    assert sent.status_code == 200, sent.text
    reply = sent.json()
    assert reply["kind"] == "graph"
    assert reply["answer"] == ["Ridley Scott"]
    assert "SELECT DISTINCT ?x0" in reply["meaning"]
    assert reply["words"][-1] == "Alien"
    drawing = reply["derivation"]
    edge = next(item for item in drawing["items"] if item["kind"] == "edge")
    assert (edge["subject"], edge["label"], edge["target"]) == ("Alien", "director", "?x0")
    assert len(edge["weights"]) == len(reply["words"])
    assert len(edge["curve"]) == 4
    names = {node["name"]: node for node in drawing["nodes"]}
    assert names["?x0"]["asked"]
    assert names["Alien"]["entity"]
    for node in drawing["nodes"]:
        assert node["x"] - node["width"] / 2 >= -0.2
        assert node["x"] + node["width"] / 2 <= drawing["width"] + 0.2
        assert node["y"] + node["height"] / 2 <= drawing["height"] + 0.2
    (attribute,) = (item for item in drawing["items"] if item["kind"] == "attribute")
    assert names["?x0"]["attributes"] == [attribute["number"]]
    assert attribute["curve"] is None


def test_yes_or_no_names_that_are_not_there_and_parse(graph_service_api: Served) -> None:
    questions = ["Did Ridley Scott direct Alien?", "Who directed Zzyzx?"]
    yes, strange = graph_service_api.client.post("/batch", json={"questions": questions}).json()[
        "replies"
    ]
    assert yes["answer"] == ["yes"]
    assert strange["answer"] is strange["meaning"] is strange["derivation"] is None
    assert "Zzyzx" in strange["reason"]
    assert strange["unknown"] == ["Zzyzx"]
    bare = graph_service_api.client.post("/parse", json={"question": questions[0]}).json()
    assert "answer" not in bare
    assert "film:director" in bare["meaning"]


def test_without_a_store_there_are_queries_only(
    films: GraphParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(films, "domain", replace(films.domain, open_store=None))
    here = served(Service(films))
    assert here.client.get("/about").json()["runs"] is False
    assert "/parse" in here.problem(409, json={"question": "Who directed M0"})
    reply = here.client.post("/parse", json={"question": "Who directed M0"}).json()
    assert "film:director" in reply["meaning"]


@cases("sent, status, said")
def test_bad_bodies_are_told_what_is_wrong(sent: bytes, status: int, said: str) -> None:
    here = served(Echo())
    found = here.problem(status, content=sent, headers={"content-type": "application/json"})
    assert said in found


def test_other_types_than_json_are_refused() -> None:
    here = served(Echo())
    body = b'{"question": "x"}'
    assert "JSON" in here.problem(422, content=body, headers={"content-type": "text/plain"})
    assert "JSON" in here.problem(422, content=body)


def test_what_was_sent_is_not_repeated() -> None:
    here = served(Echo())
    said = here.problem(422, json={"question": ["my secret"], "my other secret": 1})
    assert "my secret" not in said


def test_sizes() -> None:
    here = served(Echo(), Limits(characters=10, batch=3, body=200))
    assert "11 characters; at most 10" in here.problem(422, json={"question": "x" * 11})
    assert here.client.post("/ask", json={"question": "x" * 10}).status_code == 200
    many = {"questions": ["x"] * 4}
    assert "4 questions; send at most 3" in here.problem(422, "/batch", json=many)
    long = {"questions": ["x", "x" * 11]}
    assert "questions[1] has 11 characters" in here.problem(422, "/batch", json=long)
    assert "required" in here.problem(422, "/batch", json={})
    assert "questions[1]" in here.problem(422, "/batch", json={"questions": ["x", 5]})
    assert "questions" in here.problem(422, "/batch", json={"questions": []})
    assert "more than 200 bytes" in here.problem(413, json={"question": "x" * 200})


def test_a_body_without_a_length_is_counted_as_it_comes() -> None:
    here = served(Echo(), Limits(body=200))
    pieces = iter([b'{"question": "'] + [b"x" * 50] * 10_000)
    taken: list[bytes] = []

    def stream() -> Any:
        for piece in pieces:
            taken.append(piece)
            yield piece

    headers = {"content-type": "application/json"}
    assert "more than 200 bytes" in here.problem(413, content=stream(), headers=headers)


def test_a_body_that_comes_too_slowly_is_given_up() -> None:
    app = create_app(Echo(), Limits(seconds=0.05))
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        **{"type": "http", "method": "POST", "path": "/ask", "raw_path": b"/ask"},
        **{"query_string": b"", "headers": [], "client": ("1.2.3.4", 5), "scheme": "http"},
    }
    asyncio.run(app(scope, never, send))
    assert sent[0]["status"] == 408
    assert "send it at once" in json.loads(sent[1]["body"])["detail"]


def test_paths_and_methods_that_are_not_there() -> None:
    here = served(Echo())
    assert "POST to /ask" in here.problem(404, "/asks")
    assert "does not take POST" in here.problem(405, "/health")
    found = here.client.get("/ask")
    assert (found.status_code, found.headers["allow"]) == (405, "POST")
    assert here.client.get("/redoc").status_code == 404


def test_rate_counts_questions_and_says_when_to_come_again() -> None:
    here = served(Echo(), Limits(rate=5))
    assert here.client.post("/batch", json={"questions": ["x"] * 4}).status_code == 200
    assert here.client.post("/ask", json={"question": "x"}).status_code == 200
    said = here.problem(429, json={"question": "x"})
    assert "more than 5 questions a minute" in said
    found = here.client.post("/ask", content=b"{")
    assert found.status_code == 429
    assert 1 <= int(found.headers["retry-after"]) <= 12
    # Looking is free.
    assert here.client.get("/health").status_code == 200


def test_a_large_body_counts_as_many_questions() -> None:
    here = served(Echo(), Limits(rate=5, weight=100))
    body = {"question": "x", "note": "y" * 350}
    here.problem(422, json=body)
    said = here.problem(429, json=body)
    assert "more than 5 questions a minute" in said


def test_large_bodies_are_read_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    sleeping, most, slept, real = 0, 0, 0.0, asyncio.sleep

    async def sleep(seconds: float) -> None:
        nonlocal sleeping, most, slept
        sleeping, slept = sleeping + 1, slept + seconds
        most = max(most, sleeping)
        await real(0.01)
        sleeping -= 1

    monkeypatch.setattr("partwise.serve.guard.asyncio.sleep", sleep)
    here = served(Echo())
    bodies = [json.dumps({"questions": ["hello"], "x": "y" * size}) for size in (9, *[50_000] * 5)]
    sent: list[httpx2.Response] = []

    async def send_all() -> None:
        transport = httpx2.ASGITransport(app=here.client.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
            headers = {"Content-Type": "application/json"}
            posts = (client.post("/batch", content=body, headers=headers) for body in bodies)
            sent.extend(await asyncio.gather(*posts))

    asyncio.run(send_all())
    assert [reply.status_code for reply in sent] == [422] * 6
    assert most == 1
    assert slept == pytest.approx(sum(map(len, bodies[1:])) / PACE)


def test_without_a_knowledge_graph_there_are_no_answers() -> None:
    here = served(Echo(runs=False))
    assert "/parse" in here.problem(409, json={"question": "x"})
    assert here.client.post("/parse", json={"question": "x"}).status_code == 200


def _secret(question: str) -> None:
    if question == "boom":
        raise RuntimeError(f"cannot bear {question}")


def test_a_failure_inside_is_a_500_that_tells_nothing() -> None:
    here = served(Echo(fails=_secret))
    said = here.problem(500, json={"question": "boom"})
    assert "Traceback" not in said
    assert "bear" not in said
    error, request = here.lines
    assert (error["level"], error["error"]) == ("error", "RuntimeError")
    assert any("_secret" in frame for frame in error["where"])
    assert error["request"] == request["request"]
    assert "boom" not in here.stream.getvalue()
    assert request["status"] == 500
    # The next one is answered as if nothing had been.
    assert here.client.post("/ask", json={"question": "x"}).status_code == 200


def test_a_reply_of_another_form_is_a_failure_too() -> None:
    class Broken(Echo):
        def _reply(self, question: str, run: bool) -> dict[str, Any]:
            return {"kind": "span", "program": 5}

    here = served(Broken())
    here.problem(500, json={"question": "x"})
    assert here.lines[0]["error"] == "ResponseValidationError"


@pytest.fixture
def shop(tmp_path: Path) -> Served:
    pytest.importorskip("sqlalchemy")
    from shop_helpers import KnowingParser, shop_domain

    service: Any = Service(KnowingParser(shop_domain(tmp_path)))  # type: ignore[arg-type]
    return served(service, Limits(rate=0))


def test_a_question_goes_on_from_the_one_that_comes_with_it(shop: Served) -> None:
    first = shop.client.post("/ask", json={"question": "customers in chile"}).json()
    after = {"question": first["question"], "program": first["program"]}
    asked = {"question": "how many is that", "after": after}
    then = shop.client.post("/ask", json=asked).json()
    assert (then["answer"], then["goes_on"]) == ([[2]], True)
    # Nothing is remembered.
    assert shop.client.post("/ask", json={"question": asked["question"]}).json()["answer"] is None
    assert shop.client.get("/about").json()["goes_on"] is True


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("(Listing (Rows customer) [(Field [] email)])", "private"),
        ("(Listing (Rows nothing) [(Field [] name)])", "nothing"),
        ("(Listing " * 200, "Listing"),
    ],
)
def test_a_program_that_may_not_be_gone_on_from_is_refused(
    shop: Served, program: str, told: str
) -> None:
    after = {"question": "customers", "program": program}
    reply = shop.client.post("/ask", json={"question": "how many is that", "after": after})
    assert reply.status_code == 422
    assert told in reply.text


def test_what_can_be_asked_about_is_told_with_a_key_alone_and_nothing_private(
    shop: Served, tmp_path: Path
) -> None:
    from shop_helpers import KnowingParser, shop_domain

    customer, _ = shop.client.get("/schema").json()["tables"]
    assert (customer["left_out"], "email" in str(customer)) == (1, False)
    found = shop.client.get("/complete", params={"text": "customers in ch"}).json()
    whole = {"text": "Chile", "kind": "value", "of": "customer country", "start": 13}
    assert found == [whole]
    assert shop.client.get("/complete", params={"text": "em"}).json() == []
    assert shop.client.get("/complete", params={"text": "x" * 501}).status_code == 422
    service: Any = Service(KnowingParser(shop_domain(tmp_path)))  # type: ignore[arg-type]
    locked = served(service, access=Access(keys=("secret",))).client
    for path in ("/schema", "/complete?text=ch"):
        assert locked.get(path).status_code == 401
        allowed = locked.get(path, headers={"Authorization": "Bearer secret"})
        assert allowed.status_code == 200


def test_a_parser_that_reads_each_question_by_itself_says_so(api: Served) -> None:
    after = {"question": "who wrote emma ?", "program": "answer(author(book('emma')))"}
    reply = api.client.post("/ask", json={"question": "and dracula ?", "after": after})
    assert reply.status_code == 422
    assert "ask in full" in reply.text

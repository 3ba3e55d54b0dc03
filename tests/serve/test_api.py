"""The JSON API over a real parser: programs, trees, answers, alternatives, its schema."""

from __future__ import annotations

from typing import Any

import pytest
from serve_helpers import Echo, Served, served

from partwise import __version__
from partwise.serve.guard import Limits
from partwise.serve.service import Service
from partwise.span.parser import SpanParser


def tree_nodes(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """All nodes of a JSON tree, the root first."""
    return [tree, *(node for child in tree["children"] for node in tree_nodes(child))]


@pytest.fixture(scope="module")
def api(library: SpanParser) -> Served:
    """A server of the library's parser."""
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

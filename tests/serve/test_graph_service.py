"""Query graphs over HTTP: queries, answers, groundings, drawings, and without a store."""

from __future__ import annotations

from dataclasses import replace

import pytest
from serve_helpers import Served, served

from partwise.graph.parser import GraphParser
from partwise.serve.service import Service


@pytest.fixture(scope="module")
def api(films: GraphParser) -> Served:
    """A server of the films' parser."""
    return served(Service(films))


def test_ask_gives_answer_query_grounding_and_drawing(api: Served) -> None:
    sent = api.client.post("/ask", json={"question": "Who directed Alien?", "k": 3})
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


def test_yes_or_no_names_that_are_not_there_and_parse(api: Served) -> None:
    questions = ["Did Ridley Scott direct Alien?", "Who directed Zzyzx?"]
    yes, strange = api.client.post("/batch", json={"questions": questions}).json()["replies"]
    assert yes["answer"] == ["yes"]
    assert strange["answer"] is strange["meaning"] is strange["derivation"] is None
    assert "Zzyzx" in strange["reason"]
    assert strange["unknown"] == ["Zzyzx"]
    bare = api.client.post("/parse", json={"question": questions[0]}).json()
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

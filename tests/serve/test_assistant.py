"""The server for assistants, asked by the official client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
import shop_helpers
from jsonschema import validate
from mcp import Client, StdioServerParameters
from shop_helpers import write_shop

from partwise.interface.clarification import option_id

TESTS = Path(shop_helpers.__file__).parent
SERVER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from shop_helpers import KnowingParser, shop_domain
from partwise.serve.assistant import assistant
from partwise.serve.service import Service
assistant(Service(KnowingParser(shop_domain(Path(sys.argv[2]))))).run("stdio")
"""


Say = Callable[[Client], Awaitable[Any]]


async def begun(server: StdioServerParameters) -> tuple[Client, Callable[[], Awaitable[None]]]:
    """A client of a server, and what ends both."""
    ready, end = asyncio.get_running_loop().create_future(), asyncio.Event()

    async def until_the_end() -> None:
        async with Client(server) as client:
            ready.set_result(client)
            await end.wait()

    async def finish() -> None:
        end.set()
        await task

    task = asyncio.create_task(until_the_end())
    await asyncio.wait([ready, task], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    return ready.result(), finish


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Say], Any]]:
    """Runs what talks to a server, which is another process."""
    folder = tmp_path_factory.mktemp("assistant")
    write_shop(folder / "shop.db")
    arguments = ["-c", SERVER, str(TESTS), str(folder)]
    # Of the same package: the client passes few variables on by itself.
    server = StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ})
    with asyncio.Runner() as runner:

        def run(what: Awaitable[Any]) -> Any:
            return runner.run(asyncio.wait_for(what, 120))

        client, finish = run(begun(server))
        yield lambda say: run(say(client))
        run(finish())


def called(talk: Any, tool: str, **given: Any) -> Any:
    async def say(client: Client) -> Any:
        listed = {one.name: one for one in (await client.list_tools()).tools}
        return listed[tool], await client.call_tool(tool, given)

    described, result = talk(say)
    assert not result.is_error, result
    validate(result.structured_content, described.output_schema)
    return result.structured_content


def test_the_tools_are_listed_with_typed_schemas_and_only_read(talk: Any) -> None:
    tools = talk(lambda client: client.list_tools()).tools
    assert {one.name for one in tools} == {"ask", "clarify", "follow_up", "explain", "schema"}
    for one in tools:
        assert one.annotations.read_only_hint
        assert not one.annotations.destructive_hint
        assert one.description
        assert one.output_schema["type"] == "object"
    (ask,) = (one for one in tools if one.name == "ask")
    assert ask.input_schema["required"] == ["question"]
    assert ask.output_schema["properties"]["outcome"]["enum"] == [
        *("answered", "doubtful", "refused", "clarify")
    ]


def test_a_question_gets_exact_rows(talk: Any) -> None:
    said = called(talk, "ask", question="customers in chile please")
    assert said["outcome"] == "answered"
    assert said["columns"] == ["name"]
    assert sorted(said["answer"]) == [["=1+1"], ["O'Neil"]]
    assert said["sql"].startswith("SELECT")
    assert said["ignored"] == ["please"]


def test_a_question_goes_on_from_the_last_one(talk: Any) -> None:
    first = called(talk, "ask", question="customers in chile")
    then = called(
        *(talk, "follow_up"),
        question="how many is that",
        last_question=first["question"],
        last_program=first["program"],
    )
    assert then["answer"] == [[2]]
    assert then["goes_on"]


def test_a_refusal_is_a_result_with_the_reason_and_what_can_be_asked(talk: Any) -> None:
    said = called(talk, "ask", question="what is the weather")
    assert said["outcome"] == "refused"
    assert said["answer"] is None
    assert said["reason"] == "the shop cannot tell this"
    assert len(said["suggestions"]) == 3


def test_doubt_comes_with_other_interpretations_and_their_answers(talk: Any) -> None:
    said = called(talk, "ask", question="the customer with the most revenue")
    assert said["outcome"] == "doubtful"
    assert said["notes"]
    assert [len(one["answer"]) for one in said["alternatives"]] == [3, 2]


def test_a_choice_is_answered_and_another_is_refused(talk: Any) -> None:
    chosen = called(talk, "ask", question="the customer with the most revenue")
    found = called(
        talk,
        "clarify",
        question="the customer with the most revenue",
        option=option_id(chosen["alternatives"][0]["program"]),
    )
    assert found["program"] == chosen["alternatives"][0]["program"]
    assert found["outcome"] == "answered"
    wrong = called(talk, "clarify", question="customers", option="other")
    assert (wrong["outcome"], wrong["answer"]) == ("refused", None)


def test_what_is_private_is_not_told(talk: Any) -> None:
    said = called(talk, "ask", question="emails")
    assert said["outcome"] == "refused"
    assert "private" in said["reason"]
    assert "email" not in str(called(talk, "schema"))


def test_an_explanation_has_no_rows(talk: Any) -> None:
    said = called(talk, "explain", question="revenue by customer")
    assert said["outcome"] == "answered"
    assert said["words"] == ["revenue  first word of revenue by customer", "         through sale"]
    assert "answer" not in said
    assert said["restated"]


def test_the_schema_of_one_table_or_of_all(talk: Any) -> None:
    whole = called(talk, "schema")
    assert [one["name"] for one in whole["tables"]] == ["customer", "sale"]
    assert whole["examples"]
    sale = called(talk, "schema", table="SALE")
    assert [one["name"] for one in sale["tables"]] == ["sale"]
    assert [one["name"] for one in sale["measures"]] == ["revenue"]
    assert called(talk, "schema", table="weather")["tables"] == []


def test_a_question_that_is_too_long_is_an_error_of_the_caller(talk: Any) -> None:
    result = talk(lambda client: client.call_tool("ask", {"question": "x" * 5000}))
    assert result.is_error

"""What the API takes and gives, typed; the OpenAPI schema is made of these."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Given(BaseModel):
    """A request: other fields than these are mistakes, and no type is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


K = Annotated[int, Field(ge=1, description="How many readings, the most probable first.")]


class Question(_Given):
    """One question."""

    question: str = Field(min_length=1, examples=["which states border ohio?"])
    k: K = 1


class Questions(_Given):
    """Many questions."""

    questions: list[Annotated[str, Field(min_length=1)]] = Field(min_length=1)
    k: K = 1
    run: bool = Field(default=True, description="Whether programs or queries are run.")


class TreeNode(BaseModel):
    """A node of a span tree."""

    start: int = Field(description="Number of its first word.")
    end: int = Field(description="Number of the word after its last.")
    words: str
    category: str = Field(description="Of a constant; else join.")
    kind: Literal["predicate", "entity", "join"]
    program: str = Field(description="Partial program, · for arguments that are still open.")
    type: str
    score: float | None = Field(description="Of its label on these words, that of none being 0.")
    function: int | None = Field(description="Number of the child that took the others.")
    children: list[TreeNode]


class Difference(BaseModel):
    """Words that an alternative takes otherwise than the best reading."""

    words: str
    mine: list[str] = Field(description="Categories in the best reading.")
    other: list[str] = Field(description="Categories in this one.")


class Reading(BaseModel):
    """One way to read a question."""

    program: str | None = Field(description="Null if no well-typed program fits.")
    probability: float | None = Field(description="Among all well-typed programs.")
    score: float | None = Field(description="Sum of the scores of the tree's nodes.")
    answer: list[str] | None = Field(
        default=None, description="Null where nothing could be run; not there if not asked for."
    )
    tree: TreeNode | None
    unused: list[int] = Field(description="Numbers of the words that gave nothing.")
    corrections: list[tuple[str, str]] = Field(
        description="Names that are misspelt: what was typed, what it was taken for."
    )
    differences: list[Difference] = Field(description="From the best reading, by phrase.")
    reason: str | None = Field(description="Why there is no program, or no answer.")


class SpanReply(Reading):
    """A question with its program."""

    kind: Literal["span"]
    question: str
    words: list[str]
    alternatives: list[Reading]


class GraphTriple(BaseModel):
    """A triple of a query with the weight of each word that it rests on."""

    subject: str
    predicate: str
    object: str
    grounding: list[float] | None


class GraphNode(BaseModel):
    """A node's card in the drawing: its middle and size in pixels."""

    id: str
    name: str
    note: str
    entity: bool
    asked: bool
    attributes: list[int] = Field(description="Numbers of the items that it lists.")
    x: float
    y: float
    width: float
    height: float


class GraphItem(BaseModel):
    """An edge, an attribute, or a pair that must differ."""

    kind: Literal["edge", "attribute", "differ"]
    number: int
    subject: str
    label: str
    target: str
    weights: list[float] = Field(description="One for each word, from 0 to 1.")
    curve: list[tuple[float, float]] | None = Field(description="A Bézier curve's four points.")
    label_at: tuple[float, float] | None


class GraphDrawing(BaseModel):
    """A query graph, laid out."""

    width: float
    height: float
    nodes: list[GraphNode]
    items: list[GraphItem]


class GraphReply(BaseModel):
    """A question with its query."""

    kind: Literal["graph"]
    question: str
    linked: str = Field(description="The question, placeholders in place of names.")
    bindings: dict[str, str] = Field(description="Placeholder to IRI.")
    names: dict[str, str]
    ambiguous: dict[str, list[str]] = Field(description="All IRIs a placeholder may stand for.")
    unknown: list[str] = Field(description="Words never met in training.")
    query: str | None = Field(description="SPARQL.")
    probability: float | None
    answer: list[str] | None = Field(
        default=None, description="Null where nothing could be run; not there if not asked for."
    )
    values: list[str] = Field(default=[], description="The answer's IRIs or literals.")
    more: bool = Field(default=False, description="Whether the answer goes on.")
    words: list[str]
    triples: list[GraphTriple]
    drawing: GraphDrawing | None
    reason: str | None = Field(description="Why there is no query, or no answer.")


Reply = Annotated[SpanReply | GraphReply, Field(discriminator="kind")]


class Replies(BaseModel):
    """Replies in the order of the questions."""

    replies: list[Reply]


class Health(BaseModel):
    """That the server is up, and with what."""

    status: Literal["ok"]
    version: str
    kind: Literal["span", "graph"]
    domain: str


class AllowedSizes(BaseModel):
    """The server's limits."""

    characters: int = Field(description="Of a question.")
    batch: int = Field(description="Questions of one request.")
    k: int
    rate: int = Field(description="Questions of a client in a minute; 0 for any number.")
    body: int = Field(description="Bytes of a request.")


class About(BaseModel):
    """What can be asked, and how."""

    kind: Literal["span", "graph"]
    domain: str
    runs: bool = Field(description="Whether answers can be given, or only programs or queries.")
    alternatives: bool = Field(description="Whether a question can have several readings.")
    examples: list[str]
    limits: AllowedSizes

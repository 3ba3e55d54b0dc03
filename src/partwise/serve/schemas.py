"""What the API takes and gives, typed; the OpenAPI schema is made of these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, model_validator

from partwise.interface.prediction import JSON_VERSION, Cell


class _Given(BaseModel):
    """A request: other fields than these are mistakes, and no type is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _few(cls, given: Any) -> Any:
        """Without a list of thousands of mistakes, which would take long to make."""
        if isinstance(given, dict) and len(given) > 2 * len(cls.model_fields):
            raise ValueError(f"has {len(given)} fields; an object has {len(cls.model_fields)}")
        return given


K = Annotated[int, Field(ge=1, description="How many meanings, the most probable first.")]


class Question(_Given):
    """One question."""

    question: str = Field(min_length=1, examples=["which states border ohio?"])
    k: K = 1


class Questions(_Given):
    """Many questions."""

    # Its first mistake is enough.
    questions: Annotated[list[Annotated[str, Field(min_length=1)]], FailFast()] = Field(
        min_length=1
    )
    k: K = 1
    run: bool = Field(default=True, description="Whether meanings are run.")


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
    """A query graph, laid out, with the weight of each word that an edge rests on."""

    width: float
    height: float
    nodes: list[GraphNode]
    items: list[GraphItem]


class Difference(BaseModel):
    """Words that an alternative takes in another way than the best interpretation."""

    words: str
    mine: list[str] = Field(description="What they give in the best interpretation.")
    other: list[str] = Field(description="What they give in this one.")


class Interpretation(BaseModel):
    """One meaning of a question."""

    meaning: str | None = Field(description="A program or a query; null if there is none.")
    program: str | None = Field(default=None, description="The same, by its newer name.")
    restated: str | None = Field(
        default=None, description="The meaning in words, where the domain gives them."
    )
    sql: str | None = Field(default=None, description="The statement that gives the answer.")
    probability: float | None = Field(description="Among all meanings of the question.")
    score: float | None = Field(description="Of the derivation, before it is a probability.")
    status: Literal["answered", "doubtful", "refused"] = Field(
        description="Whether there is an answer, and one that is likely to be right."
    )
    outcome: Literal["answered", "doubtful", "refused"] | None = Field(
        default=None, description="The status, by its newer name."
    )
    answer: list[str] | list[list[Cell]] | None = Field(
        default=None,
        description="Texts, or the rows of a table. Null where nothing could be run; not there if "
        "not asked for.",
    )
    columns: list[str] | None = Field(
        default=None, description="Of the table; null where the answer is none."
    )
    truncated: bool = Field(default=False, description="Whether the table has further rows.")
    notes: list[str] = Field(default=[], description="What must be said beside the answer.")
    derivation: TreeNode | GraphDrawing | dict[str, Any] | None = Field(
        union_mode="left_to_right",
        description="Which words gave which part: a span tree, a graph, or what a plug-in draws.",
    )
    unused: list[int] = Field(description="Numbers of the words that gave nothing.")
    ignored: list[str] = Field(default=[], description="The words that gave nothing.")
    unknown: list[str] = Field(description="Words never met in training.")
    corrections: list[tuple[str, str]] = Field(
        description="Names that are misspelt: what was typed, what it was taken for."
    )
    ambiguous: dict[str, list[str]] = Field(
        description="All that a name may stand for; the first is taken."
    )
    differences: list[Difference] = Field(description="From the best interpretation, by phrase.")
    reason: str | None = Field(description="Why there is no meaning, or no answer.")


class Reply(Interpretation):
    """A question with its best interpretation and others."""

    kind: str = Field(description="Of the parser, as span or graph.")
    version: int = Field(default=JSON_VERSION, description="Of this form.")
    question: str
    words: list[str]
    suggestions: list[str] = Field(description="Questions that can be asked, where there is none.")
    alternatives: list[Interpretation]


class Replies(BaseModel):
    """Replies in the order of the questions."""

    replies: list[Reply]


class Health(BaseModel):
    """That the server is up, and with what."""

    status: Literal["ok"]
    version: str
    kind: str
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

    kind: str
    domain: str
    runs: bool = Field(description="Whether answers can be given, or only meanings.")
    examples: list[str]
    limits: AllowedSizes

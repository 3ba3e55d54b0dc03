"""What a layer's file may say: each key with its type and its meaning.

The reader, the JSON Schema for editors and the reference page are all made from these declarations.
``python -m partwise.database.layer.entries`` prints the schema, which is stored beside this file.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError

from partwise.database.inflection import regular_singular
from partwise.execution.relational.schema import Kind

_BORDER = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")


def readable(name: str) -> str:
    """The words of a stored name, in lower case; the name itself where it has none."""
    return " ".join(part.lower() for part in _BORDER.split(name) if part) or name


def singular(name: str) -> str:
    """The same with its last word in the singular, as one row of a table is called; what a file
    leaves out follows from it, so an import's list of irregular nouns has no part in it."""
    *first, last = readable(name).split(" ")
    return " ".join([*first, regular_singular(last)])


def _text(value: Any) -> Any:
    """A text; what YAML reads as a number, date or truth value, as it is written there."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float | date | str) else value


def _texts(value: Any) -> Any:
    """One text or several."""
    return [_text(one) for one in value] if isinstance(value, list) else [_text(value)]


_TEXT: dict[str, Any] = {"type": ["string", "number", "boolean"]}
_TEXTS: dict[str, Any] = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts), WithJsonSchema(_TEXTS)]


class Entry(BaseModel):
    """A part of the file.

    Attributes:
        short: the key that a bare value stands for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    short: ClassVar[str | None] = None

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        """The long form; a wrong key is refused with the nearest right one."""
        if cls.short is not None and not isinstance(data, Mapping | list):
            return {cls.short: data}
        if isinstance(data, Mapping):
            for key in data:
                if key not in cls.model_fields:
                    raise PydanticCustomError("key", _unknown(str(key), cls), {"key": key})
        return data

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = handler.resolve_ref_schema(handler(core))
        for name, text in key_texts(cls):
            said = {**schema["properties"][name], "description": text}
            schema["properties"][name] = dict(sorted(said.items()))
        if cls.short is None:
            return schema
        return {"anyOf": [schema["properties"][cls.short], dict(schema)]}


def key_texts(cls: type[Entry]) -> Iterator[tuple[str, str]]:
    """The keys of a part with the texts below them, which only a schema and the docs need."""
    (definition,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(definition, ast.ClassDef)
    for key, text in pairwise(definition.body):
        match key, text:
            case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(said))):
                yield name, " ".join(said.split())


def _unknown(key: str, cls: type[Entry]) -> str:
    known = list(cls.model_fields)
    close = difflib.get_close_matches(key, known, 1, 0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
    return f"there is no key {key!r} here; {hint}".replace("{", "(").replace("}", ")")


class ColumnEntry(Entry):
    """A column. A bare word is its kind."""

    short: ClassVar[str | None] = "kind"

    kind: Kind
    """What its values are. An id tells rows apart or points to a row: it can be counted and is
    never added up."""
    label: Text | None = None
    """What people call it, in lower case. Default: the words of its name."""
    synonyms: Texts = ()
    """Other names for it, one or a list."""
    description: str = ""
    """A sentence for people."""
    unit: Text | None = None
    """What its numbers count, as ms, usd or kg."""
    stored_as_text: bool = False
    """Whether its numbers or dates are stored as texts."""
    format: Text = ""
    """How its numbers or dates are written that are stored as something else: $1,234.5, 1.234,5 kg,
    NaN where some are none, dd.mm.yyyy, zoned, seconds or milliseconds since 1970. What does not
    read so counts as missing."""
    read_as_text: bool = False
    """Whether its texts are stored as something else: times of day, UUIDs."""
    private: bool = False
    """Whether it is never shown, sampled, indexed or logged."""
    values: Texts | None = None
    """All values that there are, if they are few."""
    examples: Texts = ()
    """Some of its values."""
    in_full: bool = False
    """Whether a question must give its values in full, as titles of songs: no part of one stands
    for it."""
    prefer: bool = False
    """Whether it is meant where other columns hold the same value, and the question names none of
    them."""
    value_names: dict[Text, Texts] = {}
    """What people call a value that is stored otherwise, as F: female."""


class LinkEntry(Entry):
    """Where a column points to. A bare name is the table; nothing (~) says that it does not."""

    short: ClassVar[str | None] = "to"

    to: Text | None
    """The table whose rows it points to, by their key."""
    called: Texts = ()
    """What people call it, as looks after, one or a list."""
    prefer: bool = False
    """Whether it is taken where several ways of one length lead to a table."""


class MeasureEntry(Entry):
    """A figure that has a name. A bare text is its formula; nothing (~): it is unwanted."""

    short: ClassVar[str | None] = "formula"

    formula: str | None
    """As sum of Quantity * UnitPrice where Invoice.Status = 'paid'."""
    label: Text | None = None
    """What people call it, in lower case. Default: the words of its name."""
    synonyms: Texts = ()
    """Other names for it, one or a list."""
    description: str = ""
    """A sentence for people."""
    unit: Text | None = None
    """What it counts, as usd."""


class TableEntry(Entry):
    """What one row is called, and what the table holds."""

    label: Text | None = None
    """What people call one row, in lower case and singular. Default: the words of its name."""
    synonyms: Texts = ()
    """Other names for a row, one or a list."""
    description: str = ""
    """A sentence for people."""
    key: Text | None = None
    """The column that tells its rows apart."""
    display: Texts = ()
    """The columns that together name a row, as first and last name."""
    date: Text | None = None
    """The column that is meant where a question says only "in 2024"."""
    measure: Text | None = None
    """The measure that "how much" means where nothing else is said."""
    person: bool = False
    """Whether its rows are people."""
    bridge: bool = False
    """Whether it does nothing but link other tables."""
    private: bool = False
    """Whether nothing of it is ever shown, sampled, indexed or logged."""
    columns: dict[Text, ColumnEntry]
    """Its columns, by their stored names."""
    links: dict[Text, LinkEntry] = {}
    """Columns that point to other tables, or to this one."""
    measures: dict[Text, MeasureEntry] = {}
    """Figures over its rows. Their names are unique in the file."""


class FileEntry(Entry):
    """The keys that stand at the left margin."""

    name: Text
    """The name of the domain, an identifier."""
    source: str
    """Where the data are, as sqlite:///shop.db."""
    today: date | None = None
    """The day that "last month" is counted from. Default: the day of asking."""
    tables: dict[Text, TableEntry]
    """The tables, by their stored names."""
    gone: dict[Text, dict[Text, Any]] = {}
    """What was said of tables, columns and links that the database no longer has. Nobody reads it;
    it is put back if they return."""


SCHEMA_FILE = "layer.schema.json"
"""Its name beside a layer's file."""


def layer_schema() -> dict[str, Any]:
    """The schema, made from the declarations that the file is read with."""
    schema = FileEntry.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def schema_text() -> str:
    """The same as a file."""
    return json.dumps(layer_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")

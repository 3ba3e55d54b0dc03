"""The JSON Schema of a layer's file, with which editors complete and check it.

``python -m partwise.database.layer.schema`` prints it; it is stored beside this file.
"""

from __future__ import annotations

import json
from typing import Any

from partwise.database.layer.entries import FileEntry

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

"""CSV and Parquet files as tables of a DuckDB file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from partwise.errors import DomainError

CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
PARQUET = (".parquet", ".pq")
TABULAR = (*CSV, *PARQUET)


def load_files(path: Path, target: Path) -> None:
    """Copy a file, or each file of a folder, to a table of its own, named after it.

    Raises:
        DomainError: if there is none, two would have one name, or one cannot be read.
    """
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    named: dict[str, Path] = {}
    for file in files:
        if not file.name.lower().endswith(TABULAR):
            continue
        name = re.sub(r"\.(?:csv|tsv|parquet|pq)(?:\.gz)?$", "", file.name, flags=re.IGNORECASE)
        if name in named:
            raise DomainError(f"{named[name]} and {file} would both be the table {name}; move one")
        named[name] = file
    if not named:
        raise DomainError(f"{path}: there is no CSV or Parquet file (*{', *'.join(TABULAR)})")
    with duckdb_connection(target) as connection:
        for name, file in named.items():
            _load(connection, name, file)


def duckdb_connection(path: Path, **settings: Any) -> Any:
    """A connection of this process to a DuckDB file.

    Raises:
        DomainError: if DuckDB is not installed or the file cannot be opened.
    """
    try:
        import duckdb
    except ImportError as error:
        raise DomainError(f"{error}; install it with: pip install 'partwise[duckdb]'") from error
    try:
        return duckdb.connect(str(path), **settings)
    except duckdb.Error as error:
        raise DomainError(f"{path}: cannot be opened as DuckDB: {error}") from error


def _load(connection: Any, name: str, file: Path) -> None:
    import duckdb

    quoted = name.replace('"', '""')
    read = "read_parquet($1)"
    if not file.name.lower().endswith(PARQUET):
        read = "read_csv($1, sample_size = -1)"
    try:
        connection.execute(f'CREATE TABLE "{quoted}" AS SELECT * FROM {read}', [str(file)])
    except duckdb.Error as error:
        raise DomainError(f"{file}: cannot be read as a table: {error}") from error

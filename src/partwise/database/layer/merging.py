"""A layer's file after the database changed: what a person wrote stays, what is new is added.

What the file says of a thing stands, whatever the import says of it now; only the values of
columns follow the database. What was said of things that are gone is kept under `gone`, and put
back if they return. Comments stay with what they are about: ruamel.yaml keeps one with what stands
before it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import CommentMark
from ruamel.yaml.tokens import CommentToken

from partwise.database.layer.entries import FileEntry
from partwise.database.layer.files import build_layer, document, dump, load, read_layer
from partwise.database.layer.model import Keys, SemanticLayer


def append(tree: CommentedMap, key: str, value: Any) -> None:
    """Add an entry as the last one, before the comment of what follows the tree."""
    text = _detach(tree, next(reversed(tree))) if tree else ""
    tree[key] = value
    if text:
        _attach(tree, key, text)


def take(tree: CommentedMap, key: str) -> Any:
    """Take an entry out; the comment of what follows it stays."""
    keys = list(tree)
    at = keys.index(key)
    text = _detach(tree, key)
    value = tree.pop(key)
    tree.ca.items.pop(key, None)
    if text and at > 0:
        _attach(tree, keys[at - 1], text)
    elif text and len(keys) > 1:
        tree.yaml_set_comment_before_after_key(keys[1], _uncommented(text), indent=tree.lc.col)
    return value


def _leaf(tree: CommentedMap, key: str) -> tuple[CommentedMap, str]:
    """The last key below a key, behind which a comment of what follows is kept."""
    value = tree[key]
    while isinstance(value, CommentedMap) and value and not value.fa.flow_style():
        tree, key = value, next(reversed(value))
        value = tree[key]
    return tree, key


def _detach(tree: CommentedMap, key: str) -> str:
    """The comment of what follows an entry, taken off it."""
    tree, key = _leaf(tree, key)
    tokens = tree.ca.items.get(key)
    if tokens is None or not isinstance(tokens[2], CommentToken):
        return ""
    own, _, rest = tokens[2].value.partition("\n")
    tokens[2].value = f"{own}\n"
    if not own.strip():
        tokens[2] = None
    return str(rest)


def _attach(tree: CommentedMap, key: str, text: str) -> None:
    tree, key = _leaf(tree, key)
    tokens = tree.ca.items.setdefault(key, [None, None, None, None])
    if isinstance(tokens[2], CommentToken):
        tokens[2].value = f"{tokens[2].value.rstrip(chr(10))}\n{text}"
    else:
        tokens[2] = CommentToken(f"\n{text}", CommentMark(0), None)


def _uncommented(text: str) -> str:
    return "\n".join(line.strip().removeprefix("#").strip() for line in text.splitlines())


_PARTS = ("columns", "links", "measures")


class Merged(NamedTuple):
    """A file's new text.

    Attributes:
        changes: what is new, gone, or otherwise than the file says, a sentence each.
    """

    text: str
    changes: tuple[str, ...]


def merge(file: Path, layer: SemanticLayer) -> Merged:
    """The file with what a new import of the database says beside it. Raises DataError if the file
    cannot be read."""
    source = read_layer(file).source
    tree = load(file)
    known, gone = _items(tree["tables"]), _items(_gone(tree))
    merger = _Merger(tree, document(layer, source, {})["tables"])
    merger.restore()
    merger.add()
    merger.remove()
    merger.repair()
    now = _items(tree["tables"])
    changes = [merger.lost(keys) for keys in _only_first(known, now)]
    changes += [
        f"{_name(keys)} is {'back' if keys in gone else 'new'}" for keys in _only_first(now, known)
    ]
    return Merged(dump(tree), (*changes, *merger.changes))


class _Merger:
    """Changes the tree of a file."""

    def __init__(self, tree: CommentedMap, new: CommentedMap) -> None:
        self.tree, self.tables, self.new = tree, tree["tables"], new
        self.changes: list[str] = []
        self.reasons: dict[Keys, str] = {}
        self.kept: dict[Keys, Any] = {}
        self.gone_before = {
            *_items(_gone(tree)),
            *((table, part) for table, entry in _gone(tree).items() for part in entry),
        }

    def restore(self) -> None:
        """Put back what was gone, if there is a place for it again."""
        gone = _gone(self.tree)
        for table in list(gone):
            if table in self.new and table not in self.tables:
                append(self.tables, table, take(gone, table))
            elif table in self.tables:
                known = self.new[table]["columns"] if table in self.new else ()
                self._restore_parts(gone[table], table, known)
        self._tidy()

    def _restore_parts(self, gone: CommentedMap, table: str, known: Container[str] | None) -> None:
        """Put back parts of a table. `known`: the columns of the database; None if all parts are
        put back."""
        there = self.tables[table]
        for part, said in list(gone.items()):
            if not isinstance(said, CommentedMap):
                continue
            if part not in _PARTS:
                if _texts(there.get(part)) == _texts(said.get("now")):
                    there[part] = said["was"]
                    del gone[part]
                continue
            for name in list(said):
                fits = known is None or part == "measures" or name in known
                if fits and name not in (there.get(part) or {}):
                    self._put(there, part, name, take(said, name))

    def _put(self, table: CommentedMap, part: str, name: str, value: Any) -> None:
        if not table.get(part):
            table[part] = CommentedMap()
        append(table[part], name, value)

    def add(self) -> None:
        """Add the tables, columns, links and measures that the file does not speak of."""
        measures = {name for one in self.tables.values() for name in one.get("measures") or ()}
        for table, entry in self.new.items():
            if table not in self.tables:
                append(self.tables, table, entry)
                continue
            old = self.tables[table]
            self._add_parts(old, entry, measures)
            for name, column in old["columns"].items():
                hidden = old.get("private", False)
                self._follow(f"{table}.{name}", column, entry["columns"].get(name), hidden)
            if "key" in entry and "key" not in old:
                old["key"] = entry["key"]
                self.changes.append(f"{table} has the key {entry['key']} now")

    def _add_parts(self, old: CommentedMap, new: CommentedMap, measures: Container[str]) -> None:
        """Add parts of a table. `measures`: names of measures that are there, of whatever table."""
        for part in _PARTS:
            for name, value in (new.get(part) or {}).items():
                taken = part == "measures" and name in measures
                if name not in (old.get(part) or {}) and not taken:
                    self._put(old, part, name, value)

    def _follow(self, name: str, old: Any, new: Any, hidden: bool) -> None:
        """Let values be those of the database, and say where the kind differs."""
        if new is None:
            return
        kinds = [one["kind"] if isinstance(one, CommentedMap) else one for one in (old, new)]
        if kinds[0] != kinds[1]:
            self.changes.append(
                f"{name}: the file says {kinds[0]} and the database {kinds[1]}; the file's stands"
            )
        if not isinstance(old, CommentedMap):
            return
        if hidden or old.get("private"):
            self._hide(name, old)
        else:
            self._follow_values(name, old, new if isinstance(new, CommentedMap) else CommentedMap())

    def _follow_values(self, name: str, old: CommentedMap, new: CommentedMap) -> None:
        for key in ("values", "examples"):
            if key in old and key in new and _texts(old[key]) != _texts(new[key]):
                old[key] = new[key]
                if key == "values":
                    now = ", ".join(_texts(new[key]))
                    self.changes.append(f"{name}: its values are {now} now")
        others = set(_texts(new.get("examples"))) - set(_texts(old.get("values")))
        if "values" in old and others:
            self.changes.append(f"{name} has other values than the file says, as {min(others)}")

    def _hide(self, name: str, old: CommentedMap) -> None:
        """Take the values of a private column out of the file."""
        for key in ("values", "examples"):
            if key in old:
                take(old, key)
                self.changes.append(f"{name} is private: its {key} are taken out of the file")

    def remove(self) -> None:
        """Move what the database no longer has."""
        for table in list(self.tables):
            if table not in self.new:
                if table in _gone(self.tree):
                    self._restore_parts(take(self.tree["gone"], table), table, None)
                self._move((table,))
                continue
            for column in list(self.tables[table]["columns"]):
                if column not in self.new[table]["columns"]:
                    self._move((table, "columns", column))

    def _move(self, keys: Keys) -> None:
        """Move an entry of the tables to what is gone."""
        source = self.tables
        target = self.tree.setdefault("gone", CommentedMap())
        for key in keys[:-1]:
            source = source[key]
            if not isinstance(target.get(key), CommentedMap):
                target[key] = CommentedMap()
            target = target[key]
        target[keys[-1]] = take(source, keys[-1])
        if not source and keys[1:2] in (("links",), ("measures",)):
            take(self.tables[keys[0]], keys[1])

    def repair(self) -> None:
        """Move what does not hold any longer, and take what the import says in its place."""
        while True:
            layer, faults = build_layer(FileEntry.model_validate(self.tree))
            if layer is not None:
                return
            moved = {fault.keys[1:]: fault.what for fault in faults if len(fault.keys) > 2}
            if not moved:
                return
            for keys, what in moved.items():
                self._move(keys)
                if len(keys) == 2:
                    self._instead(*keys, what)
                self.reasons.setdefault(keys, what)

    def _instead(self, table: str, key: str, why: str) -> None:
        """What the import says in place of what was moved; once, for it may not hold either."""
        keys, name = (table, key), _name((table, key))
        now = None if keys in self.reasons else self.new[table].get(key)
        gone = self.tree["gone"][table]
        was = gone[key] if keys not in self.reasons else self.kept[keys]
        self.kept.setdefault(keys, was)
        gone[key] = CommentedMap({"was": was, "now": now})
        if now is not None:
            self.tables[table][key] = now
        if keys not in self.gone_before and keys not in self.reasons:
            self.changes.append(f"{name} is kept under gone: {why}")
            if now is not None:
                self.changes.append(f"{name} is {', '.join(_texts(now))} now")

    def lost(self, keys: Keys) -> str:
        """What is said of an entry that was moved."""
        why = f": {self.reasons[keys]}" if keys in self.reasons else ""
        return f"{_name(keys)} is gone, and kept under gone{why}"

    def _tidy(self) -> None:
        """Leave out what is empty."""
        gone = self.tree.get("gone")
        if gone is None:
            return
        for table in list(gone):
            for part in list(gone[table]):
                if part in _PARTS and not gone[table][part]:
                    del gone[table][part]
            if not gone[table]:
                del gone[table]
        if not gone:
            take(self.tree, "gone")


def _gone(tree: CommentedMap) -> CommentedMap:
    """What is gone, by table as in the tables."""
    return tree.get("gone") or CommentedMap()


def _items(tables: CommentedMap) -> dict[Keys, None]:
    """Tables, and what is named in them."""
    things: dict[Keys, None] = {}
    for table, entry in tables.items():
        things[table,] = None
        things |= {(table, part, name): None for part in _PARTS for name in entry.get(part) or ()}
    return things


def _only_first(some: dict[Keys, None], others: dict[Keys, None]) -> Iterator[Keys]:
    """What only the first have; of a table of theirs nothing but itself."""
    for keys in some:
        if keys not in others and (len(keys) == 1 or keys[:1] in others):
            yield keys


def _name(keys: Keys) -> str:
    named = {"columns": "column ", "links": "link ", "measures": "measure "}
    if len(keys) == 3:
        return f"{named[keys[1]]}{keys[0]}.{keys[2]}"
    return f"table {keys[0]}" if len(keys) == 1 else f"{keys[1]} of {keys[0]}"


def _texts(said: Any) -> list[str]:
    listed = said if isinstance(said, list) else [] if said is None else [said]
    return [str(one) for one in listed]

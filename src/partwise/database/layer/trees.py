"""Adding and taking entries of a tree of YAML without moving the comments of its other entries.

A comment before a key is kept by ruamel.yaml with what stands before it, so it would go where that
goes.
"""

from __future__ import annotations

from typing import Any

from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import CommentMark
from ruamel.yaml.tokens import CommentToken


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
        tree.yaml_set_comment_before_after_key(keys[1], _plain(text), indent=tree.lc.col)
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


def _plain(text: str) -> str:
    return "\n".join(line.strip().removeprefix("#").strip() for line in text.splitlines())

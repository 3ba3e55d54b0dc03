"""Files of scenes, read entry by entry, whole or zipped, sound or damaged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes_helpers import scene_json

from partwise.errors import DataError
from partwise_papers.datasets import json_stream
from partwise_papers.domains.scenes.files import find_scene, read_array, read_scenes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=5), JSON, st.sampled_from([None, 0, 3]), st.integers(1, 40))
def test_the_list_is_what_json_says(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[Any],
    info: Any,
    indent: int | None,
    chunk: int,
) -> None:
    file = tmp_path_factory.getbasetemp() / "list.json"
    file.write_text(json.dumps({"info": info, "scenes": entries, "more": 1}, indent=indent))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        assert list(read_array(file, "scenes")) == entries


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected '{', found 'the end of the file' at character 1"),
        ("[1]", "expected '{', found '\\['"),
        ("{}", "has no list 'scenes'"),
        ('{"info": {}}', "has no list 'scenes'"),
        ('{"info" 1}', "expected ':', found '1'"),
        ('{"scenes": 1}', "expected '\\[', found '1'"),
        ('{"scenes": [1 2]}', "expected ',' or '\\]', found '2' at character 15"),
        ('{"scenes": [1, {"a": ', "not JSON: Expecting value at character 22"),
        ('{"scenes": [1, "a', "not JSON: Unterminated string"),
        ('{"scenes": [1', "found 'the end of the file'"),
    ],
)
def test_damage_is_said_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "scenes.json"
    file.write_text(text)
    with pytest.raises(DataError, match=f"scenes.json: .*{message}"):
        list(read_array(file, "scenes"))


def test_an_endless_entry_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", 4)
    monkeypatch.setattr(json_stream, "MAX_ENTRY", 20)
    file = tmp_path / "scenes.json"
    file.write_text('{"scenes": ["' + 1000 * "a" + '"]}')
    with pytest.raises(DataError, match="Unterminated string"):
        list(read_array(file, "scenes"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        list(read_array(tmp_path / "none.json", "scenes"))
    zipped = tmp_path / "cut.json.gz"
    zipped.write_bytes(gzip.compress(b'{"scenes": [1, 2, 3]}')[:-9])
    with pytest.raises(DataError, match=r"cut\.json\.gz: cannot be read"):
        list(read_array(zipped, "scenes"))
    zipped.write_text("not zipped")
    with pytest.raises(DataError, match="cannot be read"):
        list(read_array(zipped, "scenes"))
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"scenes": ["é"]}'.encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"):
        list(read_array(latin, "scenes"))


@pytest.fixture
def scene_list(tmp_path: Path) -> Path:
    """Scenes 0, 5 and, without a number of its own, 2; the last one has a bad colour."""
    second, third = scene_json(), scene_json()
    second["image_index"], second["image_filename"] = 5, "made_000005.png"
    del third["image_index"]
    third["objects"][0]["color"] = "pink"
    file = tmp_path / "scenes.json.gz"
    content = {"info": {}, "scenes": [scene_json(), second, third]}
    file.write_bytes(gzip.compress(json.dumps(content).encode()))
    return file


def test_scenes_by_number(scene_list: Path) -> None:
    assert set(read_scenes(scene_list, {0, 5})) == {0, 5}
    with pytest.raises(DataError, match="scene 2: object 0: its color is 'pink'"):
        read_scenes(scene_list)
    bad: list[str] = []
    assert set(read_scenes(scene_list, bad=bad)) == {0, 5}
    assert len(bad) == 1


def test_one_scene_by_text(scene_list: Path, tmp_path: Path) -> None:
    assert find_scene(f"{scene_list}:5").name == "made_000005"
    with pytest.raises(DataError, match="has no scene 1"):
        find_scene(f"{scene_list}:1")
    with pytest.raises(DataError, match=r"has 3 scenes; choose one with .*:NUMBER"):
        find_scene(str(scene_list))
    with pytest.raises(DataError, match="no such file; expected a scene"):
        find_scene(str(tmp_path / "none.json"))
    file = tmp_path / "one.json"
    file.write_text(json.dumps(scene_json()))
    assert find_scene(str(file)).to_json() == scene_json()
    file.write_text(json.dumps({"scenes": [scene_json()]}))
    assert find_scene(str(file)) == find_scene(f"{file}:0")
    file.write_text("{")
    with pytest.raises(DataError, match="not usable JSON"):
        find_scene(str(file))
    file.write_text("3")
    with pytest.raises(DataError, match="not a scene"):
        find_scene(str(file))

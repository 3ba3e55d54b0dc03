"""The reader of phrase tables."""

from pathlib import Path

import pytest

from partwise.language.lexicon import LexiconRow, read_lexicon


def write(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (folder / "some_words").mkdir()
    (folder / "some_words" / "__init__.py").touch()
    (folder / "some_words" / "words.tsv").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(__import__("sys").modules, "some_words", raising=False)


def test_rows_with_sections_and_comments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, monkeypatch, "# words\nhello\n\n[prices]\ncost, fee\tprice\tsaid of both\n")
    rows = read_lexicon("some_words", "words.tsv")
    assert rows == (LexiconRow("hello"), LexiconRow("cost, fee", "price", "prices"))
    assert rows[1].phrases == ("cost", "fee")
    assert rows[0].meanings == ()


@pytest.mark.parametrize("line", ["\tprice", "cost\tprice\tsaid\tmore"])
def test_a_wrong_row_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    write(tmp_path, monkeypatch, f"fee\tprice\n{line}\n")
    with pytest.raises(ValueError, match="line 2"):
        read_lexicon("some_words", "words.tsv")

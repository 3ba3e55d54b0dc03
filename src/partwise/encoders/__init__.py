"""Words to vectors, and the files of tensors that everything trained is kept in.

Imports errors, interface and language; `storage` is the lowest place of the library with torch.
Start with `base`: what an encoder does, and how one is made and loaded by name. Those here are
entry points ``partwise.encoders``, as those of any other package are.
"""

from partwise.encoders.base import ENCODERS, Encoder, load_encoder, make_encoder
from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.encoders.distilled import DistilledEncoder
from partwise.encoders.pretrained import PretrainedEncoder

__all__ = [
    "ENCODERS",
    "BiLSTMEncoder",
    "DistilledEncoder",
    "Encoder",
    "PretrainedEncoder",
    "load_encoder",
    "make_encoder",
]

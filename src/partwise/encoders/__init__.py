"""Words to vectors, and the files of tensors that everything trained is kept in.

Imports errors, interface and language; `storage` is the lowest place of the library with torch.
Start with `base`: what an encoder does, and how one is made and loaded by name. Those here are
entry points ``partwise.encoders``, as those of any other package are.
"""

from partwise.encoders.base import ENCODERS as ENCODERS
from partwise.encoders.base import Encoder as Encoder
from partwise.encoders.base import load_encoder as load_encoder
from partwise.encoders.base import make_encoder as make_encoder
from partwise.encoders.bilstm import BiLSTMEncoder as BiLSTMEncoder
from partwise.encoders.distilled import DistilledEncoder as DistilledEncoder
from partwise.encoders.pretrained import PretrainedEncoder as PretrainedEncoder

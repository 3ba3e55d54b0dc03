"""What all parsers, domains and data sets have in common.

Plain Python, without torch; imports nothing of Partwise but its errors. Start reading in `parser`.
"""

from partwise.interface.answering import answer as answer
from partwise.interface.data import Dataset as Dataset
from partwise.interface.data import DatasetInfo as DatasetInfo
from partwise.interface.data import Example as Example
from partwise.interface.data import RuleGraph as RuleGraph
from partwise.interface.data import Span as Span
from partwise.interface.domain import AnyDomain as AnyDomain
from partwise.interface.parser import Checkpoints as Checkpoints
from partwise.interface.parser import Parser as Parser
from partwise.interface.parser import TrainingError as TrainingError
from partwise.interface.parser import TrainingReport as TrainingReport
from partwise.interface.parser import TrainingStopped as TrainingStopped
from partwise.interface.prediction import Answer as Answer
from partwise.interface.prediction import Derivation as Derivation
from partwise.interface.prediction import ExplainingDomain as ExplainingDomain
from partwise.interface.prediction import Explanation as Explanation
from partwise.interface.prediction import PhraseDifference as PhraseDifference
from partwise.interface.prediction import Prediction as Prediction
from partwise.interface.prediction import ResultTable as ResultTable
from partwise.interface.registry import Registry as Registry
from partwise.interface.settings import setting as setting

"""Record the attention of any `transformers` model, and look at it in a notebook or as one HTML file.

trace = record(model, tokenizer, "The animal didn't cross the street because it was too tired.")
trace.show()                  # in a notebook
trace.save("attention.html")  # for everyone else
"""

from importlib.metadata import version

from .data import Candidate, Decoding, Guess, Head, Hypothesis, Kind, Pieces, Step, Token
from .errors import (
    AttentionScopeError,
    AttentionSwitched,
    EmptyText,
    InvalidInput,
    InvalidTrace,
    MissingDependency,
    NewerTrace,
    NoAttention,
    NotFinite,
    TextTooLong,
)
from .recording import record
from .replay import Replay
from .trace import Trace

__version__ = version("attention-scope")

__all__ = [
    "AttentionScopeError",
    "AttentionSwitched",
    "Candidate",
    "Decoding",
    "EmptyText",
    "Guess",
    "Head",
    "Hypothesis",
    "InvalidInput",
    "InvalidTrace",
    "Kind",
    "MissingDependency",
    "NewerTrace",
    "NoAttention",
    "NotFinite",
    "Pieces",
    "Replay",
    "Step",
    "TextTooLong",
    "Token",
    "Trace",
    "__version__",
    "record",
]

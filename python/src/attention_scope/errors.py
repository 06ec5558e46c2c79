"""The errors of this package. Each says in one sentence what is wrong and with what."""


class AttentionScopeError(Exception):
    """The base of all errors of this package."""


class NoAttention(AttentionScopeError):
    """The model returns no maps of attention, or maps that are not queries by keys."""


class InvalidInput(AttentionScopeError):
    """The text, the messages or the batch cannot be read by the model."""


class EmptyText(InvalidInput):
    """Nothing of the text is visible, or the tokenizer makes no token of it."""


class TextTooLong(InvalidInput):
    """The text has more tokens than the model reads, or its maps take more memory than allowed."""


class NotFinite(AttentionScopeError):
    """Attention weights are NaN or infinite."""


class InvalidTrace(AttentionScopeError):
    """The file or the data is not a trace, or contradicts itself."""


class NewerTrace(InvalidTrace):
    """The file has a newer version of the format than this package reads."""


class MissingDependency(AttentionScopeError):
    """A package that this function needs is not installed."""


class AttentionSwitched(UserWarning):
    """The model attended by a fast kernel that returns no weights, and does so again after the recording."""

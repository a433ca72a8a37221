"""PyTorch's places for clipping and for sequences of different lengths."""

from ..._heed._optim import clip_grad_norm_, clip_grad_value_  # noqa: F401
from . import rnn  # noqa: F401

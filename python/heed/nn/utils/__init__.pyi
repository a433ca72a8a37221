"""PyTorch's places for clipping and for sequences of different lengths."""

# Written by python/make_stubs.py; do not edit.
from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, object as _object, str as _str
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import builtins
import contextlib
import heed

def clip_grad_norm_(parameters: Any, max_norm: _float, norm_type: _float = ..., error_if_nonfinite: _bool = ...) -> _float:
    """Scales all gradients so that their norm together is at most max_norm; gives what it was."""
    ...
def clip_grad_value_(parameters: Any, clip_value: _float) -> None: ...
from . import rnn as rnn

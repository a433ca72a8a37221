"""Optimizers, averages of weights, clipping; lr_scheduler has the rates over time."""

from .._heed._optim import *  # noqa: F403
from . import lr_scheduler  # noqa: F401

"""Learning rates over time."""

from .._heed._optim._lr_scheduler import *  # noqa: F403

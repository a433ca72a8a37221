"""Gradients through random choices: costs, estimators, the exact expectation."""

from ._heed import stochastic_gradcheck  # noqa: F401
from ._heed._stochastic import *  # noqa: F403

"""Layers without parameters, as functions."""

from .._heed._nn._functional import *  # noqa: F403

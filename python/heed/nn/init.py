"""Initialisers: they write into a tensor, in place."""

from .._heed._nn._init import *  # noqa: F403

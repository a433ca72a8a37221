"""Attention as an algebra: a Score, a Memory, the terms of a call, and attend()."""

from ._heed._attention import *  # noqa: F403

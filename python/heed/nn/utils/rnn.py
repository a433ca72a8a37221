"""Sequences of different lengths: padded, packed and listed. Batches come first, unless batch_first=False."""

from ..._heed._nn._rnn import *  # noqa: F403

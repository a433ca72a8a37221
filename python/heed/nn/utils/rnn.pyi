"""Sequences of different lengths: padded, packed and listed. Batches come first, unless batch_first=False."""

# Written by python/make_stubs.py; do not edit.
from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, object as _object, str as _str
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import builtins
import contextlib
import heed

def pack_padded_sequence(input: heed.Tensor, lengths: Union[Sequence[_int], heed.Tensor], batch_first: _bool = ..., enforce_sorted: _bool = ...) -> heed.Packed:
    """heed.pack(): sequences stay in their order, whatever their lengths."""
    ...
def pack_sequence(sequences: Sequence[heed.Tensor], enforce_sorted: _bool = ...) -> heed.Packed:
    """Of tensors [T, ..], one a sequence."""
    ...
def pad_packed_sequence(sequence: heed.Packed, batch_first: _bool = ..., padding_value: _float = ..., total_length: Optional[_int] = ...) -> Tuple[heed.Tensor, heed.Tensor]:
    """heed.unpack(), [B, T, ..], and the lengths, i64 [B]."""
    ...
def pad_sequence(sequences: Sequence[heed.Tensor], batch_first: _bool = ..., padding_value: _float = ...) -> heed.Tensor:
    """Tensors [T, ..] -> [B, longest, ..]."""
    ...
def unpack_sequence(packed_sequences: heed.Packed) -> List[heed.Tensor]:
    """A list of tensors [T, ..]."""
    ...
def unpad_sequence(padded_sequences: heed.Tensor, lengths: Union[Sequence[_int], heed.Tensor], batch_first: _bool = ...) -> List[heed.Tensor]:
    """[B, T, ..] -> a list of tensors [T, ..]."""
    ...

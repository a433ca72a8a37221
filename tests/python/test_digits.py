"""Numbers that Python has whole and exact: so they reach tensors, and come back."""

import heed
import numpy as np
import pytest


def test_numbers_keep_their_digits_in_wide_floats():
    x = heed.zeros(2, dtype=heed.f64)
    x[0] = 0.1
    x[x == 0] = 0.3
    assert x.tolist() == [0.1, 0.3]
    x[:] = [0.2, 1e300]
    assert x.tolist() == [0.2, 1e300]
    x[0] = 1e300
    x[[1]] = 0.7
    assert x.tolist() == [1e300, 0.7]
    assert heed.tensor([0.1], dtype=heed.f64).item() == 0.1 and heed.tensor(1e300, dtype=heed.f64).item() == 1e300
    assert heed.tensor([2**24 + 1, 0.5], dtype=heed.i64).tolist() == [2**24 + 1, 0]
    assert heed.tensor([2**60 + 1, -2.5, True], dtype=heed.i64).tolist() == [2**60 + 1, -2, 1]
    assert heed.tensor([0.1]).dtype == heed.f32 and heed.tensor([], dtype=heed.i64).dtype == heed.i64
    assert heed.tensor([0, 0.5], dtype=heed.bool).tolist() == [False, True]


PAST = 2**53 + 1  # no double has it


def test_whole_numbers_keep_their_digits():
    x = heed.tensor([PAST - 1, PAST, PAST + 1])
    assert (x == PAST).tolist() == [False, True, False] and (x != PAST).tolist() == [True, False, True]
    assert (x < PAST).tolist() == [True, False, False] and (x <= PAST).tolist() == [True, True, False]
    assert (x > PAST).tolist() == [False, False, True] and (x >= PAST).tolist() == [False, True, True]
    assert x.eq(PAST).tolist() == heed.eq(x, PAST).tolist() == [False, True, False]
    assert x.lt(PAST).tolist() == [True, False, False] and (PAST < x).tolist() == [False, False, True]
    x = heed.tensor([1, 2])
    x[0] = PAST
    x[x == 2] = PAST + 2
    assert x.tolist() == [PAST, PAST + 2]
    x += PAST
    assert x.tolist() == [2 * PAST, 2 * PAST + 2]
    x -= PAST
    assert x.tolist() == [PAST, PAST + 2]
    x = heed.tensor([1])
    x *= PAST
    assert x.item() == PAST
    assert x.clone().add_(PAST).item() == 2 * PAST and heed.tensor([3]).mul_(PAST).item() == 3 * PAST
    assert heed.tensor([0]).sub_(PAST).item() == -PAST and heed.tensor([0]).fill_(PAST + 2).item() == PAST + 2
    for value in (PAST + 2, heed.tensor(PAST + 2)):
        assert x.masked_fill(x > 0, value).item() == PAST + 2
        assert x.clone().masked_fill_(x > 0, value).item() == PAST + 2
    assert heed.where(x > 0, PAST + 2, x).item() == heed.where(x < 0, x, PAST + 2).item() == PAST + 2
    assert heed.ones(2).masked_fill(heed.tensor([True, False]), heed.tensor(0.5)).tolist() == [0.5, 1]
    trained = heed.tensor(5.0, requires_grad=True)
    for fill in (heed.ones(2).masked_fill, heed.ones(2).masked_fill_):
        with pytest.raises(heed.GradError, match="the value requires a gradient"):
            fill(heed.tensor([True, False]), trained)


def test_ranges_of_large_numbers():
    assert heed.arange(2**62, 2**62 + 3).tolist() == [2**62, 2**62 + 1, 2**62 + 2]
    assert heed.arange(PAST, PAST + 2).tolist() == [PAST, PAST + 1]
    assert heed.arange(-2**63, 2**63 - 1, 2**62).tolist() == [-2**63, -2**62, 0, 2**62]
    with pytest.raises(heed.ShapeError):
        heed.arange(-2**63, 2**63 - 1)


def test_whole_numbers_of_what_has_none():
    assert int(heed.tensor(-2.7)) == -2 and int(heed.tensor(True)) == 1 and int(heed.tensor(2**60 + 1)) == 2**60 + 1
    assert int(heed.tensor(1e30)) == int(np.float32(1e30))
    with pytest.raises(ValueError):
        int(heed.tensor(float("nan")))
    with pytest.raises(OverflowError):
        int(heed.tensor(float("inf")))
    for many in (heed.arange(3), heed.arange(0)):
        with pytest.raises(TypeError):
            range(many)
        assert bytes(many) == many.numpy().tobytes()

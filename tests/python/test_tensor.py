"""Tensor: operators of Python, methods and functions by PyTorch's names, indexing."""

import copy
import math
import operator
import pickle

import heed
import numpy as np
import pytest
from heed import nn


def pair():
    heed.manual_seed(1)
    return heed.randn(3, 5), heed.randn(3, 5)


def test_operators_are_numpys():
    x, y = pair()
    a, b = x.numpy(), y.numpy()
    for ours, theirs in [
        (x + y, a + b), (x - y, a - b), (x * y, a * b), (x / y, a / b), (x @ y.t(), a @ b.T),
        (-x, -a), (abs(x), abs(a)), (x + 2, a + 2), (2 - x, 2 - a), (2 / x, 2 / a), (abs(x) ** y, abs(a) ** b),
        (x**2, a**2), (2**x, 2**a), (x % 2, a % 2), (x > y, a > b), (x >= 0, a >= 0), (x < y, a < b),
        (x <= 0, a <= 0), (x == x, a == a), (x != y, a != b), ((x > 0) & (y > 0), (a > 0) & (b > 0)),
        ((x > 0) | (y > 0), (a > 0) | (b > 0)), ((x > 0) ^ (y > 0), (a > 0) ^ (b > 0)), (~(x > 0), ~(a > 0)),
    ]:
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-5)


def test_kinds_of_numbers():
    whole = heed.arange(3)
    assert (whole + 1).dtype == heed.int64 and (whole + 0.5).dtype == heed.float32
    assert (whole / 2).dtype == heed.float32 and (whole == True).dtype == heed.bool  # noqa: E712
    with pytest.raises(heed.DTypeError, match="add"):
        heed.zeros(3) + heed.zeros(3, dtype=heed.float64)
    assert (heed.zeros(3) == None) is False  # noqa: E711
    with pytest.raises(TypeError):
        heed.zeros(3) + "a"


def test_functions_and_methods_are_numpys():
    x, _ = pair()
    a = x.numpy()
    for name in ("exp", "sin", "cos", "tanh", "sign", "floor", "ceil", "square", "isnan", "isfinite", "expm1"):
        np.testing.assert_allclose(getattr(heed, name)(x).numpy(), getattr(np, name)(a), rtol=1e-5)
        np.testing.assert_allclose(getattr(x, name)().numpy(), getattr(np, name)(a), rtol=1e-5)
    for name in ("sum", "mean", "prod", "amax", "amin"):
        np.testing.assert_allclose(getattr(x, name)().item(), getattr(np, name)(a), rtol=1e-5)
        np.testing.assert_allclose(getattr(heed, name)(x, dim=1, keepdim=True).numpy(),
                                   getattr(np, name)(a, axis=1, keepdims=True), rtol=1e-5)
        np.testing.assert_allclose(getattr(x, name)((0, -1)).item(), getattr(np, name)(a), rtol=1e-5)
    np.testing.assert_allclose(x.std(0).numpy(), a.std(0, ddof=1), rtol=1e-5)
    np.testing.assert_allclose(x.var(0, correction=0).numpy(), a.var(0), rtol=1e-5)
    np.testing.assert_allclose(x.norm().item(), np.linalg.norm(a), rtol=1e-5)
    np.testing.assert_allclose(x.cumsum(1).numpy(), a.cumsum(1), rtol=1e-5)
    np.testing.assert_allclose(x.softmax(-1).sum(-1).numpy(), np.ones(3), rtol=1e-5)
    np.testing.assert_allclose(heed.einsum("ij,kj->ik", x, x).numpy(), a @ a.T, rtol=1e-5)
    np.testing.assert_allclose(x.clamp(-0.5, 0.5).numpy(), a.clip(-0.5, 0.5))
    np.testing.assert_allclose(x.clamp(min=0).numpy(), a.clip(0, None))


def test_what_gives_values_and_places():
    x, y = pair()
    a = x.numpy()
    values, places = x.max(dim=1)
    assert np.array_equal(values.numpy(), a.max(1)) and np.array_equal(places.numpy(), a.argmax(1))
    assert x.max().item() == a.max() and np.array_equal(x.max(y).numpy(), np.maximum(a, y.numpy()))
    assert x.argmin().item() == a.argmin() and np.array_equal(x.argmax(0).numpy(), a.argmax(0))
    assert np.array_equal(x.sort(0, descending=True)[0].numpy(), -np.sort(-a, 0))
    assert np.array_equal(x.topk(2)[1].numpy(), np.argsort(-a, 1)[:, :2])
    assert x.allclose(x + 1e-9) and not x.equal(y)


def test_shapes():
    x = heed.arange(24)
    a = np.arange(24)
    y, b = x.view(2, 3, 4), a.reshape(2, 3, 4)
    for ours, theirs in [
        (x.reshape(2, -1), a.reshape(2, -1)), (x.reshape((4, 6)), a.reshape(4, 6)), (y.permute(2, 0, 1), b.transpose(2, 0, 1)),
        (y.transpose(0, 2), b.transpose(2, 1, 0)), (y.flatten(1), b.reshape(2, 12)), (y.unsqueeze(1), b[:, None]),
        (y.unsqueeze(0).squeeze(), b), (y.flip(0, 2), b[::-1, :, ::-1]), (y.repeat(1, 2, 1), np.tile(b, (1, 2, 1))),
        (heed.cat([y, y], dim=1), np.concatenate([b, b], 1)), (heed.stack([y, y], -1), np.stack([b, b], -1)),
        (y.roll(1, 0), np.roll(b, 1, 0)), (y[0].tril(), np.tril(b[0])), (y.mT, b.transpose(0, 2, 1)),
        (y[0].T, b[0].T), (y.select(1, 2), b[:, 2]), (y.narrow(2, 1, 2), b[:, :, 1:3]),
        (heed.where(y > 5, y, -y), np.where(b > 5, b, -b)), (y.masked_fill(y > 5, 0), np.where(b > 5, 0, b)),
    ]:
        assert np.array_equal(ours.numpy(), theirs)
    assert [p.shape for p in y.split(2, dim=2)] == [(2, 3, 2)] * 2
    assert [p.shape[1] for p in y.split([1, 2], dim=1)] == [1, 2]
    assert len(y.chunk(3, 1)) == 3 and len(y.unbind(2)) == 4
    assert y.size() == (2, 3, 4) and y.size(-1) == 4 and y.dim() == 3 and y.numel() == 24 and len(y) == 2


KEYS = [
    0, -1, slice(1, None), slice(None, None, 2), (0, 1), (slice(None), 1), (Ellipsis, 0), (None, 0), (0, None, 1),
    (slice(1, 9), Ellipsis, slice(0, 2)), Ellipsis, None, [0, 1, 0], (slice(None), [2, 0]), (slice(None), [1, 1, 2], [0, 3, 1]),
    ([1, 0], slice(None), [0, 3]), (Ellipsis, [0, 2]), (slice(None), [[0, 1], [2, 0]]), (0, [1, 2]),
    (slice(None), slice(1, 3), [3, 0]), np.array([1, 0]), (slice(None), np.array([True, False, True])),
    slice(-99, 99), (slice(2, 1),), np.int64(1), (slice(None), None, [0, 1]),
    True, False, np.bool_(True), np.array(False), (slice(None), True), (False, 0), (True, [1, 0]), (False, [1]),
    (slice(None), False, [2]), (Ellipsis, True), (True, None, 1), (True, True),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_reading_parts(key):
    a = np.arange(24.0).reshape(2, 3, 4)
    x = heed.tensor(a)
    theirs = a[key]
    assert x[key].shape == theirs.shape
    assert np.array_equal(x[key].numpy(), theirs)


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_writing_parts(key):
    a = np.arange(24.0).reshape(2, 3, 4)
    x = heed.tensor(a)
    a[key], x[key] = -3, -3
    assert np.array_equal(x.numpy(), a)
    values = np.random.default_rng(0).normal(size=a[key].shape)
    a[key], x[key] = values, heed.tensor(values)
    assert np.array_equal(x.numpy(), a)
    a[key], x[key] = values[:1] if values.ndim else values, values[:1] if values.ndim else values
    assert np.array_equal(x.numpy(), a)


def test_masks():
    a = np.arange(24.0).reshape(2, 3, 4)
    x = heed.tensor(a)
    assert np.array_equal(x[x > 7].numpy(), a[a > 7])
    x[x > 7] = 0
    a[a > 7] = 0
    assert np.array_equal(x.numpy(), a)
    rows = np.array([[True, False, True], [False, True, False]])
    assert np.array_equal(x[heed.tensor(rows)].numpy(), a[rows])
    assert np.array_equal(x[rows, 1].numpy(), a[rows][:, 1])


def test_a_bool_without_axes_writes_where_it_is_true():
    x = heed.arange(6).view(3, 2)
    x[heed.tensor(False), heed.tensor([0])] = 99
    assert x.tolist() == [[0, 1], [2, 3], [4, 5]]
    x[heed.tensor(3.0) > 2, heed.tensor([0])] = 99
    assert x.tolist() == [[99, 99], [2, 3], [4, 5]]
    y = heed.tensor(3.0)
    assert y[y > 2].tolist() == [3] and y[y > 4].shape == (0,)
    y[y > 2] = 5
    assert y.item() == 5


def test_errors_of_parts_name_the_axes_as_they_stand():
    x = heed.zeros(5, 2)
    for key, axis in [((slice(None), [3]), 1), ((slice(None), None, [3]), 2), ((Ellipsis, [0, -3]), 1), ([7], 0)]:
        for use in (lambda: x[key], lambda: x.__setitem__(key, 1)):
            with pytest.raises(heed.IndexError, match=f"is out of range .* of axis {axis}"):
                use()
    with pytest.raises(heed.ShapeError, match=r"mask bool\[3\] does not fit \[5, 2\] from axis 1"):
        x[:, [True, False, True]]
    leaf = heed.ones(3, requires_grad=True)
    for key in (0, [0], slice(1, 2), leaf.detach() > 0):
        with pytest.raises(heed.GradError, match=r"f32\[3\] is a leaf that requires a gradient"):
            leaf[key] = 1
        with pytest.raises(heed.GradError, match=r"f32\[3\] is the result of a recorded operator"):
            (leaf * 2)[key] = 1


def test_what_is_written_may_have_more_axes_of_one():
    x = heed.zeros(2, 4)
    x[0] = heed.ones(1, 4)
    x[1, 1] = heed.full((1, 1), 3.0)
    x[:, [2]] = heed.full((1, 1, 2, 1), 5.0)
    assert x.tolist() == [[1, 1, 5, 1], [0, 3, 5, 0]]
    x[[1]] = heed.full((1, 1, 4), 2.0)
    assert x.tolist() == [[1, 1, 5, 1], [2, 2, 2, 2]]
    for key in (0, [0], (slice(None), [0])):
        with pytest.raises(heed.ShapeError):
            x[key] = heed.zeros(3, 2, 4)


def test_parts_that_are_not_there():
    x = heed.zeros(2, 3)
    for key, error in [(2, heed.IndexError), ((0, 0, 0), heed.IndexError), ([5], heed.IndexError),
                       (slice(None, None, -1), heed.ValueError), ((Ellipsis, Ellipsis), heed.IndexError),
                       (slice(None, None, 0), heed.ValueError), ([0.5], heed.DTypeError), ("a", heed.DTypeError)]:
        with pytest.raises(error):
            x[key]
        with pytest.raises(error):
            x[key] = 1
    with pytest.raises(heed.ShapeError):
        x[0] = heed.zeros(2)
    assert [row.tolist() for row in heed.tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    with pytest.raises(TypeError):
        iter(heed.tensor(1))


def test_gradients_pass_through_parts():
    x = heed.zeros(2, 3, 4, requires_grad=True)
    (x[:, [0, 2]].sum() + x[0, 1:, ::2].sum() + x[x == 0].sum()).backward()
    expected = np.ones((2, 3, 4))
    expected[:, [0, 2]] += 1
    expected[0, 1:, ::2] += 1
    assert np.array_equal(x.grad.numpy(), expected)
    with pytest.raises(heed.GradError):
        x[0] = 1
    with heed.no_grad():
        x[0] = 1
    assert x.detach().sum().item() == 12


def test_in_place():
    x = heed.ones(3)
    same = x
    x += 1
    x *= heed.tensor([1.0, 2.0, 3.0])
    assert same.tolist() == [2, 4, 6]
    x.add_(1).mul_(2).sub_(2).div_(2)
    assert same.tolist() == [2, 4, 6]
    same.zero_()
    assert x.tolist() == [0, 0, 0]
    y = heed.ones(2, requires_grad=True)
    with pytest.raises(heed.GradError, match="leaf"):
        y += 1
    z = y * 2
    before = z
    z += 1
    assert before.detach().tolist() == [2, 2] and z.detach().tolist() == [3, 3]


def test_more_operators_in_place():
    for start, change, expected in [
            ([2.0, 3.0], lambda x: operator.ipow(x, 2), [4, 9]), ([2.0, 3.0], lambda x: operator.ipow(x, x), [4, 27]),
            ([5, -3], lambda x: operator.imod(x, 4), [1, 1]), ([5.5, 3.0], lambda x: operator.imod(x, 2), [1.5, 1]),
            ([True, True], lambda x: operator.iand(x, heed.tensor([True, False])), [True, False]),
            ([True, False], lambda x: operator.ior(x, heed.tensor(False)), [True, False]),
            ([True, False], lambda x: operator.ixor(x, heed.tensor(True)), [False, True])]:
        x = heed.tensor(start)
        same = x
        x = change(x)
        assert x.is_same(same) and same.tolist() == expected
    rows = heed.full((2, 2), 3.0)
    rows[0] **= 2
    assert rows.tolist() == [[9, 9], [3, 3]]
    leaf = heed.tensor([2.0, 3.0], requires_grad=True)
    with pytest.raises(heed.GradError, match="leaf"):
        leaf **= 2
    y = leaf * 1
    before = y
    y **= 2
    y.sum().backward()
    assert before.tolist() == [2, 3] and leaf.grad.tolist() == [4, 6]
    with pytest.raises(heed.DTypeError, match=r"%=: the result f32\[1\] is no i64\[1\]; write x = x % y"):
        operator.imod(heed.tensor([5]), 2.5)
    with pytest.raises(heed.ShapeError):
        operator.imod(heed.ones(2), heed.ones(3, 2))


def test_numbers_beside_integers():
    i, big = heed.tensor([3, 4]), 2**60 + 1
    yes = heed.tensor([True, False])
    assert heed.where(yes, 1.5, i).tolist() == [1.5, 4] and heed.where(yes, i, 1.5).tolist() == [3, 1.5]
    assert heed.where(yes, big, i).tolist() == [big, 4] and heed.where(yes, yes, 2).tolist() == [1, 2]
    assert heed.where(yes, yes, False).dtype == heed.bool
    assert nn.functional.pad(i, [1, 1], value=big).tolist() == [big, 3, 4, big]
    for number in (math.inf, 1e30, math.nan, -math.inf):
        with pytest.raises(heed.DTypeError):
            i.add_(number)
    assert i.tolist() == [3, 4]


def test_what_is_no_dtype():
    for what in (np.float64, True, None, 3):
        with pytest.raises(TypeError, match="to: takes a dtype of heed or a tensor, not"):
            heed.ones(1).to(what)


def test_einsum_takes_a_list():
    a = heed.randn(2, 2)
    for given in ([a, a], (a, a)):
        assert heed.einsum("ij,jk->ik", given).equal(a @ a)


def test_linear_of_two_axes_has_pytorchs_word():
    x = heed.randn(1, 2, 3, 5)
    options = dict(scale_factor=2, align_corners=True)
    expected = nn.functional.interpolate(x, mode="linear", **options)
    assert nn.functional.interpolate(x, mode="bilinear", **options).equal(expected)
    assert nn.Upsample(mode="bilinear", **options)(x).equal(expected)
    with pytest.raises(heed.ValueError, match="none of nearest, linear, bilinear"):
        nn.functional.interpolate(x, scale_factor=2, mode="bicubic")


def test_numbers_of_one_element():
    assert float(heed.tensor(2.5)) == 2.5 and int(heed.tensor(7)) == 7 and [1, 2][heed.tensor(1)] == 2
    assert bool(heed.tensor([1])) and not heed.tensor(0)
    with pytest.raises(heed.ShapeError):
        bool(heed.zeros(2))
    with pytest.raises(heed.DTypeError):
        [1][heed.tensor(0.0)]


def test_copies_and_pickles():
    x = heed.tensor([[1.0, 2.0]], requires_grad=True)
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.requires_grad and y.tolist() == x.tolist() and not y.is_same(x) and y.data_ptr() != x.data_ptr()
    assert pickle.loads(pickle.dumps(heed.arange(6).view(2, 3).t())).tolist() == [[0, 3], [1, 4], [2, 5]]
    with pytest.raises(heed.GradError):
        pickle.dumps(x * 2)
    assert hash(x) == hash(x.requires_grad_()) and len({x, x}) == 1


def test_printing_and_facts():
    assert repr(heed.tensor([[1.0, 2.25], [-3, 0.5]], dtype=heed.float64)) == (
        "tensor([[ 1.  ,  2.25],\n        [-3.  ,  0.5 ]], dtype=f64)")
    x = heed.zeros(2, 3)
    assert x.device == "cpu" and x.is_leaf and x.stride() == (3, 1) and x.element_size() == 4
    assert x.to("cpu").is_same(x) and x.to(heed.float64).dtype == heed.float64 and x.double().long().dtype == heed.int64
    with pytest.raises(heed.ValueError, match="cuda"):
        x.to("cuda")


def test_draws_follow_the_seed():
    heed.manual_seed(7)
    first = heed.rand(3, 5), heed.randn(3), heed.randint(3, 9, (4,)), heed.randperm(6)
    heed.manual_seed(7)
    again = heed.rand(3, 5), heed.randn(3), heed.randint(3, 9, (4,)), heed.randperm(6)
    assert all(a.equal(b) for a, b in zip(first, again))
    g = heed.Generator(3)
    state = g.get_state()
    x = g.randn((4,))
    g.set_state(state)
    assert g.randn((4,)).equal(x)


def test_a_truth_in_brackets_is_an_axis():
    a = np.arange(6.0).reshape(2, 3)
    x = heed.tensor(a)
    for key in (True, False, np.True_, (True, 0), (0, True), (Ellipsis, True), (slice(None), False), (True, [0, 1, 1])):
        assert x[key].shape == a[key].shape and np.array_equal(x[key].numpy(), a[key])
    assert x[heed.tensor(True)].shape == (1, 2, 3) and x[heed.tensor(False)].shape == (0, 2, 3)
    x[True], a[True] = 7, 7
    x[False], a[False] = 8, 8
    x[0, True], a[0, True] = 9, 9
    assert np.array_equal(x.numpy(), a)
    assert heed.tensor(5.0)[True].tolist() == [5] and heed.tensor(5.0)[heed.tensor(False)].shape == (0,)


def test_spreads_take_their_options_by_name():
    x, _ = pair()
    for spread in (x.var, x.std, lambda *more: heed.var(x, *more), lambda *more: heed.std(x, *more)):
        with pytest.raises(TypeError):
            spread(0, False)  # PyTorch's unbiased, which is not keepdim
    assert x.var(1, keepdim=True).shape == (3, 1) and heed.std(x, (0, 1), correction=0).shape == ()


def test_pickles_of_every_dtype():
    for dtype in (heed.f32, heed.f64, heed.i64, heed.bool, heed.bf16):
        x = heed.tensor([1.0, 0.0, 1.0]).to(dtype)
        again = pickle.loads(pickle.dumps(x))
        assert again.dtype == dtype and again.tolist() == x.tolist()
    for number in (-1, 5):
        with pytest.raises(heed.ValueError):
            heed._unpickle(b"", (0,), number, False)

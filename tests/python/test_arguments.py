"""What stands for an argument, and what does not: numbers, flags, lists of tensors, PyTorch's names; named results."""

import math
import pickle

import heed
import numpy as np
import pytest
from heed import nn

f64 = heed.float64


def test_a_whole_number_in_a_tensor_is_an_operand_of_max_and_min():
    x, one = heed.tensor([3, 0, 5]), heed.tensor(1)
    assert heed.max(x, one).tolist() == x.max(one).tolist() == [3, 1, 5]
    assert heed.min(x, one).tolist() == x.min(one).tolist() == [1, 0, 1]
    assert heed.max(x, 0).values.item() == 5
    with pytest.raises(TypeError):
        x.max(None)


def test_numbers_lose_no_gradient():
    x, a = heed.tensor([0.2, -0.5, 0.7], dtype=f64), heed.tensor(1.5, dtype=f64, requires_grad=True)
    for call in (lambda: nn.functional.leaky_relu(x, a), lambda: nn.functional.dropout(x, a), lambda: x.norm(a),
                 lambda: x.clamp(0.1, a), lambda: heed.attention.attend(x.view(1, 3, 1), x.view(1, 3, 1), x.view(1, 3, 1), dropout=a)):
        with pytest.raises(heed.GradError, match=r"detach\(\)"):
            call()
    with heed.no_grad():
        assert nn.functional.leaky_relu(x, a).tolist() == nn.functional.leaky_relu(x, 1.5).tolist()
    assert nn.functional.leaky_relu(x, a.detach()).tolist() == nn.functional.leaky_relu(x, 1.5).tolist()


def test_bounds_and_alpha_may_be_trained():
    x = heed.tensor([0.2, -0.5, 0.7], dtype=f64)
    low, high = (heed.tensor(n, dtype=f64, requires_grad=True) for n in (-0.25, 0.5))
    x.clamp(low, high).sum().backward()
    assert low.grad.item() == 1 and high.grad.item() == 1
    assert x.clamp(max=high).tolist() == [0.2, -0.5, 0.5] and heed.clamp(x, min=low).tolist() == [0.2, -0.25, 0.7]
    assert x.clamp(0, 0.5).tolist() == x.clamp(heed.tensor(0), heed.tensor(0.5)).tolist() == [0.2, 0, 0.5]
    alpha = heed.tensor([1.5], dtype=f64, requires_grad=True)
    weights = nn.functional.entmax(x, -1, alpha)
    assert weights.allclose(nn.functional.entmax(x, -1, 1.5))
    weights[0].backward()
    assert alpha.grad.item() != 0


def test_one_tensor_is_no_list_of_tensors():
    x = heed.ones(2, 3)
    for call in (lambda: heed.cat(x), lambda: heed.stack(x), lambda: x.index_put(heed.tensor([0, 1]), heed.ones(2, 3)),
                 lambda: nn.utils.rnn.pack_sequence(x)):
        with pytest.raises(TypeError):
            call()
    assert heed.cat([x, x]).shape == heed.cat(tuple(x.unbind()) * 2).view(4, 3).shape == (4, 3)
    leaf = heed.tensor(3.0, dtype=f64, requires_grad=True)
    heed.autograd.backward(leaf * leaf)
    heed.autograd.backward([leaf * 2], grad_tensors=heed.tensor(5.0, dtype=f64))
    assert leaf.grad.item() == 16


def test_a_number_is_no_flag():
    x = heed.ones(2, 3)
    for name in ("sum", "mean", "prod", "amax", "amin", "logsumexp", "max", "min", "median", "argmax", "argmin"):
        with pytest.raises(TypeError):
            getattr(x, name)(0, 1)
        assert getattr(heed, name)(x, 0, True) is not None and getattr(x, name)(0, keepdim=True) is not None
    with pytest.raises(TypeError):
        x.norm(2, 0, 1)
    for name in ("var", "std", "sum"):
        with pytest.raises(TypeError):
            getattr(x, name)(0, keepdim=1)
    with pytest.raises(TypeError):
        (x > 0).any(0, 1)


def test_numbers_with_a_point_are_not_cut_off():
    x = heed.arange(12).view(3, 4)
    for one in (np.float32(1.7), heed.tensor(1.7), 1.0):
        for call in (lambda: x.narrow(0, one, 1), lambda: heed.Generator(one), lambda: nn.Linear(one, 2), lambda: heed.randperm(one), lambda: heed.set_num_threads(one)):
            with pytest.raises(TypeError):
                call()
    with pytest.raises(TypeError):
        nn.GRU(2, 3)(heed.ones(2, 5, 2), lengths=heed.tensor([2.5, 3.0]))
    assert x.narrow(0, np.int32(1), heed.tensor(1)).tolist() == [[4, 5, 6, 7]]
    assert nn.GRU(2, 3)(heed.ones(2, 5, 2), lengths=heed.tensor([2, 3]))[1].shape == (1, 2, 3)


def test_none_is_what_help_says():
    gru, x = nn.GRU(2, 3), heed.randn(2, 5, 2)
    assert gru(x, lengths=None, hx=None)[0].equal(gru(x)[0])
    encoder = heed.attention.ConvEncoder(width=2, hidden=3)
    assert encoder.eval()(x, lengths=None).values.equal(encoder(x).values)
    q = heed.randn(1, 2, 3, 5)
    sdpa = nn.functional.scaled_dot_product_attention
    assert sdpa(q, q, q, scale=None).equal(sdpa(q, q, q)) and not sdpa(q, q, q, scale=3.0).equal(sdpa(q, q, q))
    image = heed.randn(1, 1, 2, 3)
    assert nn.functional.interpolate(image, size=(3, 5), scale_factor=None).shape == nn.Upsample((3, 5), None)(image).shape
    heed.optim.LBFGS([nn.Parameter(heed.ones(2))], max_eval=None, line_search_fn=None)
    assert heed.zeros(3, dtype=None).dtype == heed.eye(3, dtype=None).dtype == heed.float32


def test_names_are_pytorchs():
    x = heed.arange(6).view(size=(2, 3))
    assert x.reshape(shape=(3, 2)).shape == x.permute(dims=(1, 0)).shape == (3, 2)
    assert x.flip(dims=[0]).tolist() == heed.flip(x, dims=0).tolist() == [[3, 4, 5], [0, 1, 2]]
    assert x.tile(dims=(1, 2)).shape == x.repeat(repeats=(1, 2)).shape == (2, 6)
    assert heed.zeros(size=(2, 3), dtype=f64).dtype == f64
    with pytest.raises(TypeError, match="both with and without a name"):
        heed.zeros(2, size=(2, 3))
    y = heed.randn(3, 3)
    assert y.pow(exponent=2).equal(heed.pow(y, exponent=2.0)) and y.mm(mat2=y).equal(y @ y)
    assert y.mv(vec=y[0]).allclose(y @ y[0]) and y.masked_select(mask=y > 0).equal(y[y > 0])
    assert heed.zeros(3, 3).copy_(src=y).equal(y) and y.unfold(dimension=0, size=2, step=1).shape == (2, 3, 2)
    rows = heed.zeros(1, 3, dtype=heed.int64)
    assert heed.zeros(2, 3).scatter_add(dim=0, index=rows, src=heed.ones(1, 3)).tolist() == [[1, 1, 1], [0, 0, 0]]


def test_draws_of_a_generator_of_ones_own():
    generator = heed.Generator().manual_seed(3)
    assert isinstance(generator, heed.Generator) and heed.manual_seed(5).get_state() == heed.Generator(5).get_state()
    before = heed.default_generator().get_state()
    drawn = heed.rand(2, 3, generator=generator), heed.randn(size=(5,), generator=generator)
    assert heed.default_generator().get_state() == before
    generator.manual_seed(3)
    assert drawn[0].equal(generator.rand((2, 3))) and drawn[1].equal(generator.randn((5,)))


def test_values_and_indices_have_names():
    x = heed.tensor([[3, 7, 5]])
    for found in (x.max(1), x.min(1), x.median(1), x.sort(), x.topk(2), heed.max(x, 1)):
        values, indices = found
        assert found.values is values and found.indices is indices and isinstance(found, tuple)
        assert x.gather(1, indices.view(1, -1)).view(-1).equal(values.view(-1))
    assert pickle.loads(pickle.dumps(x.topk(2))).values.tolist() == [[7, 5]]


def test_dividing_to_whole_numbers():
    for a, b in (([7, -7, 7, -7], [2, 2, -2, -2]), ([7.5, -7.5, 1.0], [2.0, 2.0, 2.5])):
        x, y = heed.tensor(a), heed.tensor(b)
        assert (x // y).tolist() == [p // q for p, q in zip(a, b)] and (x // y).dtype == x.dtype
        assert (x // 3).tolist() == [p // 3 for p in a] and (17 // y).tolist() == [17 // q for q in b]
        assert (17 % y).tolist() == [17 % q for q in b]
    for big in (2**60 + 7, 2**63 - 1, -(2**63), -(2**62) - 5):
        for by in (3, 7, 10, -3, -7, -10, big):
            assert (heed.tensor([big]) // by).tolist() == [big // by]
    inf = math.inf
    assert (heed.tensor([5.0, -5.0, 0.0]) // inf).tolist() == [5.0 // inf, -5.0 // inf, 0.0]
    assert heed.tensor([7]).floor_divide(2).tolist() == [3]


def test_operators_with_a_number_write_in_place():
    x, mask = heed.tensor([7, -7]), heed.tensor([True, False])
    same, seen = x, mask
    x //= 2
    assert same.tolist() == x.tolist() == [3, -4]
    x //= heed.tensor([2, 3])
    assert same.tolist() == x.tolist() == [1, -2]
    mask &= False
    assert seen.tolist() == [False, False]
    mask |= True
    mask ^= True
    assert seen.tolist() == [False, False]


def test_division_by_nothing():
    assert (heed.tensor([5.0, -5.0]) // 0).tolist() == [math.inf, -math.inf]
    with pytest.raises(heed.ValueError, match="by 0"):
        heed.tensor([1]) // 0


def test_words_of_python():
    x, mask = heed.tensor([2.0, 3.5]), heed.tensor([True, False])
    assert 3.5 in x and 4 not in x and heed.tensor(2.0) in x and heed.ones(3, 2)[0] not in x
    assert (mask & True).tolist() == (True & mask).tolist() == (mask | False).tolist() == (mask ^ False).tolist() == [True, False]
    assert f"{heed.tensor(2.5):.3f}" == "2.500" and f"{heed.tensor([[7]]):03d}" == "007" and f"{x}" == str(x)
    with pytest.raises(TypeError, match="only one element"):
        f"{x:.3f}"


def test_arrays_of_others_are_not_compared_in_silence():
    x, a = heed.ones(3), np.ones(3)
    for compare in (lambda: x == a, lambda: x != a, lambda: a == x, lambda: a != x):
        with pytest.raises(TypeError, match="heed.tensor"):
            compare()
    assert (x == np.float32(1)).tolist() == [True] * 3 and (x == [1, 1, 1]) is False and (x == "a") is False
    assert x.__array__(copy=True).ctypes.data != x.data_ptr() == x.__array__(copy=False).ctypes.data
    with pytest.raises(ValueError, match="copy=False"):
        x.__array__(np.float64, copy=False)

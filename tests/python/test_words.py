"""PyTorch's other words, and what is said of words that are not here."""

import math
from collections import OrderedDict

import heed
import numpy as np
import pytest
from heed import nn
from heed.attention import MultiHead

F = nn.functional
f64 = heed.float64


def test_keywords_that_change_nothing():
    x = heed.randn(3, 5)
    for name, of in (("relu", nn.ReLU), ("silu", nn.SiLU), ("relu6", nn.ReLU6), ("mish", nn.Mish), ("selu", nn.SELU),
                     ("hardswish", nn.Hardswish), ("leaky_relu", nn.LeakyReLU), ("elu", nn.ELU)):
        before = x.clone()
        assert getattr(F, name)(x, inplace=True).equal(of(inplace=True)(x)) and getattr(F, name)(x).equal(of()(x))
        assert x.equal(before)
    assert nn.Dropout(0.25, True).p == 0.25 and nn.Dropout(0.5, inplace=True).eval()(x).equal(x)
    assert F.dropout(x, 0.5, False, inplace=True).equal(x)
    heed.use_deterministic_algorithms(True)
    heed.use_deterministic_algorithms(False, warn_only=True)
    with pytest.raises(TypeError):
        nn.ReLU(1)


def test_tensors_like_another():
    x = heed.ones(2, 3)
    for name in ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"):
        y = getattr(heed, name)(x, dtype=f64, requires_grad=True)
        assert y.shape == (2, 3) and y.dtype is f64 and y.requires_grad
        assert getattr(x, name)().dtype is heed.float32 and not getattr(x, name)().requires_grad
    y = heed.full_like(x, 7, dtype=heed.int64)
    assert y.tolist() == [[7] * 3] * 2 and heed.full((2,), 1.5, requires_grad=True).requires_grad
    assert x.new_zeros(5, 2, dtype=f64).dtype is f64 and y.new_ones((5,)).tolist() == [1] * 5 and y.new_empty(2).dtype is heed.int64
    assert y.new_full((2,), 3).tolist() == [3, 3] and y.new_tensor([1.0]).dtype is heed.int64
    assert heed.rand_like(x).max().item() < 1


def test_whole_numbers_of_a_generator():
    draw = heed.Generator(7)
    before = heed.default_generator().get_state()
    first = heed.randint(5, (101,), generator=draw), heed.randint(-3, 2, (101,), generator=draw), heed.randperm(11, generator=draw)
    assert heed.default_generator().get_state() == before
    assert sorted(set(first[0].tolist())) == [0, 1, 2, 3, 4] and sorted(set(first[1].tolist())) == [-3, -2, -1, 0, 1]
    assert sorted(first[2].tolist()) == list(range(11))
    draw = heed.Generator(7)
    assert heed.randint(5, (101,), generator=draw).equal(first[0])
    heed.manual_seed(7)
    assert heed.randint(0, 5, (101,)).equal(first[0])
    for call in (lambda: heed.randint(3, 3, (2,), generator=draw), lambda: heed.randperm(-1, generator=draw)):
        with pytest.raises(heed.ValueError):
            call()


def test_spreads_without_bias():
    x = heed.randn(7, 3, dtype=f64)
    a = x.numpy()
    for name in ("std", "var"):
        np.testing.assert_allclose(getattr(x, name)(0, unbiased=False).numpy(), getattr(a, name)(0))
        np.testing.assert_allclose(getattr(heed, name)(x, unbiased=True).item(), getattr(a, name)(ddof=1))
        assert getattr(x, name)(0, correction=0).equal(getattr(x, name)(0, unbiased=False))
        with pytest.raises(heed.ValueError, match="one thing"):
            getattr(x, name)(correction=1, unbiased=True)


def test_choosing_places():
    m = heed.tensor([[True, False, True], [False, False, True]])
    a = m.numpy()
    assert heed.where(m, 1.5, 0).tolist() == np.where(a, 1.5, 0).tolist() and heed.where(m, 1.0, 0.0).dtype is heed.float32
    assert heed.where(m, 1, 0).dtype is heed.int64 and heed.where(m, True, False).equal(m)
    places = heed.where(m)
    assert isinstance(places, tuple) and [p.tolist() for p in places] == [p.tolist() for p in np.nonzero(a)]
    assert m.nonzero(as_tuple=True)[1].equal(places[1]) and m.nonzero(as_tuple=False).equal(m.nonzero())
    x, y = heed.randn(2, 3), heed.randn(2, 3)
    assert x.where(m, y).equal(heed.where(m, x, y)) and x.where(m, 0).equal(heed.where(m, x, 0))
    with pytest.raises(TypeError):
        heed.where(None, x, y)


def test_other_names():
    x, y = heed.randn(2, 3, 5), heed.randn(2, 3, 5)
    for name, of in (("absolute", "abs"), ("negative", "neg")):
        assert getattr(heed, name)(x).equal(getattr(x, of)()) and getattr(x, name)().equal(getattr(x, of)())
    for name, of in (("multiply", "mul"), ("subtract", "sub"), ("divide", "div"), ("true_divide", "div"), ("not_equal", "ne"),
                     ("greater", "gt"), ("greater_equal", "ge"), ("less", "lt"), ("less_equal", "le")):
        assert getattr(heed, name)(x, y).equal(getattr(x, of)(y)) and getattr(x, name)(y).equal(getattr(x, of)(y))
    assert heed.concatenate([x, y], dim=1).shape == (2, 6, 5) and x.clip(-0.5, 0.5).equal(x.clamp(-0.5, 0.5))
    assert x.clamp_min(0.5).equal(x.clamp(min=0.5)) and heed.clamp_max(x, 0.5).equal(x.clamp(max=0.5))
    assert x.swapaxes(0, 1).equal(x.swapdims(0, 1)) and heed.swapaxes(x, 0, 2).shape == (5, 3, 2)
    assert x.ravel().shape == (30,) and x.ndimension() == 3 and x.nelement() == 30 and x.is_cuda is False
    a = x.numpy()
    for axes in ((0, 2), (-1, 0), ((0, 1), (2, 0)), ((2, 0), (0, -1))):
        for moved in (x.movedim(*axes), heed.moveaxis(x, *axes)):
            assert np.array_equal(moved.numpy(), np.moveaxis(a, *axes))
    for axes in ((3, 0), ((0, 0), (1, 2)), ((0, 1), 2)):
        with pytest.raises(heed.ShapeError, match="movedim"):
            x.movedim(*axes)
    assert heed.pi == math.pi and heed.inf == math.inf and math.isnan(heed.nan)
    assert heed.is_tensor(x) and not heed.is_tensor(a) and heed.is_floating_point(x) and not heed.is_floating_point(heed.arange(2))


def test_as_a_tensor():
    x, a = heed.ones(3), np.ones(3)
    assert heed.as_tensor(x) is x and heed.asarray(x, dtype=f64).dtype is f64 and heed.as_tensor([1, 2]).dtype is heed.int64
    shared = heed.as_tensor(a)
    a[0] = 7
    assert shared.tolist() == [7, 1, 1] and heed.as_tensor(a, dtype=heed.float32).dtype is heed.float32
    a.setflags(write=False)
    assert heed.as_tensor(a).tolist() == [7, 1, 1] and heed.as_tensor(np.int32([3])).dtype is heed.int64
    with pytest.raises(TypeError):
        heed.as_tensor("abc")


def test_modes_as_decorators_without_brackets():
    w = heed.ones(2, requires_grad=True)

    @heed.no_grad
    def plain(x):
        return x * w

    @heed.enable_grad
    def within(x):
        return x * w

    @heed.inference_mode
    def quiet(x):
        return x * w

    assert not plain(2).requires_grad and not quiet(2).requires_grad and plain.__name__ == "plain"
    with heed.no_grad():
        assert within(2).requires_grad and heed.is_grad_enabled() is False
    assert heed.no_grad()(lambda: w * 2)().requires_grad is False


def test_hooks_remove_themselves():
    x, seen = heed.ones(2, requires_grad=True), []
    handle = x.register_hook(lambda g: seen.append(g))
    x.sum().backward()
    handle.remove()
    handle.remove()
    x.sum().backward()
    assert len(seen) == 1 and isinstance(handle, int)
    layer = nn.Linear(2, 3)
    kept = layer.weight.register_hook(lambda g: seen.append(g))  # of an object that is gone
    forward = layer.register_forward_hook(lambda module, out: out * 0)
    named = layer.register_hook(lambda name, g: seen.append(name))
    layer(heed.ones(1, 2)).sum().backward()
    assert seen[1:] and layer(heed.ones(1, 2)).abs().sum().item() == 0
    for hook in (kept, forward, named):
        hook.remove()
    del seen[:]
    out = layer(heed.ones(1, 2))
    out.sum().backward()
    assert not seen and out.abs().sum().item() > 0
    again = x.register_hook(lambda g: seen.append(g))
    x.remove_hook(again)  # by its id, as before
    x.sum().backward()
    assert not seen


def test_layers_know_their_sizes():
    assert (nn.Linear(3, 5).in_features, nn.Linear(3, 5).out_features) == (3, 5)
    conv = nn.Conv2d(4, 6, (3, 5), groups=2)
    assert (conv.in_channels, conv.out_channels, conv.kernel_size) == (4, 6, (3, 5)) and nn.Conv1d(2, 3, 5).kernel_size == (5,)
    table = nn.Embedding(7, 5)
    assert (table.num_embeddings, table.embedding_dim) == (7, 5)
    with pytest.raises(AttributeError):
        table.embedding_dim = 3


def test_walks_of_modules():
    inner = nn.Sequential(nn.Linear(3, 5), nn.ReLU())
    model = nn.Sequential(inner, nn.Linear(5, 2))
    assert [name for name, _ in model.named_parameters(prefix="net")][0] == "net.0.0.weight"
    assert list(model.parameters(recurse=False)) == [] and len(inner[0].parameters(recurse=False)) == 2
    assert model.get_submodule("0.0").weight.is_same(inner[0].weight) and model.get_submodule("") is model
    assert model.get_parameter("0.0.weight").is_same(inner[0].weight) and inner[0].get_parameter("bias").shape == (5,)
    stack = heed.attention.TransformerEncoder(2, width=8, heads=2, hidden=5)
    assert stack.get_submodule("layers.1").path == stack.layers[1].path
    for call in (lambda: model.get_submodule("0.7"), lambda: model.get_parameter("0.1.weight"), lambda: nn.BatchNorm1d(3).get_parameter("running_mean")):
        with pytest.raises(AttributeError):
            call()
    inner.training = False
    assert not inner.training and inner[0].training and model.training
    model(heed.ones(1, 3)).sum().backward()
    model.zero_grad(set_to_none=False)
    assert all(p.grad.abs().sum().item() == 0 for p in model.parameters())
    model.zero_grad(set_to_none=True)
    assert all(p.grad is None for p in model.parameters())


def test_lists_of_modules():
    a, b, c, d = (nn.Linear(3, 3, bias=False) for _ in range(4))
    layers = nn.ModuleList([a, b])
    layers.insert(1, c)
    assert list(layers) == [a, c, b] and list(layers.state_dict()) == ["0.weight", "1.weight", "2.weight"]
    layers += [d]
    del layers[0]
    assert list(layers) == [c, b, d] and layers.pop() is d and len(layers) == 2 and list(layers.state_dict()) == ["0.weight", "1.weight"]
    both = layers + nn.ModuleList([d])
    assert isinstance(both, nn.ModuleList) and list(both) == [c, b, d] and len(layers) == 2
    net = nn.Sequential(OrderedDict([("first", a), ("act", nn.ReLU()), ("last", b)]))
    assert net.first is a and list(net.state_dict()) == ["first.weight", "last.weight"] and net[-1] is b
    assert list(net[1:].state_dict()) == ["last.weight"] and len(net) == 3
    x = heed.randn(2, 3)
    assert net(x).equal(b(a(x).relu())) and isinstance(net + nn.Sequential(c), nn.Sequential) and len(net + [c]) == 4
    net.append(c).insert(0, d)
    assert net[0] is d and list(net.state_dict()) == ["0.weight", "1.weight", "3.weight", "4.weight"]
    with pytest.raises(TypeError, match="is no Module"):
        net.insert(0, heed.relu)
    assert len(net) == 5
    with pytest.raises(IndexError):
        del layers[5]


def test_dicts_of_modules_and_parameters():
    named = nn.ModuleDict({"a": nn.Linear(3, 2)})
    named.update({"b": nn.Linear(2, 3)})
    taken = named.pop("a")
    assert taken.in_features == 3 and named.keys() == ["b"] and list(named.state_dict()) == ["b.weight", "b.bias"]
    with pytest.raises(KeyError):
        named.pop("a")
    listed = nn.ParameterList([heed.ones(2), nn.Parameter(heed.zeros(3))])
    listed.append(heed.ones(5))
    assert [p.shape for p in listed] == [(2,), (3,), (5,)] and len(listed.parameters()) == 3 and isinstance(listed[0], nn.Parameter)
    listed[0] = nn.Parameter(heed.zeros(2))
    assert listed[0].tolist() == [0, 0] and list(listed.state_dict()) == ["0", "1", "2"]
    table = nn.ParameterDict({"w": heed.ones(2)})
    table["v"] = heed.ones(3)
    table["w"].sum().backward()
    assert "v" in table and table["w"].grad.tolist() == [1, 1] and [n for n, _ in table.named_parameters()] == ["w", "v"]
    del table["v"]
    assert len(table) == 1 and table.keys() == ["w"]
    with pytest.raises(TypeError, match="is no Parameter"):
        nn.ParameterList([3])


def test_divergence_a_row():
    x, y = heed.randn(3, 5, dtype=f64).log_softmax(1), heed.randn(3, 5, dtype=f64).softmax(1)
    row = F.kl_div(x, y, reduction="batchmean")
    assert row.item() == pytest.approx(F.kl_div(x, y, reduction="sum").item() / 3)
    loss = nn.KLDivLoss(reduction="batchmean")
    assert loss(x, y).equal(row) and nn.KLDivLoss("sum", log_target=True)(x, y.log()).allclose(3 * row) and "KLDivLoss" in repr(loss)
    with pytest.raises(heed.ValueError, match="batchmean"):
        nn.KLDivLoss(reduction="rows")


def test_what_is_said():
    x, a = heed.ones(2), np.ones(2)
    for call in (lambda: x + a, lambda: a + x, lambda: x * a, lambda: a / x, lambda: x - a, lambda: a - x, lambda: x < a, lambda: a // x, lambda: x @ a, lambda: a @ x):
        with pytest.raises(TypeError, match=r"heed.tensor\(array\)"):
            call()
    assert (x + np.float32(1)).tolist() == (np.float64(1) + x).tolist() == [2, 2] and (np.int64(3) * x).tolist() == [3, 3]
    with pytest.raises(TypeError, match=r"for \*: 'Tensor' and 'str'"):
        x * "a"
    with pytest.raises(TypeError):
        nn.Linear(3, 2)(None)
    with pytest.raises(heed.ValueError, match='"abc".*"cpu".*float32'):
        x.to("abc")
    for given, ours in (({"embed_dim": 8, "num_heads": 2}, "width"), ({"width": 8, "num_heads": 2}, "heads")):
        with pytest.raises(TypeError, match=f"here it is {ours}"):
            MultiHead(**given)


def test_there_is_one_device():
    x = heed.ones(2, 3)
    for make in (lambda d: heed.zeros(2, 3, device=d), lambda d: heed.randn(2, 3, device=d), lambda d: heed.full((2, 3), 7, device=d),
                 lambda d: heed.ones_like(x, device=d), lambda d: heed.full_like(x, 7, device=d), lambda d: x.new_zeros(2, 3, device=d),
                 lambda d: heed.eye(2, 3, device=d), lambda d: heed.randint(5, (2, 3), device=d), lambda d: heed.tensor([[1, 2, 3]] * 2, device=d),
                 lambda d: heed.arange(6, device=d).view(2, 3), lambda d: heed.arange(0, 6, device=d).view(2, 3),
                 lambda d: heed.linspace(0, 1, 6, device=d).view(2, 3), lambda d: heed.randperm(6, device=d).view(2, 3),
                 lambda d: heed.as_tensor(x, device=d), lambda d: nn.Linear(2, 3).to(d or "cpu").weight.t(), lambda d: x.to(d or "cpu")):
        assert make("cpu").shape == make(x.device).shape == make(None).shape == (2, 3)
        with pytest.raises(heed.ValueError, match='"cpu"'):
            make("cuda")
    layer = nn.Linear(2, 3)
    assert layer.to("cpu") is layer is layer.cpu()
    with pytest.raises(TypeError):
        layer.to(None)
    with pytest.raises(TypeError):
        heed.zeros(2, device=3)

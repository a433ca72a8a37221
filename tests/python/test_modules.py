"""nn: layers, containers, and modules written in Python."""

import gc
import weakref

import heed
import numpy as np
import pytest
from heed import nn

F = nn.functional


class Model(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.scale = nn.Parameter(heed.ones(width))
        self.body = nn.Sequential(nn.Linear(3, width), nn.ReLU(), nn.Dropout(0.5))
        self.heads = nn.ModuleList([nn.Linear(width, 2) for _ in range(2)])
        self.by_name = nn.ModuleDict({"extra": nn.Linear(2, 2, bias=False)})
        self.register_buffer("steps", heed.tensor(0))
        self.width = width

    def forward(self, x, head=0):
        return self.by_name["extra"](self.heads[head](self.body(x) * self.scale))


NAMES = ["scale", "body.0.weight", "body.0.bias", "heads.0.weight", "heads.0.bias", "heads.1.weight", "heads.1.bias",
         "by_name.extra.weight"]


def test_attributes_are_registered():
    model = Model()
    assert [name for name, _ in model.named_parameters()] == NAMES
    assert list(model.state_dict()) == NAMES[:1] + ["steps"] + NAMES[1:]
    assert [name for name, _ in model.named_children()] == ["body", "heads", "by_name"]
    assert len(model.parameters()) == 8 and model.parameter_count() == 4 + 16 + 20 + 4
    assert isinstance(model.scale, heed.Tensor) and model.scale.requires_grad and model.scale.is_leaf
    assert model.scale.is_same(model.parameters()[0])
    assert [type(m).__name__ for m in model.modules()][:3] == ["Model", "Sequential", "Linear"]
    assert dict(model.named_modules())["heads.1"] is model.heads[1]
    assert "Model" in repr(model) and "steps" in model.summary()
    assert model.body[0].path == "body.0" and model.width == 4


def test_calls_and_modes():
    model, x = Model(), heed.randn(5, 3)
    assert model.training and model.body[2].training
    assert model.eval() is model and not model.body[2].training
    assert model(x).equal(model(x)) and not model(x).equal(model(x, head=1))
    model.train()
    assert model.body.training and not model(x).equal(model(x))
    model(x).sum().backward()
    assert model.scale.grad is not None and model.heads[1].weight.grad is None
    model.zero_grad()
    assert model.scale.grad is None
    model.requires_grad_(False)
    assert not model(x).requires_grad
    model.to(heed.float64)
    assert model.scale.dtype == heed.float64 and model(heed.randn(2, 3, dtype=heed.float64)).dtype == heed.float64
    seen = []
    model.apply(lambda m: seen.append(type(m).__name__))
    assert seen[-1] == "Model" and len(seen) == 10


def test_state_dicts_are_copied_in_and_strict():
    one, two = Model(), Model()
    held = two.scale
    two.load_state_dict(one.state_dict())
    assert all(a.equal(b) for a, b in zip(one.state_dict().values(), two.state_dict().values()))
    assert held.is_same(two.scale) and held.data_ptr() == two.scale.data_ptr()
    two.load_state_dict({"scale": np.full(4, 3, np.float32)}, strict=False)
    assert two.scale.tolist() == [3] * 4 and one.scale.tolist() == [1] * 4
    state = one.state_dict()
    state["more"] = state.pop("scale")
    with pytest.raises(heed.ValueError, match='"scale" is missing.*"more" is unexpected'):
        two.load_state_dict(state)
    with pytest.raises(heed.ValueError, match=r"is f32\[2\], not f32\[4\]"):
        two.load_state_dict({"scale": heed.zeros(2)}, strict=False)


def test_layers_hold_their_members():
    layer = nn.Linear(3, 2, bias=False)
    assert layer.weight.shape == (2, 3) and layer.bias is None
    other = nn.Linear(3, 2)
    other.weight = layer.weight
    assert other.weight.is_same(layer.weight)
    with pytest.raises(heed.ShapeError, match="weight"):
        other.weight = heed.zeros(3, 3)
    with pytest.raises(heed.GradError, match="weight"):
        other.weight = layer.weight * 2
    with pytest.raises(AttributeError, match="Linear has no attribute 'wieght'"):
        layer.wieght
    with pytest.raises(heed.ValueError, match="takes no more children"):
        layer.inner = nn.Linear(2, 2)


def test_ties():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(5, 3)
            self.out = nn.Linear(3, 5, bias=False)
            self.out.weight = self.words.weight

    assert len(Tied().parameters()) == 1 and list(Tied().state_dict()) == ["words.weight", "out.weight"]


def test_replacing_and_deleting():
    model = Model()
    old = weakref.ref(model.heads)
    model.heads = nn.ModuleList([nn.Linear(4, 2)])
    gc.collect()
    assert old() is None
    assert [name for name, _ in model.named_children()] == ["body", "heads", "by_name"]
    assert len(model.parameters()) == 6
    model.body[0] = nn.Linear(3, 4, bias=False)
    assert "body.0.bias" not in model.state_dict() and model(heed.zeros(1, 3)).shape == (1, 2)
    model.scale = nn.Parameter(heed.zeros(4))
    assert model.parameters()[0].tolist() == [0] * 4
    del model.by_name
    with pytest.raises(AttributeError):
        model.by_name
    assert [name for name, _ in model.named_children()] == ["body", "heads"]
    del model.scale
    assert "scale" not in model.state_dict()
    model.scale = nn.Linear(2, 2)
    assert [name for name, _ in model.named_children()] == ["body", "heads", "scale"]
    model.steps = heed.tensor(4)
    assert model.state_dict()["steps"].item() == 4


def test_what_is_no_module_of_ones_own():
    class Forgot(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(2, 2)

    with pytest.raises(TypeError, match="__init__"):
        Forgot()
    with pytest.raises(TypeError, match="has no forward"):
        nn.Module()(heed.zeros(1))
    with pytest.raises(TypeError, match="is no Module"):
        nn.Sequential(nn.Linear(2, 2), heed.relu)
    with pytest.raises(IndexError):
        nn.ModuleList()[0]
    with pytest.raises(heed.ValueError, match="no name"):
        nn.ModuleDict({"a.b": nn.ReLU()})


def test_subclasses_of_layers():
    class Doubled(nn.Linear):
        def forward(self, x):
            return super().forward(x) * 2

    layer = Doubled(3, 2)
    model = nn.Sequential(layer)
    x = heed.randn(4, 3)
    assert model(x).allclose(F.linear(x, layer.weight, layer.bias) * 2)
    assert list(model.state_dict()) == ["0.weight", "0.bias"]


def test_hooks():
    model, x = Model().eval(), heed.randn(2, 3)
    seen = []
    plain = model(x)
    first = model.register_forward_hook(lambda module, output: seen.append((module is model, output.shape)))
    twice = model.body[0].register_forward_hook(lambda module, output: output * 0)
    changed = model(x)
    assert seen == [(True, (2, 2))] and not changed.equal(plain)
    model.remove_hook(first), model.body[0].remove_hook(twice)
    assert model(x).equal(plain)
    names = []
    model.register_hook(lambda name, gradient: names.append(name))
    model(x).sum().backward()
    assert set(names) == set(NAMES) - {"heads.1.weight", "heads.1.bias"}


def test_children_outlive_parents_and_parents_go():
    model = Model()
    inner = model.body[0]
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None and inner(heed.zeros(1, 3)).shape == (1, 4)
    encoder = heed.attention.TransformerEncoder(2, width=6, heads=2, hidden=7)
    norm = encoder.layers[1].norm1
    attn = encoder.layers[0].self_attn
    del encoder
    gc.collect()
    assert norm.state_dict()["weight"].tolist() == [1] * 6 and isinstance(attn, heed.attention.MultiHead)


def test_python_modules_inside_of_each_other_keep_their_attributes():
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = 3

        def forward(self, x):
            return x * self.factor

    model = nn.Sequential(Inner(), nn.Sequential(Inner()))
    gc.collect()
    assert model(heed.ones(1)).item() == 9 and model.children()[0].factor == 3


LAYERS = [
    (lambda: nn.Linear(3, 2), (5, 3), (5, 2)), (lambda: nn.Conv1d(3, 2, 3, padding=1), (5, 3, 7), (5, 2, 7)),
    (lambda: nn.Conv2d(3, 2, (3, 1), stride=2), (5, 3, 7, 7), (5, 2, 3, 4)), (lambda: nn.Conv3d(1, 2, 2), (1, 1, 3, 3, 3), (1, 2, 2, 2, 2)),
    (lambda: nn.ConvTranspose1d(3, 2, 2, 2), (1, 3, 4), (1, 2, 8)), (lambda: nn.ConvTranspose2d(3, 2, 2, 2), (1, 3, 4, 2), (1, 2, 8, 4)),
    (lambda: nn.MaxPool1d(2), (1, 3, 6), (1, 3, 3)), (lambda: nn.MaxPool2d(2), (1, 3, 6, 4), (1, 3, 3, 2)),
    (lambda: nn.AvgPool1d(2), (1, 3, 6), (1, 3, 3)), (lambda: nn.AvgPool2d((2, 1)), (1, 3, 6, 4), (1, 3, 3, 4)),
    (lambda: nn.AdaptiveAvgPool2d(1), (1, 3, 6, 4), (1, 3, 1, 1)), (lambda: nn.AdaptiveAvgPool1d(2), (1, 3, 6), (1, 3, 2)),
    (lambda: nn.BatchNorm1d(3), (5, 3), (5, 3)), (lambda: nn.BatchNorm2d(3), (5, 3, 2, 2), (5, 3, 2, 2)),
    (lambda: nn.LayerNorm(3), (5, 3), (5, 3)), (lambda: nn.LayerNorm((5, 3)), (2, 5, 3), (2, 5, 3)), (lambda: nn.RMSNorm(3), (5, 3), (5, 3)),
    (lambda: nn.GroupNorm(2, 4), (5, 4, 3), (5, 4, 3)), (lambda: nn.Flatten(), (5, 4, 3), (5, 12)),
    (lambda: nn.Unflatten(1, (2, 2)), (5, 4), (5, 2, 2)), (lambda: nn.Upsample(scale_factor=2), (1, 2, 3, 3), (1, 2, 6, 6)),
    (lambda: nn.GLU(), (5, 4), (5, 2)), (lambda: nn.PReLU(), (5, 4), (5, 4)), (lambda: nn.Softmax(-1), (5, 4), (5, 4)),
    (lambda: nn.GELU("tanh"), (5, 4), (5, 4)), (lambda: nn.LeakyReLU(0.2), (5,), (5,)), (lambda: nn.ELU(), (5,), (5,)),
    (lambda: nn.Maxout(4, 2), (5, 4), (5, 2)), (lambda: nn.PositionalEncoding(4), (2, 5, 4), (2, 5, 4)), (lambda: nn.Identity(), (5,), (5,)),
    (lambda: nn.SELU(), (5,), (5,)), (lambda: nn.Hardswish(), (5,), (5,)), (lambda: nn.Hardsigmoid(), (5,), (5,)),
    (lambda: nn.Tanh(), (5,), (5,)), (lambda: nn.SiLU(), (5,), (5,)), (lambda: nn.Mish(), (5,), (5,)), (lambda: nn.Dropout2d(), (1, 2, 3, 3), (1, 2, 3, 3)),
]


@pytest.mark.parametrize("make, given, expected", LAYERS)
def test_layers_give_shapes_and_gradients(make, given, expected):
    layer = make()
    x = heed.randn(*given).requires_grad_()
    y = layer(x)
    assert y.shape == expected
    y.square().sum().backward()
    assert x.grad.shape == given and all(p.grad is not None for p in layer.parameters())


def test_recurrent_layers():
    x = heed.randn(3, 5, 4)
    for layer in (nn.GRU(4, 6, num_layers=2, bidirectional=True), nn.RNN(4, 6, 2, "relu", bidirectional=True)):
        output, h = layer(x)
        assert output.shape == (3, 5, 12) and h.shape == (4, 3, 6)
        assert layer(x, h)[0].shape == (3, 5, 12)
        short, _ = layer(x, lengths=[5, 2, 3])
        assert short[1, 2:].abs().sum().item() == 0
    output, (h, c) = nn.LSTM(4, 6)(x)
    assert output.shape == (3, 5, 6) and h.shape == c.shape == (1, 3, 6)
    lstm, cell = nn.LSTM(4, 6), nn.LSTMCell(4, 6)
    cell.load_state_dict({name.replace("_l0", ""): value for name, value in lstm.state_dict().items()})
    state = None
    for t in range(5):
        state = cell(x[:, t], state)
    assert state[0].allclose(lstm(x)[1][0][0], atol=1e-6)
    assert lstm(x, (h, c))[0].shape == (3, 5, 6)
    assert nn.GRUCell(4, 6)(x[:, 0]).shape == nn.RNNCell(4, 6)(x[:, 0]).shape == (3, 6)


def test_a_pyramid_halves_what_it_reads():
    x = heed.randn(3, 11, 4)
    pyramid = nn.PyramidalLSTM(4, 6, levels=2, first=3)
    output, lengths = pyramid(x, lengths=[11, 0, 5])
    assert output.shape == (3, 2, 12) and lengths == [2, 0, 1] and len(pyramid.layers) == 3
    assert output[1].abs().sum().item() == 0 and output[0].allclose(pyramid(x[:1])[0][0], atol=1e-6)
    with pytest.raises(heed.ValueError, match="PyramidalLSTM"):
        nn.PyramidalLSTM(4, 6, levels=0)


def test_losses_are_their_functions():
    x, y = heed.randn(5, 3), heed.tensor([0, 2, 1, 0, 2])
    assert nn.CrossEntropyLoss(label_smoothing=0.1)(x, y).equal(F.cross_entropy(x, y, label_smoothing=0.1))
    assert nn.NLLLoss()(x.log_softmax(1), y).allclose(F.cross_entropy(x, y))
    assert nn.CrossEntropyLoss(reduction="none")(x, y).shape == (5,)
    z = heed.rand(5, 3)
    for name, function in [("MSELoss", F.mse_loss), ("L1Loss", F.l1_loss), ("SmoothL1Loss", F.smooth_l1_loss),
                           ("HuberLoss", F.huber_loss), ("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits),
                           ("KLDivLoss", F.kl_div)]:
        assert getattr(nn, name)()(x, z).equal(function(x, z))
    a, b, c = heed.randn(5, 3), heed.randn(5, 3), heed.randn(5, 3)
    assert nn.TripletMarginLoss(0.5)(a, b, c).equal(F.triplet_margin_loss(a, b, c, margin=0.5))
    assert nn.MarginRankingLoss(0.5)(a, b, c.sign()).equal(F.margin_ranking_loss(a, b, c.sign(), margin=0.5))
    assert nn.CosineSimilarity(dim=-1)(a, b).equal(F.cosine_similarity(a, b, dim=-1))
    assert nn.BCELoss()(z, z).equal(F.binary_cross_entropy(z, z))
    assert nn.CTCLoss()(heed.randn(7, 2, 4).log_softmax(-1), heed.tensor([[1, 2], [3, 3]]), [7, 7], [2, 2]).shape == ()


def test_initialisers():
    x = heed.empty(30, 50)
    nn.init.kaiming_uniform_(x, a=1)
    assert 0 < x.abs().max().item() <= (3 / 50) ** 0.5
    nn.init.orthogonal_(x)
    assert (x @ x.t()).allclose(heed.eye(30), atol=1e-5)
    nn.init.constant_(x, 3)
    assert x.mean().item() == 3
    for name in ("uniform_", "normal_", "zeros_", "ones_", "xavier_uniform_", "xavier_normal_", "kaiming_normal_"):
        getattr(nn.init, name)(x)


def test_adapters_learn_beside_a_frozen_model(tmp_path):
    heed.manual_seed(5)
    model = nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3))
    x, before = heed.randn(11, 5), model.state_dict()
    y = model(x)
    assert nn.add_lora(model, rank=2, at=["2"]) == 1
    assert model(x).equal(y) and nn.has_unmerged_lora(model)
    adapters = nn.lora_state(model)
    assert sorted(tensor.shape for tensor in adapters.values()) == [(2, 7), (3, 2)]
    adam = heed.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=0.1)
    for _ in range(3):
        adam.zero_grad()
        model(x).square().sum().backward()
        adam.step()
    learned = model(x)
    assert not learned.equal(y)
    rest = nn.state_without_lora(model)
    assert rest.keys() == before.keys() and all(rest[name].equal(before[name]) for name in rest)
    nn.merge_lora(model)
    assert model(x).allclose(learned, atol=1e-5) and not nn.has_unmerged_lora(model)
    nn.unmerge_lora(model)
    assert model(x).equal(learned)
    nn.load_lora(model, {name: 0 * tensor for name, tensor in adapters.items()})
    assert model(x).equal(y)
    with pytest.raises(heed.ValueError):
        nn.add_lora(model)
    with pytest.raises(heed.ValueError):
        nn.load_lora(model, {})


def test_weights_as_a_length_and_a_direction():
    layer = nn.WeightNormLinear(5, 3, dtype=heed.float64)
    x = heed.randn(7, 5, dtype=heed.float64)
    g, v = layer.weight_g, layer.weight_v
    assert g.shape == (3, 1) and v.shape == (3, 5) and layer.weight is None
    assert layer(x).allclose(x @ (g * v / v.square().sum(1, True).sqrt()).transpose(0, 1) + layer.bias)
    conv = nn.WeightNormConv1d(4, 6, 3, padding=1)
    assert conv(heed.randn(2, 4, 11)).shape == (2, 6, 11) and conv.weight_g.shape == (6, 1, 1)
    assert isinstance(layer, nn.Linear) and {"weight_g", "weight_v", "bias"} == set(layer.state_dict())


def test_padding_may_count_from_the_end():
    table = nn.Embedding(5, 3, padding_idx=-1)
    assert table.weight[4].tolist() == [0, 0, 0] and table.weight[3].abs().sum().item() > 0
    table = nn.Embedding(5, 3, padding_idx=-5)
    assert table.weight[0].tolist() == [0, 0, 0]
    weight = heed.ones(4, 2, requires_grad=True)
    nn.functional.embedding(heed.tensor([3, 1, 3]), weight, padding_idx=-1).sum().backward()
    assert weight.grad.tolist() == [[0, 0], [1, 1], [0, 0], [0, 0]]
    for wrong in (5, -6):
        with pytest.raises(heed.ValueError, match="padding_idx"):
            nn.Embedding(5, 3, padding_idx=wrong)
        with pytest.raises(heed.ValueError, match="padding_idx"):
            nn.functional.embedding(heed.tensor([0]), weight, padding_idx=wrong)

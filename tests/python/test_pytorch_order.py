"""What stands without a name has PyTorch's place, or none; results are what PyTorch gives."""

import pickle

import heed
import pytest
from heed import nn
from heed.attention import MultiHead

F = nn.functional


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_recurrent_layers_are_made_in_pytorchs_order(kind):
    layer = kind(3, 5, 2, True, True, 0.0, True)
    assert layer(heed.randn(2, 7, 3))[0].shape == (2, 7, 10) and layer.bidirectional
    assert (layer.input_size, layer.hidden_size, layer.num_layers) == (3, 5, 2)
    assert kind(3, 5, batch_first=True).num_layers == 1
    for first in (lambda: kind(3, 5, 1, True, False), lambda: kind(3, 5, batch_first=False)):
        with pytest.raises(heed.ValueError, match="batch first always"):
            first()
    with pytest.raises(TypeError):
        kind(3, 5, 2, True, 0.5)
    with pytest.raises(TypeError):
        kind(3, 5, dropout=True)


def test_a_plain_recurrent_layer_has_its_nonlinearity_before():
    layer = nn.RNN(3, 5, 2, "relu", True, True, 0.0, True)
    assert layer(heed.randn(2, 7, 3))[0].shape == (2, 7, 10) and layer.hidden_size == 5
    with pytest.raises(heed.ValueError, match="batch first always"):
        nn.RNN(3, 5, batch_first=False)


def test_what_pytorch_has_in_another_place_is_named():
    x, weight = heed.randn(1, 2, 7, 5), heed.ones(3)
    logits, classes = heed.randn(2, 3), heed.tensor([0, 2])
    for call in (lambda: nn.MaxPool2d(2, 2, 0, 1, True), lambda: nn.MaxPool1d(2, 2, 0, 1, True),
                 lambda: F.embedding(classes, logits, None, 1.0), lambda: nn.CrossEntropyLoss(weight, True),
                 lambda: nn.CrossEntropyLoss(weight, 1), lambda: F.cross_entropy(logits, classes, weight, 1),
                 lambda: nn.NLLLoss(weight, 1), lambda: F.nll_loss(logits, classes, weight, 1),
                 lambda: nn.BCEWithLogitsLoss(weight, "sum"), lambda: F.leaky_relu(x, True), lambda: nn.SmoothL1Loss(True)):
        with pytest.raises(TypeError):
            call()
    assert nn.MaxPool2d(2, 2, 0, 1, ceil_mode=True)(x).shape == F.max_pool2d(x, 2, 2, 0, 1, True).shape == (1, 2, 4, 3)
    assert F.cross_entropy(logits, classes, weight, ignore_index=0).item() == pytest.approx(
        F.cross_entropy(logits[1:], classes[1:], weight).item())


def test_whole_numbers_by_a_number_with_a_point():
    x = heed.tensor([7, -7])
    assert (x // 2.0).tolist() == x.floor_divide(2.0).tolist() == [3.0, -4.0] and (x // 2.0).dtype is heed.float32
    assert (17.5 // x).tolist() == [2.0, -3.0] and (17.5 % x).tolist() == [3.5, -3.5]
    assert heed.floor_divide(x, 2).tolist() == [3, -4] and heed.floor_divide(x, x).tolist() == [1, 1]
    with pytest.raises(heed.DTypeError, match="write x = x // y"):
        x //= 2.0


def test_there_is_one_object_of_each_dtype():
    for name in ("float32", "float64", "int64", "bool", "bfloat16"):
        dtype = getattr(heed, name)
        assert heed.zeros(3, dtype=dtype).dtype is dtype is getattr(heed.dtype, name)
        assert str(dtype) == repr(dtype) == f"heed.{name}" and pickle.loads(pickle.dumps(dtype)) is dtype
    assert heed.zeros(3).dtype is heed.float is heed.f32 and heed.float32 != heed.float64


def test_a_tensor_without_axes_is_a_number():
    assert f"{heed.tensor(0.5)}" == "0.5" and f"loss {heed.tensor(7)}" == "loss 7" and f"{heed.ones(1)}" == str(heed.ones(1))
    lengths = heed.tensor([3, 5, 2])
    assert heed.arange(lengths.max()).tolist() == [0, 1, 2, 3, 4]
    assert heed.full((2,), heed.tensor(1.5)).tolist() == [1.5, 1.5] and heed.full((1,), lengths.max()).dtype is heed.int64
    x = heed.zeros(3)
    assert x.fill_(heed.tensor(2.5)).tolist() == [2.5] * 3 and heed.full((1,), heed.tensor(True)).dtype is heed.bool
    with pytest.raises(TypeError):
        x.fill_(heed.ones(1))
    trained = heed.tensor(2.0, requires_grad=True)
    with pytest.raises(heed.GradError, match=r"detach\(\)"):
        heed.full((2,), trained)
    (x * trained).sum().backward()  # beside a tensor it is one
    assert trained.grad.item() == 7.5 and heed.scalar_tensor(3).dtype is heed.float32


def test_initialisers_give_the_tensor():
    x = heed.zeros(3, 5)
    init = nn.init
    for f in (init.zeros_, init.ones_, init.uniform_, init.normal_, init.xavier_uniform_, init.xavier_normal_,
              init.kaiming_uniform_, init.kaiming_normal_, init.orthogonal_, lambda t: init.constant_(t, 7)):
        assert f(x) is x
    assert x.tolist() == [[7.0] * 5] * 3
    weight = nn.Linear(3, 2).weight
    assert init.ones_(weight) is weight
    with pytest.raises(TypeError):
        init.ones_(3)


def test_pieces_are_tuples():
    x = heed.arange(7)
    for pieces in (x.split(3), x.split([3, 4]), x.chunk(2), x.unbind(), heed.split(x, 3), heed.chunk(x, 2), heed.unbind(x)):
        assert isinstance(pieces, tuple) and heed.cat([p.view(-1) for p in pieces]).equal(x)


def test_results_have_places():
    x = heed.randn(2, 3, 8)
    seen = MultiHead(8, 2)(x, need_weights=True)
    assert len(seen) == 2 and seen[0].equal(seen.context) and seen[-1].equal(seen.weights) and len(seen[:1]) == 1
    with pytest.raises(IndexError):
        seen[2]
    stack = heed.attention.TransformerEncoder(1, width=8, heads=2, hidden=5)(x)
    assert stack[0].shape == (2, 3, 8) and len(stack) == 2
    kind = heed.attention.self_attention_kinds()[0]
    assert kind[0] == kind.name and len(kind) == len(list(kind))
    assert not nn.Sequential() and not nn.ModuleList() and not nn.ModuleDict() and nn.ModuleList([nn.ReLU()])

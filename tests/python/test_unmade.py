"""What has nothing behind it: objects before super().__init__(), states that are no pairs."""

import heed
import pytest
from heed import nn, optim


def made_without(base, act):
    """Makes a `base` whose __init__() does `act` in the place of calling super().__init__()."""

    class Forgetful(base):
        def __init__(self):
            act(self)

    with pytest.raises(TypeError, match=r"must call super\(\).__init__\(\) first"):
        Forgetful()


@pytest.mark.parametrize("act", [
    lambda m: m.register_buffer("x", heed.ones(2)), lambda m: m.register_parameter("x", heed.ones(2)),
    lambda m: m.add_module("x", nn.ReLU()), lambda m: setattr(m, "x", 1), lambda m: m.x, lambda m: m.eval(),
    lambda m: m.train(), lambda m: m.parameters(), lambda m: m.children(), lambda m: m.named_modules(),
    lambda m: m.state_dict(), lambda m: m.to(heed.float64), lambda m: m.zero_grad(), lambda m: m.path, lambda m: repr(m),
    lambda m: m.register_forward_hook(lambda module, output: None), lambda m: m(heed.ones(2)),
])
def test_modules(act):
    made_without(nn.Module, act)


@pytest.mark.parametrize("act", [lambda m: m.weight, lambda m: m.forward(heed.ones(1, 2)), lambda m: nn.Sequential(m)])
def test_layers(act):
    made_without(nn.Linear, act)


@pytest.mark.parametrize("act", [
    lambda o: o.zero_grad(), lambda o: o.step(), lambda o: setattr(o, "lr", 0.1), lambda o: o.state_dict(),
    lambda o: optim.lr_scheduler.StepLR(o, 3),
])
@pytest.mark.parametrize("base", [optim.SGD, optim.Adam])
def test_optimizers(base, act):
    made_without(base, act)


@pytest.mark.parametrize("act", [
    lambda: heed.Tensor.__new__(heed.Tensor).shape, lambda: heed.ones(2) + heed.Tensor.__new__(heed.Tensor),
    lambda: repr(heed.Tensor.__new__(heed.Tensor)), lambda: nn.Parameter.__new__(nn.Parameter).grad,
    lambda: optim.EMA.__new__(optim.EMA).update(), lambda: heed.Generator.__new__(heed.Generator).get_state(),
    lambda: heed.attention.Mask.__new__(heed.attention.Mask) & heed.attention.Mask.causal(),
])
def test_what_new_alone_gives(act):
    with pytest.raises(TypeError):
        act()


def test_what_is_made_late_works():
    class Late(nn.Linear):
        def __init__(self):
            with pytest.raises(TypeError):
                self.weight
            super().__init__(3, 2)

    assert Late()(heed.ones(5, 3)).shape == (5, 2)


@pytest.mark.parametrize("call", [
    lambda: nn.LSTMCell(2, 3)(heed.ones(1, 2), heed.zeros(2, 1, 3)),
    lambda: nn.LSTM(2, 3)(heed.ones(1, 5, 2), heed.zeros(2, 3)),
    lambda: nn.LSTM(2, 3)(heed.pack(heed.ones(1, 5, 2)), heed.zeros(2, 3)),
    lambda: nn.LSTM(2, 3)(heed.ones(1, 5, 2), (heed.zeros(1, 1, 3), 7)),
    lambda: nn.LSTM(2, 3)(heed.ones(1, 5, 2), (heed.zeros(1, 1, 3),)),
])
def test_the_state_of_an_lstm_is_a_pair(call):
    with pytest.raises(TypeError, match=r"forward\(\): incompatible function arguments"):
        call()


def test_a_pair_may_be_a_list():
    lstm, x, h, c = nn.LSTM(2, 3), heed.randn(1, 5, 2), heed.randn(1, 1, 3), heed.randn(1, 1, 3)
    assert lstm(x, [h, c])[0].equal(lstm(x, (h, c))[0]) and not lstm(x, [h, c])[0].equal(lstm(x)[0])

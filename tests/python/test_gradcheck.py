"""Gradient checks: of functions written in Python, of whole models, of random gradients."""

import heed
import pytest
from heed import attention, nn, stochastic

f64 = heed.float64


def test_a_function_written_in_python():
    x, w = heed.randn(3, 5, dtype=f64), heed.randn(5, 2, dtype=f64)

    def function(x, w):
        y = (x @ w).tanh()
        return y.softmax(-1) * y, y.exp().sum()

    report = heed.gradcheck(function, [x, w])
    assert report and report.ok and report.checked == 25 and report.faulty == 0 and not report.worst
    assert heed.gradgradcheck(function, [x, w])
    assert heed.gradcheck(lambda x: x.sin(), x)


def test_a_wrong_derivative_is_found_and_told():
    class Wrong(heed.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.square()

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * x * 2.001

    report = heed.gradcheck(Wrong.apply, [heed.tensor([1.0, 2.0, 3.0], dtype=f64)])
    assert not report and report.faulty == 3 and report.worst[0].input == "input 0"
    assert "analytic" in report.text() and report.worst[0].analytic != report.worst[0].numeric


def test_a_check_that_proves_nothing_fails():
    report = heed.gradcheck(lambda x: x * 0, [heed.randn(3, dtype=f64)])
    assert not report and report.problem
    assert heed.gradcheck(lambda x: x * 0, [heed.randn(3, dtype=f64)], allow_zero=True)
    with pytest.raises(heed.DTypeError):
        heed.gradcheck(lambda x: x, [heed.randn(3)])


def test_what_the_function_raises_comes_out():
    def broken(x):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        heed.gradcheck(broken, [heed.randn(3, dtype=f64)])


def test_whole_models():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru = nn.GRU(3, 4, dtype=f64)
            self.scale = nn.Parameter(heed.ones(4, dtype=f64))

        def forward(self, x):
            return self.gru(x)[0] * self.scale

    model, x = Model(), heed.randn(2, 5, 3, dtype=f64)
    report = nn.gradcheck(model, x)
    assert report and report.checked == sum(p.numel() for p in model.parameters()) + x.numel()
    assert nn.gradgradcheck(model, x, max_elements=5)
    assert nn.gradcheck(nn.Linear(3, 2, dtype=f64), x)
    with pytest.raises(heed.DTypeError, match="weight"):
        nn.gradcheck(nn.Linear(3, 2), heed.randn(2, 3))


def test_what_gives_more_than_a_tensor():
    x = heed.randn(2, 3, 4, dtype=f64)
    assert nn.gradcheck(nn.LSTM(4, 3, dtype=f64), x)
    heads = attention.MultiHead(4, 2, dtype=f64)
    assert nn.gradcheck(heads, x, x)
    assert nn.gradgradcheck(heads, x, x, max_elements=3)

    def nested(x):
        return x.sin(), [None, {"y": x.exp()}], x > 0

    assert heed.gradcheck(nested, x) and heed.gradgradcheck(nested, x)
    assert heed.gradcheck(lambda x: x.topk(2), heed.tensor([1.0, 3.0, 2.0], dtype=f64))
    for given in (3, None, "y"):
        with pytest.raises(TypeError, match="gradcheck: the function gave .*, no Tensor"):
            heed.gradcheck(lambda x: given, x)


class WrongSquare(heed.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.square()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


def test_all_that_a_model_gives_is_checked():
    class Two(nn.Module):
        def __init__(self, square):
            super().__init__()
            self.a, self.b = (nn.Parameter(heed.randn(3, dtype=f64)) for _ in range(2))
            self.square = square

        def forward(self, x):
            return self.a * x, None, self.square(self.b), self.a.detach(), (self.a * x).float()

    x = heed.randn(3, dtype=f64)
    assert nn.gradcheck(Two(heed.square), x)
    report = nn.gradcheck(Two(WrongSquare.apply), x)
    assert report.faulty == 3 and {fault.input for fault in report.worst} == {"b"}


def test_modes_around_a_check():
    x = heed.randn(3, dtype=f64)
    with heed.no_grad():
        assert heed.gradcheck(lambda x: x * x, x) and heed.gradgradcheck(lambda x: x * x, x)
        assert nn.gradcheck(nn.Linear(3, 2, dtype=f64), x)
    with heed.autograd.inference_mode(), pytest.raises(heed.GradError, match="InferenceMode"):
        heed.gradcheck(lambda x: x * x, x)
    assert "NaN" in heed.gradcheck(lambda x: x / 0 * 0, x).problem


def cost(choices, theta):
    values = heed.tensor([[0.3, -1.0, 2.0]], dtype=f64).expand(theta.size(0), 3)
    return choices.choose(theta).pick_number(values).square()


def test_random_gradients():
    theta = heed.tensor([0.2, -0.4, 0.7], dtype=f64)
    options = dict(resolution=0.05, max_samples=1 << 17)
    for estimator in (stochastic.Reinforce(), stochastic.LeaveOneOut(4)):
        report = heed.stochastic_gradcheck(estimator, cost, theta, **options)
        assert report, report.text()
        assert report.samples > 0 and len(report.reference) == 3
    biased = heed.stochastic_gradcheck(stochastic.Relaxed("straight_through"), cost, theta, **options)
    assert not biased and abs(biased.z) > biased.critical
    assert estimator.name == "leave one out" and estimator.unbiased


def test_draws_of_ones_own():
    mean = heed.tensor([1.0, -2.0], dtype=f64)

    def draw():
        return mean + heed.randn(4096, 2, dtype=f64)

    heed.manual_seed(1)
    assert heed.stochastic_gradcheck(draw, mean, resolution=0.05)
    assert not heed.stochastic_gradcheck(draw, mean + 0.1, resolution=0.05)


def test_exact_expectations():
    theta = heed.tensor([[0.2, -0.4, 0.7]], dtype=f64).requires_grad_()
    exact = stochastic.enumerate(lambda choices: cost(choices, theta))
    expected = (theta.softmax(1) * heed.tensor([0.09, 1, 4], dtype=f64)).sum()
    assert exact.sum().item() == pytest.approx(expected.item())

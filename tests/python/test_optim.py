"""Optimizers and schedules: they learn, have groups and state, and go on to the same bits."""

import heed
import numpy as np
import pytest
from heed import nn, optim

ALL = ["SGD", "Adam", "AdamW", "Lion", "RMSprop", "Adagrad", "Adadelta"]


def problem(seed=1):
    heed.manual_seed(seed)
    model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
    x = heed.randn(64, 3)
    return model, x, (x * heed.tensor([1.0, -2.0, 0.5])).sum(1, keepdim=True)


def step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


@pytest.mark.parametrize("name", ALL)
def test_each_learns(name):
    model, x, y = problem()
    optimizer = getattr(optim, name)(model.parameters(), lr=1.0 if name == "Adadelta" else 0.01)
    losses = [step(model, optimizer, x, y) for _ in range(60)]
    assert losses[-1] < 0.7 * losses[0]


@pytest.mark.parametrize("name", ALL)
def test_a_saved_optimizer_goes_on_to_the_same_bits(name):
    model, x, y = problem()
    optimizer = getattr(optim, name)(model.parameters())
    for _ in range(3):
        step(model, optimizer, x, y)
    saved = {k: v.clone() for k, v in model.state_dict().items()}
    state = {k: v.clone() for k, v in optimizer.state_dict().items()}
    expected = [step(model, optimizer, x, y) for _ in range(3)]
    again, _, _ = problem(5)
    again.load_state_dict(saved)
    other = getattr(optim, name)(again.parameters())
    other.load_state_dict(state)
    assert [step(again, other, x, y) for _ in range(3)] == expected
    again.load_state_dict(saved)
    other.load_state_dict({k: np.array(v) for k, v in state.items()})
    assert [step(again, other, x, y) for _ in range(3)] == expected


def test_sgd_is_its_formula():
    w = nn.Parameter(heed.tensor([1.0, -2.0]))
    sgd = optim.SGD([w], lr=0.1, momentum=0.9)
    expected, b = np.array([1.0, -2.0]), 0
    for _ in range(4):
        sgd.zero_grad()
        (w * w).sum().backward()
        sgd.step()
        b = 0.9 * b + 2 * expected
        expected = expected - 0.1 * b
    np.testing.assert_allclose(w.detach().numpy(), expected, rtol=1e-5)


def test_groups_and_rates():
    a, b = (nn.Parameter(heed.ones(2)) for _ in range(2))
    adam = optim.Adam([{"params": [a], "lr": 0.5}, {"params": b}], lr=0.1, betas=(0.8, 0.9))
    assert adam.group_count == 2 and adam.get_lr(0) == 0.5 and adam.get_lr(1) == 0.1
    adam.set_lr(1, 0.3)
    adam.lr = 0.2
    assert adam.get_lr(0) == adam.get_lr(1) == adam.lr == 0.2
    with pytest.raises(heed.IndexError):
        adam.get_lr(2)
    with pytest.raises(heed.ValueError):
        optim.Adam([])
    with pytest.raises(KeyError):
        optim.Adam([{"lr": 1}])
    with pytest.raises(heed.ValueError):
        optim.SGD([a], lr=-1)
    assert optim.SGD([a], 0.25).lr == 0.25
    assert optim.SGD((p for p in [a, b]), lr=1).group_count == 1


SCHEDULES = [
    ("StepLR", dict(step_size=2, gamma=0.5), [1, 1, 0.5, 0.5, 0.25]),
    ("MultiStepLR", dict(milestones=[1, 3]), [1, 0.1, 0.1, 0.01, 0.01]),
    ("ExponentialLR", dict(gamma=0.5), [1, 0.5, 0.25, 0.125, 0.0625]),
    ("LinearLR", dict(start_factor=0.5, total_iters=2), [0.5, 0.75, 1, 1, 1]),
    ("ConstantLR", dict(factor=0.5, total_iters=2), [0.5, 0.5, 1, 1, 1]),
    ("CosineAnnealingLR", dict(T_max=4), [1, 0.8535533905932737, 0.5, 0.14644660940672624, 0]),
    ("LambdaLR", dict(lr_lambda=lambda t: 1 / (t + 1)), [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]),
    ("NoamLR", dict(width=4, warm_up=2), [0.5 * min((t + 1) ** -0.5, (t + 1) * 2**-1.5) for t in range(5)]),
]


@pytest.mark.parametrize("name, options, expected", SCHEDULES, ids=[s[0] for s in SCHEDULES])
def test_schedules(name, options, expected):
    sgd = optim.SGD([nn.Parameter(heed.ones(1))], lr=1.0)
    schedule = getattr(optim.lr_scheduler, name)(sgd, **options)
    seen = [sgd.lr]
    for _ in range(4):
        schedule.step()
        seen.append(sgd.lr)
    np.testing.assert_allclose(seen, expected, atol=1e-12)
    state = schedule.state_dict()
    other = getattr(optim.lr_scheduler, name)(optim.SGD([nn.Parameter(heed.ones(1))], lr=1.0), **options)
    other.load_state_dict(state)
    assert other.steps == 4


def rates_of(schedule, steps):
    seen = [schedule.get_last_lr()]
    for _ in range(steps):
        schedule.step()
        seen.append(schedule.get_last_lr())
    return np.array(seen).T


def test_schedules_one_after_another_and_at_once():
    a, b = nn.Parameter(heed.ones(1)), nn.Parameter(heed.ones(2))
    lr = optim.lr_scheduler
    sgd = optim.SGD([{"params": [a]}, {"params": [b], "lr": 3.0}], lr=1.0)
    schedule = lr.SequentialLR(sgd, schedulers=[lr.LinearLR(sgd, 0.5, 1, 2), lr.ExponentialLR(sgd, 0.5)],
                               milestones=[2])
    assert [sgd.get_lr(0), sgd.get_lr(1)] == schedule.get_last_lr() == [0.5, 1.5]
    expected = np.array([0.5, 0.75, 1, 0.5, 0.25])
    np.testing.assert_allclose(rates_of(schedule, 4), [expected, 3 * expected], atol=1e-12)
    sgd = optim.SGD([a], lr=1.0)
    schedule = lr.ChainedScheduler(sgd, schedulers=[lr.ConstantLR(sgd, 0.5, 2), lr.ExponentialLR(sgd, 0.5)])
    np.testing.assert_allclose(rates_of(schedule, 3), [[0.5, 0.25, 0.25, 0.125]], atol=1e-12)
    with pytest.raises(heed.ValueError):
        lr.ChainedScheduler(sgd, [])
    with pytest.raises(heed.ValueError):
        lr.SequentialLR(sgd, [lr.ExponentialLR(sgd, 0.5)], [1])


def test_one_cycle_and_plateau():
    sgd = optim.SGD([nn.Parameter(heed.ones(1))], lr=1.0)
    cycle = optim.lr_scheduler.OneCycleLR(sgd, max_lr=2, total_steps=10)
    seen = []
    for _ in range(9):
        seen.append(sgd.lr)
        cycle.step()
    assert max(seen) <= 2 and seen.index(max(seen)) in (2, 3)
    sgd.lr = 1
    plateau = optim.lr_scheduler.ReduceLROnPlateau(sgd, patience=1, factor=0.5)
    for loss in (3, 3, 3):
        plateau.step(loss)
    assert sgd.lr == 0.5 and plateau.best == 3


def test_lbfgs_ema_and_clipping():
    w = nn.Parameter(heed.tensor([3.0, -1.0]))
    lbfgs = optim.LBFGS([w], line_search_fn="strong_wolfe")

    def closure():
        lbfgs.zero_grad()
        loss = ((w - heed.tensor([1.0, 2.0])) ** 2).sum()
        loss.backward()
        return loss

    assert lbfgs.step(closure) == pytest.approx(13)
    np.testing.assert_allclose(w.detach().numpy(), [1, 2], atol=1e-4)
    ema = optim.EMA([w], 0.5)
    with heed.no_grad():
        w.zero_()
    ema.update()
    ema.swap()
    np.testing.assert_allclose(w.detach().numpy(), [0.5, 1], atol=1e-4)
    ema.swap()
    w.grad = heed.tensor([3.0, 4.0])
    assert optim.clip_grad_norm_([w], 1.0) == 5
    np.testing.assert_allclose(w.grad.numpy(), [0.6, 0.8], rtol=1e-6)
    optim.clip_grad_value_([w], 0.7)
    np.testing.assert_allclose(w.grad.numpy(), [0.6, 0.7], rtol=1e-6)


def test_a_closure_of_step_gives_its_loss():
    w = nn.Parameter(heed.ones(1))
    sgd = optim.SGD([w], lr=0.5)

    def closure():
        sgd.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    assert sgd.step(closure).item() == 1 and w.item() == 0


@pytest.mark.parametrize("joined", ["ChainedScheduler", "SequentialLR"])
def test_schedules_are_joined_in_any_order(joined):
    lr = optim.lr_scheduler
    rest = [] if joined == "ChainedScheduler" else [[2]]
    seen = []
    for linear_first in (True, False):
        sgd = optim.SGD([{"params": [nn.Parameter(heed.ones(1))]},
                         {"params": [nn.Parameter(heed.ones(2))], "lr": 3.0}], lr=1.0)
        if linear_first:
            linear, halves = lr.LinearLR(sgd, 0.5, 1, 2), lr.ConstantLR(sgd, 0.25, 3)
        else:
            halves, linear = lr.ConstantLR(sgd, 0.25, 3), lr.LinearLR(sgd, 0.5, 1, 2)
        seen.append(rates_of(getattr(lr, joined)(sgd, [linear, halves], *rest), 4))
    assert np.array_equal(seen[0], seen[1])
    first = 0.125 if joined == "ChainedScheduler" else 0.5
    np.testing.assert_allclose(seen[0][:, 0], [first, 3 * first], atol=1e-12)
    sgd = optim.SGD([nn.Parameter(heed.ones(1))], lr=1.0)
    inner = [lr.ExponentialLR(sgd, 0.5), lr.ConstantLR(sgd, 0.5, 2)]
    chained = lr.ChainedScheduler(sgd, inner[::-1])
    assert getattr(lr, joined)(sgd, [lr.ConstantLR(sgd, 0.5, 2), chained], *rest).get_last_lr() == (
        [0.25] if joined == "ChainedScheduler" else [0.5])
    for schedules in ([None], [inner[0], None]):
        with pytest.raises(TypeError, match=joined):
            getattr(lr, joined)(sgd, schedules, *rest)


def test_words_of_schedules_are_known():
    sgd = optim.SGD([nn.Parameter(heed.ones(1))], lr=1.0)
    with pytest.raises(heed.ValueError, match="anneal_strategy"):
        optim.lr_scheduler.OneCycleLR(sgd, 1.0, 10, anneal_strategy="foo")
    with pytest.raises(heed.ValueError, match="threshold_mode"):
        optim.lr_scheduler.ReduceLROnPlateau(sgd, threshold_mode="foo")
    optim.lr_scheduler.OneCycleLR(sgd, 1.0, 10, anneal_strategy="linear")
    optim.lr_scheduler.ReduceLROnPlateau(sgd, threshold_mode="abs")


def test_one_tensor_is_clipped_and_is_no_list_of_parameters():
    w = nn.Parameter(heed.ones(2))
    w.grad = heed.tensor([3.0, -4.0])
    optim.clip_grad_value_(w, 2)
    assert w.grad.tolist() == [2, -2]
    for make in [getattr(optim, name) for name in ALL] + [optim.LBFGS, lambda p: optim.EMA(p, 0.5)]:
        with pytest.raises(TypeError, match="an iterable of tensors"):
            make(w)
    with pytest.raises(TypeError, match="Tensor is needed, not int"):
        optim.SGD([{"params": [3]}])
    with pytest.raises(TypeError, match="Tensor is needed, not int"):
        optim.SGD([3])
    with pytest.raises(TypeError, match="not both"):
        optim.SGD([{"params": [w]}, w])


def test_parameters_may_have_names():
    model, x, y = problem()
    sgd = optim.SGD(model.named_parameters(), lr=0.1)
    plain, _, _ = problem()
    other = optim.SGD([{"params": plain.parameters()}], lr=0.1)
    assert [step(model, sgd, x, y) for _ in range(3)] == [step(plain, other, x, y) for _ in range(3)]


def test_gradients_are_forgotten_or_zero():
    w, idle = nn.Parameter(heed.ones(3)), nn.Parameter(heed.ones(2))
    sgd = optim.SGD([w, idle], lr=1.0)
    (w * 2).sum().backward()
    sgd.zero_grad(set_to_none=False)
    assert w.grad.tolist() == [0, 0, 0] and idle.grad is None
    sgd.zero_grad()
    assert w.grad is None

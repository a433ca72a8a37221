"""The tape: backward, modes, hooks, functions with derivatives of one's own."""

import gc
import weakref

import heed
import numpy as np
import pytest
from heed.autograd import Function, once_differentiable


def leaf(*shape):
    return heed.randn(*shape, dtype=heed.float64).requires_grad_()


def test_backward_and_grad():
    x = leaf(3, 5)
    (x.exp() * x).sum().backward()
    a = x.detach().numpy()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(a) * (1 + a))
    x.grad = None
    assert x.grad is None
    g = heed.randn(3, 5, dtype=heed.float64)
    (x * x).backward(g)
    np.testing.assert_allclose(x.grad.numpy(), (2 * a * g.numpy()))
    with pytest.raises(heed.GradError):
        (x * x).backward()


def test_grad_gives_a_tuple_and_leaves_grad_alone():
    x, y = leaf(4), leaf(4)
    found = heed.autograd.grad((x**3).sum(), [x, y], create_graph=True)
    assert found[1] is None and x.grad is None
    second, = heed.autograd.grad(found[0].sum(), x)
    np.testing.assert_allclose(second.numpy(), 6 * x.detach().numpy())


def test_modes():
    x = leaf(2)
    with heed.no_grad():
        assert not heed.is_grad_enabled() and not (x * 2).requires_grad
        with heed.enable_grad():
            assert (x * 2).requires_grad
    assert heed.is_grad_enabled()
    with heed.inference_mode(), heed.enable_grad():
        assert not (x * 2).requires_grad
    with heed.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad

    @heed.no_grad()
    def quiet(depth):
        assert not heed.is_grad_enabled()
        return quiet(depth - 1) if depth else x * 2

    assert not quiet(3).requires_grad and heed.is_grad_enabled()
    with pytest.raises(KeyError), heed.no_grad():
        raise KeyError
    assert heed.is_grad_enabled()


def test_hooks():
    x = leaf(3)
    seen = []
    id = x.register_hook(lambda g: seen.append(g.tolist()))
    twice = x.register_hook(lambda g: g * 2)
    x.sum().backward()
    assert seen == [[1, 1, 1]] and x.grad.tolist() == [2, 2, 2]
    x.remove_hook(id), x.remove_hook(twice)
    x.sum().backward()
    assert len(seen) == 1 and x.grad.tolist() == [3, 3, 3]

    def broken(g):
        raise LookupError("of mine")

    x.register_hook(broken)
    with pytest.raises(LookupError, match="of mine"):
        x.sum().backward()


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 3 * g * x * x


class Exp(Function):
    """Keeps its result."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y


class ScaledParts(Function):
    """Several inputs and results, one that is no tensor, one without a gradient."""

    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        ctx.save_for_backward(x, y)
        assert ctx.needs_input_grad == (True, False, True)
        return x * y * factor, (x > y).long(), x + y

    @staticmethod
    def backward(ctx, g, g_mask, h):
        x, y = ctx.saved_tensors
        assert g_mask.dtype == heed.int64
        return g * y * ctx.factor + h, None, g * x * ctx.factor + h


@pytest.mark.parametrize("function", [Cube, Exp])
def test_functions_pass_the_checks_of_both_orders(function):
    x = heed.randn(3, 5, dtype=heed.float64)
    assert heed.gradcheck(function.apply, [x])
    assert heed.gradgradcheck(function.apply, [x])


def test_functions_of_several_inputs_and_results():
    x, y = heed.randn(3, dtype=heed.float64), heed.randn(3, dtype=heed.float64)

    def parts(x, y):
        a, mask, b = ScaledParts.apply(x, 3.0, y)
        assert mask.dtype == heed.int64 and not mask.requires_grad
        return a, b

    assert heed.gradcheck(parts, [x, y]) and heed.gradgradcheck(parts, [x, y])
    only = heed.autograd.grad(ScaledParts.apply(x.requires_grad_(), 2.0, y.requires_grad_())[2].sum(), [x, y])
    assert only[0].tolist() == [1, 1, 1] and only[1].tolist() == [1, 1, 1]


def test_a_write_into_what_was_saved_is_found():
    x = leaf(3)
    y = Cube.apply(x)
    with heed.no_grad():
        x.mul_(2)
    with pytest.raises(heed.GradError, match="Cube"):
        y.sum().backward()


def test_second_pass_over_a_freed_graph():
    y = Cube.apply(leaf(3)).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(heed.GradError):
        y.backward()


def test_once_differentiable_and_wrong_counts():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * 2

    class Short(Once):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

    x = leaf(2)
    Once.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(heed.GradError, match="once_differentiable"):
        heed.autograd.grad(Once.apply(x).sum(), x, create_graph=True)
    with pytest.raises(heed.GradError, match="Short: backward gave 1 gradients for 2"):
        Short.apply(x, x).sum().backward()


def test_errors_in_backward_come_out_as_they_are():
    class Broken(Cube):
        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        Broken.apply(leaf(2)).sum().backward()


@pytest.mark.parametrize("given", [3, None, (1.5,)], ids=str)
def test_what_forward_gives_must_be_tensors(given):
    class Number(Function):
        @staticmethod
        def forward(ctx, x):
            return given

    with pytest.raises(TypeError, match="Number: forward gave .*, not a Tensor"):
        Number.apply(leaf(3))


def test_a_functions_context_goes_with_its_graph():
    contexts = []

    class Watched(Exp):
        @staticmethod
        def forward(ctx, x):
            contexts.append(weakref.ref(ctx))
            return Exp.forward(ctx, x)

    y = Watched.apply(leaf(3)).sum()
    gc.collect()
    assert contexts[0]() is not None
    del y
    gc.collect()
    assert contexts[0]() is None


def test_derivatives_of_functions():
    x, v = heed.randn(4, dtype=heed.float64), heed.randn(4, dtype=heed.float64)
    a = x.numpy()
    np.testing.assert_allclose(heed.autograd.jacobian(lambda x: x * x, x).numpy(), np.diag(2 * a))
    np.testing.assert_allclose(heed.autograd.hessian(lambda x: (x**3).sum(), x).numpy(), np.diag(6 * a))
    value, product = heed.autograd.hvp(lambda x: (x**3).sum(), x, v)
    np.testing.assert_allclose(product.numpy(), 6 * a * v.numpy())
    np.testing.assert_allclose(heed.autograd.jvp(lambda x: x.exp(), x, v)[1].numpy(), np.exp(a) * v.numpy())
    np.testing.assert_allclose(heed.autograd.vjp(lambda x: x.exp(), x, v)[1].numpy(), np.exp(a) * v.numpy())
    both = heed.autograd.jacobian(lambda x, y: x * y, [x, v])
    np.testing.assert_allclose(both[1].numpy(), np.diag(a))
    with pytest.raises(TypeError, match="gave 3, not a Tensor"):
        heed.autograd.jacobian(lambda x: 3, x)


def test_checkpoint_gives_the_same_bits():
    x, y = leaf(3, 5), leaf(5, 3)

    def block(x, y):
        return (x @ y).tanh() @ x

    block(x, y).sum().backward()
    plain = x.grad, y.grad
    x.grad = y.grad = None
    heed.checkpoint(block, x, y).sum().backward()
    assert x.grad.equal(plain[0]) and y.grad.equal(plain[1])


def test_checkpoint_passes_on_what_is_no_tensor():
    x, y = leaf(3), leaf(3)
    heed.checkpoint(lambda n, x, how, y: x**n * y if how == "power" else x, 3, x, "power", y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), (3 * x.detach() ** 2 * y.detach()).numpy())
    np.testing.assert_allclose(y.grad.numpy(), (x.detach() ** 3).numpy())


def test_a_decorator_switches_for_its_function_alone():
    for on in (False, True):
        with heed.enable_grad() if not on else heed.no_grad():

            @heed.set_grad_enabled(on)
            def inside():
                return heed.is_grad_enabled()

            assert heed.is_grad_enabled() is not on
            assert inside() is on and heed.is_grad_enabled() is not on


def test_a_mode_is_a_generators_while_it_runs():
    @heed.no_grad()
    def counting():
        seen = []
        try:
            for place in range(3):
                assert not heed.is_grad_enabled()
                seen.append((yield place))
            return seen
        finally:
            assert not heed.is_grad_enabled()

    running = counting()
    assert next(running) == 0 and heed.is_grad_enabled() and running.send("a") == 1
    running.close()
    assert heed.is_grad_enabled() and list(counting()) == [0, 1, 2]

    def whole():
        return (yield from counting())

    running = whole()
    for place in range(3):
        running.send(place or None)
    with pytest.raises(StopIteration) as end:
        running.send("last")
    assert end.value.value == [1, 2, "last"] and heed.is_grad_enabled()

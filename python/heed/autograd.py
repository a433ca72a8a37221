"""The tape: grad modes, derivatives of functions, and functions with derivatives of one's own."""

import contextlib
import functools
import inspect

from . import _heed
from ._heed import GradError, Tensor, is_grad_enabled, zeros
from ._heed._autograd import backward, grad, hessian, hvp, jacobian, jvp, vjp

__all__ = [
    "Function", "RemovableHandle", "backward", "detect_anomaly", "enable_grad", "grad", "hessian", "hvp", "inference_mode",
    "jacobian", "jvp", "no_grad", "once_differentiable", "set_grad_enabled", "vjp",
]


class _Mode(contextlib.ContextDecorator):
    """For a scope, or for each call of a function; of a generator while it runs, not while it waits."""

    def __call__(self, function):
        if not inspect.isgeneratorfunction(function):
            return super().__call__(function)

        @functools.wraps(function)
        def within(*args, **kwargs):
            generator = function(*args, **kwargs)
            go, given = generator.send, (None,)
            try:
                while True:
                    with self._recreate_cm():
                        value = go(*given)
                    try:
                        go, given = generator.send, ((yield value),)
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        go, given = generator.throw, (error,)
            except StopIteration as end:
                return end.value
            finally:
                with self._recreate_cm():
                    generator.close()

        return within


class _GradMode(_Mode):
    """Sets on this thread, for a scope or a function, whether operators are recorded."""

    _on = False

    def _recreate_cm(self):
        return type(self)()

    def __enter__(self):
        self._before = _heed._set_grad(self._on)
        return self

    def __exit__(self, *error):
        _heed._set_grad(self._before)


class _Bare(_Mode):
    """A decorator with brackets or without."""

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(_Bare, _GradMode):
    """Nothing is recorded meanwhile: `with heed.no_grad():`, or `@heed.no_grad`."""


class enable_grad(_Bare, _GradMode):
    """Recording again, inside of a no_grad()."""

    _on = True


class set_grad_enabled(_GradMode):
    """Recording or not, at once; as a scope until its end."""

    def __init__(self, mode):
        self._on = mode
        self._before = _heed._set_grad(mode)

    def __call__(self, function):
        _heed._set_grad(self._before)  # a decorator is for the calls of its function alone
        return super().__call__(function)

    def _recreate_cm(self):
        return type(self)(self._on)

    def __enter__(self):
        return self


class inference_mode(_Bare):
    """Nothing is recorded meanwhile, not even under enable_grad()."""

    def _recreate_cm(self):
        return type(self)()

    def __enter__(self):
        self._before = _heed._set_inference(True), _heed._set_grad(False)
        return self

    def __exit__(self, *error):
        _heed._set_inference(self._before[0])
        _heed._set_grad(self._before[1])


class detect_anomaly(_Mode):
    """Raises AnomalyError for the first NaN (or infinity) in a result or a gradient. Slow."""

    def __init__(self, infinities=True):
        self._infinities = infinities

    def _recreate_cm(self):
        return type(self)(self._infinities)

    def __enter__(self):
        self._scope = _heed._DetectAnomaly(self._infinities)
        return self

    def __exit__(self, *error):
        del self._scope


class RemovableHandle(int):
    """What registering a hook gives: its id, as remove_hook() takes it, and remove() for the same."""

    def __new__(cls, id, owner):
        handle = super().__new__(cls, id)
        handle._owner = owner
        return handle

    def remove(self):
        """Once; again nothing happens."""
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.remove_hook(self)


class FunctionContext:
    """What a Function's forward leaves for its backward."""

    def __init__(self, inputs):
        self._inputs = inputs
        self._kept = ()
        #: For each argument of forward, whether its gradient is wanted.
        self.needs_input_grad = tuple(isinstance(x, Tensor) and x.requires_grad for x in inputs)

    def save_for_backward(self, *tensors):
        """Keeps inputs or results; a write into one before the backward pass is a GradError there."""
        self._kept = tensors

    @property
    def saved_tensors(self):
        return tuple(None if kept is None else kept() for kept in self._kept)

    def _settle(self, outputs):
        def settled(tensor):
            if tensor is None:
                return None
            for number, output in enumerate(outputs):
                if tensor.is_same(output):
                    return _heed._SavedOutput(tensor, number)
            return _heed._Saved(tensor)

        self._kept = tuple(settled(tensor) for tensor in self._kept)
        del self._inputs


class Function:
    """A differentiable function of one's own, as in PyTorch: forward(ctx, *args) computes, unrecorded;
    backward(ctx, *gradients) gives one gradient for each of args, None where there is none. Written with
    operators, backward can be differentiated again; else see once_differentiable. Call Function.apply(*args)."""

    @staticmethod
    def forward(ctx, *args):
        raise NotImplementedError

    @staticmethod
    def backward(ctx, *gradients):
        raise NotImplementedError

    @classmethod
    def apply(cls, *args):
        ctx = FunctionContext(args)
        with no_grad():
            given = cls.forward(ctx, *args)
        results = list(given) if isinstance(given, (tuple, list)) else [given]
        for result in results:
            if not isinstance(result, Tensor):
                raise TypeError(f"{cls.__name__}: forward gave {result!r}, not a Tensor")
        floating = [i for i, result in enumerate(results) if result.is_floating_point()]
        outputs = [results[i] for i in floating]
        ctx._settle(outputs)
        places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        count, kinds = len(args), [(result.shape, result.dtype) for result in results]

        def rule(gradients):
            of = dict(zip(floating, gradients))
            filled = [of.get(i) if of.get(i) is not None else zeros(shape, dtype=dtype)
                      for i, (shape, dtype) in enumerate(kinds)]
            found = cls.backward(ctx, *filled)
            found = list(found) if isinstance(found, (tuple, list)) else [found]
            if len(found) != count:
                raise GradError(f"{cls.__name__}: backward gave {len(found)} gradients "
                                f"for {count} arguments of forward")
            for gradient in (found[i] for i in places):
                if not isinstance(gradient, (Tensor, type(None))):
                    raise TypeError(f"{cls.__name__}: backward gave a {type(gradient).__name__}, "
                                    "not a Tensor or None")
            return [found[i] for i in places]

        made = _heed._record(cls.__name__, [args[i] for i in places], outputs, rule)
        for i, result in zip(floating, made):
            results[i] = result
        return type(given)(results) if isinstance(given, (tuple, list)) else results[0]


def once_differentiable(backward):
    """Marks a Function's backward that cannot be differentiated: create_graph is a GradError then."""

    @functools.wraps(backward)
    def refusing(ctx, *gradients):
        if is_grad_enabled():
            raise GradError(f"{backward.__qualname__}: it is once_differentiable, create_graph is refused")
        return backward(ctx, *gradients)

    return refusing

"""Gradients through random choices: costs, estimators, the exact expectation."""

# Written by python/make_stubs.py; do not edit.
from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, object as _object, str as _str
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, overload

import builtins
import contextlib
import heed


class Choice:
    """One among the places of logits, hard or soft."""
    @property
    def index(self) -> heed.Tensor: ...
    @property
    def is_hard(self) -> _bool: ...
    def pick(self, values: heed.Tensor) -> heed.Tensor: ...
    def pick_number(self, values: heed.Tensor) -> heed.Tensor: ...
    @property
    def weights(self) -> heed.Tensor: ...

class Choices:
    """What a cost is given: choose(logits) as often as it likes."""
    def choose(self, logits: heed.Tensor) -> heed.stochastic.Choice: ...

class Enumeration(heed.stochastic.Estimator):
    """The exact gradient."""
    def __init__(self) -> None: ...

class Estimator:
    """estimator(cost) gives what backward() is called on."""
    def __call__(self, cost: Callable[..., Any]) -> heed.Tensor: ...
    @property
    def name(self) -> _str: ...
    def parameters(self) -> List[heed.Tensor]: ...
    @property
    def unbiased(self) -> _bool: ...

class ExpectedChoices(heed.stochastic.Choices):
    def __init__(self) -> None: ...

class GreedyChoices(heed.stochastic.Choices):
    def __init__(self) -> None: ...

class LeaveOneOut(heed.stochastic.Estimator):
    """Kool et al. 2019."""
    def __init__(self, samples: _int) -> None: ...

class MovingAverageReinforce(heed.stochastic.Estimator):
    def __init__(self, decay: _float = ...) -> None: ...

class Rebar(heed.stochastic.Estimator):
    """Tucker et al. 2017."""
    def __init__(self, tau: _float = ..., eta: _float = ...) -> None: ...

class Reinforce(heed.stochastic.Estimator):
    """Williams 1992."""
    def __init__(self) -> None: ...

class Relaxed(heed.stochastic.Estimator):
    """Biased: Jang et al. 2017, Maddison et al. 2017."""
    def __init__(self, kind: _str, tau: _float = ...) -> None: ...

class RelaxedChoices(heed.stochastic.Choices):
    def __init__(self, kind: _str, tau: _float = ...) -> None: ...

class SelfCritical(heed.stochastic.Estimator):
    """Rennie et al. 2017."""
    def __init__(self) -> None: ...

class SoftBaseline(heed.stochastic.Estimator):
    """Deng et al. 2018."""
    def __init__(self) -> None: ...

class Vimco(heed.stochastic.Estimator):
    """Mnih & Rezende 2016."""
    def __init__(self, samples: _int) -> None: ...

def enumerate(cost: Callable[..., Any], batch_axes: _int = ..., limit: _int = ...) -> heed.Tensor:
    """The exact expectation."""
    ...
@overload
def stochastic_gradcheck(draw: Callable[..., Any], reference: heed.Tensor, **kwargs: Any) -> heed.StochasticGradcheckReport:
    """Whether the mean of draw()'s estimates [n, ..] is the reference, by z-tests at doubling sizes."""
    ...
@overload
def stochastic_gradcheck(estimator: heed.stochastic.Estimator, cost: Callable[..., Any], theta: heed.Tensor, reference: Optional[heed.Tensor] = ..., **kwargs: Any) -> heed.StochasticGradcheckReport:
    """The estimator's gradient of theta, of cost(choices, theta) [N], against the exact one."""
    ...

"""Learning rates over time."""

# Written by python/make_stubs.py; do not edit.
from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, object as _object, str as _str
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import builtins
import contextlib
import heed


class ChainedScheduler(heed.optim.lr_scheduler.LRScheduler):
    """All at once: factors multiply. Its schedules take no steps."""
    def __init__(self, optimizer: heed.optim.Optimizer, schedulers: Sequence[heed.optim.lr_scheduler.LRScheduler]) -> None: ...

class ConstantLR(heed.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer: heed.optim.Optimizer, factor: _float = ..., total_iters: _int = ...) -> None: ...

class CosineAnnealingLR(heed.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer: heed.optim.Optimizer, T_max: _int, eta_min: _float = ...) -> None: ...

class ExponentialLR(heed.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer: heed.optim.Optimizer, gamma: _float) -> None: ...

class LRScheduler:
    """Sets rate(t) after t calls of step()."""
    def get_last_lr(self) -> List[_float]: ...
    def load_state_dict(self, state_dict: Dict[Any, Any]) -> None: ...
    def state_dict(self) -> Dict[Any, Any]: ...
    def step(self) -> None: ...  # type: ignore[override]
    @property
    def steps(self) -> _int: ...

class LambdaLR(heed.optim.lr_scheduler.LRScheduler):
    """lr factor(t)"""
    def __init__(self, optimizer: heed.optim.Optimizer, lr_lambda: Callable[..., Any]) -> None: ...

class LinearLR(heed.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer: heed.optim.Optimizer, start_factor: _float = ..., end_factor: _float = ..., total_iters: _int = ...) -> None: ...

class MultiStepLR(heed.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer: heed.optim.Optimizer, milestones: Union[_int, Sequence[_int]], gamma: _float = ...) -> None: ...

class NoamLR(heed.optim.lr_scheduler.LRScheduler):
    """As of the Transformer (Vaswani et al. 2017)."""
    def __init__(self, optimizer: heed.optim.Optimizer, width: _int, warm_up: _int) -> None: ...

class OneCycleLR(heed.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer: heed.optim.Optimizer, max_lr: _float, total_steps: _int, *, pct_start: _float = ..., div_factor: _float = ..., final_div_factor: _float = ..., anneal_strategy: _str = ..., three_phase: _bool = ...) -> None: ...

class ReduceLROnPlateau:
    """Lowers the rates when a number stops to improve."""
    def __init__(self, optimizer: heed.optim.Optimizer, mode: _str = ..., factor: _float = ..., patience: _int = ..., threshold: _float = ..., threshold_mode: _str = ..., cooldown: _int = ..., min_lr: _float = ..., eps: _float = ...) -> None: ...
    @property
    def best(self) -> _float: ...
    def load_state_dict(self, state_dict: Dict[Any, Any]) -> None: ...
    def state_dict(self) -> Dict[Any, Any]: ...
    def step(self, metrics: _float) -> None: ...  # type: ignore[override]

class SequentialLR(heed.optim.lr_scheduler.LRScheduler):
    """One after another, each with its own step 0 at its milestone. Its schedules take no steps."""
    def __init__(self, optimizer: heed.optim.Optimizer, schedulers: Sequence[heed.optim.lr_scheduler.LRScheduler], milestones: Union[_int, Sequence[_int]]) -> None: ...

class StepLR(heed.optim.lr_scheduler.LRScheduler):
    def __init__(self, optimizer: heed.optim.Optimizer, step_size: _int, gamma: _float = ...) -> None: ...


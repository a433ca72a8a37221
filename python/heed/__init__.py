"""heed: tensors with a reverse-mode tape, layers, and the family of attention mechanisms.

Names are PyTorch's where PyTorch has the thing. docs/python.md tells what is there and what is shared.
"""

from . import _heed
from ._heed import *  # noqa: F403

from ._heed import _IncompatibleKeys, _Picked  # noqa: F401  where pickle looks for them
from . import attention, autograd, io, nn, optim, stochastic  # noqa: E402
from .autograd import (  # noqa: E402
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)

__version__ = _heed.__version__


def _unpickle(*parts):
    return _heed._unpickle(*parts)


def _name_modules():
    """Classes and functions say where a user finds them."""
    parts = {
        "heed": _heed, "heed.nn": _heed._nn, "heed.nn.functional": _heed._nn._functional,
        "heed.nn.init": _heed._nn._init, "heed.nn.utils.rnn": _heed._nn._rnn, "heed.attention": _heed._attention, "heed.optim": _heed._optim,
        "heed.optim.lr_scheduler": _heed._optim._lr_scheduler, "heed.io": _heed._io,
        "heed.stochastic": _heed._stochastic, "heed.autograd": _heed._autograd,
    }
    for name, part in parts.items():
        for thing in vars(part).values():
            if isinstance(thing, type) and thing.__module__.startswith("heed._heed"):
                thing.__module__ = name


_name_modules()

"""Layers, losses, containers; modules of one's own derive from Module."""

from .._heed._nn import *  # noqa: F403
from .._heed._optim import clip_grad_norm_, clip_grad_value_  # noqa: F401
from . import functional, init, utils  # noqa: F401
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential  # noqa: F401

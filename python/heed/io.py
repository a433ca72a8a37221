"""Files: safetensors, NumPy's, PyTorch's and llama.cpp's; modules and trainings by their state."""

from ._heed._io import *  # noqa: F403

"""`pip install ./python` and `cmake --install` give a package that works by itself."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import heed
import pytest

PYTHON = Path(__file__).resolve().parents[2] / "python"
PROGRAM = """
import os, sys
import heed
from heed import nn
print(os.path.dirname(heed.__file__))
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
adam = heed.optim.Adam(model.parameters(), lr=0.1)
x = heed.randn(32, 3)
losses = []
for _ in range(50):
    adam.zero_grad()
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    loss.backward()
    adam.step()
    losses.append(loss.item())
assert losses[-1] < losses[0] / 2
"""


def run_in(folder):
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=folder,
                          env=os.environ | {"PYTHONPATH": str(folder)})
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == folder / "heed"
    for name in ("py.typed", "__init__.pyi", "nn/__init__.pyi", "nn/functional.pyi", "attention.pyi", "optim/__init__.pyi"):
        assert (folder / "heed" / name).exists(), name


# --no-index: there is nothing that pip would have to fetch.
def test_pip(tmp_path):
    pytest.importorskip("pip", reason="python3-pip is not installed")
    shutil.copytree(PYTHON, tmp_path / "python", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--disable-pip-version-check", "--target", tmp_path / "there", tmp_path / "python"],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": ""})
    assert done.returncode == 0, done.stderr
    run_in(tmp_path / "there")
    assert list((tmp_path / "there").glob(f"heed-{heed.__version__}.dist-info"))


def test_cmake(tmp_path):
    done = subprocess.run(["cmake", "--install", os.environ["HEED_BUILD"], "--component", "python", "--prefix", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    run_in(next(tmp_path.glob("lib/python3*/site-packages")))

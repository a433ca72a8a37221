"""python/examples runs, and agrees with PyTorch where that is installed."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "python" / "examples"


def test_attention_agrees_with_pytorchs():
    done = subprocess.run([sys.executable, EXAMPLES / "attention.py"], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gradgradcheck: " in done.stdout and ("largest difference" in done.stdout or "no comparison" in done.stdout)

"""The Python code of the guides runs as it stands there."""

import os
import re
from pathlib import Path

import heed
import pytest
from heed import nn

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.S)


def test_the_python_page():
    code = blocks("python.md")
    assert len(code) == 6
    q, k, v = (heed.randn(2, 8, n, 11) for n in (7, 7, 7))
    names = {"q": q, "k": k, "v": v, "x": heed.randn(2, 5, 64)}
    attending = dict(names)
    exec(code[2], attending)
    exec(code[3], attending)
    attending["context"].sum().backward()
    assert attending["slopes"].grad.shape == (8,)
    exec(code[4], attending)
    assert attending["seen"].weights.shape == (6, 2)
    exec(code[5], attending)
    assert attending["seen"].shape == (14, 64) and attending["padded"].shape == (4, 7, 64)
    for block in code[:2]:
        exec(block, names)
    assert names["loss"].item() < 1
    tagger = names["Tagger"](17, 5)
    assert tagger(heed.randint(17, (3, 7)), [7, 2, 5]).shape == (3, 7, 5)


def test_the_page_of_models_and_files(tmp_path):
    np = pytest.importorskip("numpy")
    code, = blocks("interop.md")
    model = nn.Linear(3, 2)
    os.chdir(tmp_path)
    heed.io.save(model, "model.safetensors")
    names = {"heed": heed, "a": np.ones(3), "torch_tensor": np.ones(3), "model": model}
    exec(code, names)
    assert names["x"].tolist() == names["y"].tolist() == [1, 1, 1]

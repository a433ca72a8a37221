"""The stubs in python/heed say what the module says; make_stubs.py writes them."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[2] / "python"


def made():
    spec = importlib.util.spec_from_file_location("make_stubs", PYTHON / "make_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STUBS = made().stubs()


@pytest.mark.parametrize("name", STUBS)
def test_each_is_as_it_would_be_written_now(name):
    text = STUBS[name]
    ast.parse(text)
    assert (PYTHON / "heed" / name).read_text() == text, "run python/make_stubs.py python/heed"
    assert "::" not in text and " at 0x" not in text


def test_there_are_no_others():
    there = {str(path.relative_to(PYTHON / "heed")) for path in (PYTHON / "heed").rglob("*.pyi")}
    assert there == set(STUBS) and (PYTHON / "heed" / "py.typed").exists()


PROGRAM = """
import heed
from heed import nn
from heed.attention import Mask, MultiHead

class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 4)
        self.attend = MultiHead(4, heads=2)

    def forward(self, x: heed.Tensor) -> heed.Tensor:
        return self.attend(self.layer(x), mask=Mask.causal()).context + 1

model = Model()
adam = heed.optim.Adam(model.parameters(), lr=0.1)
with heed.no_grad():
    y: heed.Tensor = model(heed.zeros(2, 3, 3))[..., 0].sum(dim=(0, 1))
reveal_type(heed.ones(2) @ heed.ones(2))
reveal_type(y.max(dim=0).values)
reveal_type(model.layer.weight)
y.no_such_thing()
heed.exp("text")
"""


def test_a_type_checker_reads_them(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", "program.py"], cwd=tmp_path,
                          capture_output=True, text=True, env={"MYPYPATH": str(PYTHON), "PATH": ""})
    lines = done.stdout.splitlines()
    assert [line.split(": ", 1)[1] for line in lines if "Revealed" in line] == [
        'note: Revealed type is "heed.Tensor"', 'note: Revealed type is "heed.Tensor"',
        'note: Revealed type is "heed.Tensor"'], done.stdout
    errors = [line for line in lines if ": error: " in line]
    assert len(errors) == 2 and "no_such_thing" in errors[0] and "exp" in errors[1], done.stdout

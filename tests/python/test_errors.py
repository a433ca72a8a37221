"""heed's tree of errors, as exceptions that Python programmers catch."""

import builtins
import errno

import heed
import pytest

TREE = {
    "ShapeError": builtins.ValueError, "DTypeError": TypeError, "IndexError": builtins.IndexError,
    "ValueError": builtins.ValueError, "GradError": RuntimeError, "FormatError": builtins.ValueError,
    "IoError": OSError, "OutOfMemory": MemoryError, "AnomalyError": ArithmeticError,
}


@pytest.mark.parametrize("name", TREE)
def test_each_is_an_error_of_heed_and_of_python(name):
    error = getattr(heed, name)
    assert issubclass(error, heed.Error) and issubclass(error, TREE[name])
    assert error.__module__ == "heed" and error.__doc__


def test_texts_are_the_librarys():
    with pytest.raises(heed.ShapeError) as caught:
        heed.zeros(32, 128, 64) @ heed.zeros(32, 48, 96)
    assert str(caught.value) == ("matmul: inner sizes differ: a is f32[32, 128, 64], b is f32[32, 48, 96]; "
                                 "a's last (64) must equal b's second to last (48)")


def test_each_is_thrown(tmp_path):
    with pytest.raises(heed.DTypeError):
        heed.exp(heed.arange(3))
    with pytest.raises(heed.IndexError):
        heed.zeros(3)[3]
    with pytest.raises(heed.ValueError):
        heed.nn.Dropout(2)
    with pytest.raises(heed.GradError):
        heed.ones(1).backward()
    with pytest.raises(heed.OutOfMemory):
        heed.zeros(1 << 30, 1 << 30)
    with heed.detect_anomaly(), pytest.raises(heed.AnomalyError, match="log"):
        heed.log(heed.tensor([-1.0]))
    with pytest.raises(heed.IoError) as caught:
        heed.io.load_file(tmp_path / "none")
    assert caught.value.errno == errno.ENOENT and caught.value.filename == str(tmp_path / "none")
    assert str(caught.value) == f"{tmp_path / 'none'}: cannot open: No such file or directory"
    assert caught.value.strerror == "No such file or directory"
    (tmp_path / "bad").write_bytes(b"\x05\0\0\0\0\0\0\0{}")
    with pytest.raises(heed.FormatError) as caught:
        heed.io.load_file(tmp_path / "bad")
    assert caught.value.path == str(tmp_path / "bad") and caught.value.offset >= 0


def test_none_is_no_operand():
    with pytest.raises(heed.GradError, match="exp"):
        heed.exp(None)
    with pytest.raises(TypeError):
        heed.zeros(3) + None


def test_errors_name_the_layer_they_came_from():
    class Model(heed.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = heed.nn.Sequential(heed.nn.Linear(3, 4), heed.nn.Linear(5, 6))

        def forward(self, x):
            return self.encoder(x)

    with pytest.raises(heed.ShapeError, match=r"^encoder\.1: linear: "):
        Model()(heed.zeros(2, 3))


def test_unknown_names_and_options():
    with pytest.raises(heed.ValueError, match='"average" is none of none, mean, sum'):
        heed.nn.MSELoss(reduction="average")
    with pytest.raises(TypeError, match="no option 'lrr'"):
        heed.optim.Adam([heed.ones(1, requires_grad=True)], lrr=1)
    with pytest.raises(TypeError, match="no option 'heds'"):
        heed.attention.TransformerEncoderLayer(heds=1)
    with pytest.raises(TypeError, match="is no heads"):
        heed.attention.TransformerEncoderLayer(heads="many")


def test_values_of_other_types():
    x = heed.ones(2, requires_grad=True)
    sgd = heed.optim.SGD([x], lr=1.0)

    def hooked():
        y = x * 2
        y.register_hook(lambda g: 3)
        y.sum().backward()

    class Odd(heed.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return "text"

    tensor = "Tensor is needed, not "
    for call, text in [
        (lambda: x.to(3), "takes a dtype of heed or a tensor, not 3"), (lambda: heed.einsum("ij", 3), tensor + "int"),
        (lambda: heed.checkpoint(lambda y: y, 3), "the function gave 3, not a Tensor"), (lambda: heed.autograd.grad(3, x), "int"),
        (hooked, tensor + "int"), (lambda: Odd.apply(x).sum().backward(), "Odd: backward gave a str"),
        (lambda: heed.optim.lr_scheduler.LambdaLR(sgd, lambda t: "text"), "float is needed, not str"),
        (lambda: heed.optim.LBFGS([x]).step(lambda: 3), tensor + "int"),
        (lambda: heed.io.save_file({3: x.detach()}, "no"), "str is needed, not int"),
        (lambda: heed.io.save_file({"\udc80": x.detach()}, "no"), "other characters"),
        (lambda: heed.attention.Hierarchical([{"width": 2, "encode": lambda y, lengths: (y, y)}, {"width": 2}])(
            heed.ones(3, 5, 2), [[5, 2, 3], [2, 1]]), tensor + "tuple"),
        (lambda: heed.attention.write_while_reading(lambda: False, lambda *of: "text", 0, 3), "int or None"),
        (lambda: heed.attention.AdaptiveComputation(state=2, cell=lambda y, s: "text", max_steps=2)(heed.ones(1, 3, 2)),
         tensor + "str"),
    ]:
        with pytest.raises(TypeError, match=text) as caught:
            call()
        assert "\n" not in str(caught.value) and "::" not in str(caught.value) and "C++" not in str(caught.value)

"""What a call of a module tells its hooks, and modes by overrides of train()."""

import gc
import os
import subprocess
import sys
import weakref

import heed
import pytest
from heed import attention, nn


def watched(module):
    """The module, and the list of what its forward hook sees."""
    seen = []
    module.register_forward_hook(lambda _, output: seen.append(output))
    return module, seen


def test_results_of_any_type_reach_the_hook():
    class Two(nn.Module):
        def forward(self, x):
            return x, {"twice": x * 2}

    model, seen = watched(Two())
    model.register_forward_hook(lambda _, output: (output[0] + 1, output[1]))
    x = heed.randn(3)
    y, more = model(x)
    assert len(seen) == 1 and seen[0][0].is_same(x) and seen[0][1] is more and y.equal(x + 1)

    class Named(nn.Module):
        def forward(self, x):
            return {"x": x}

    model, seen = watched(Named())
    assert model(x) is seen[0]


def test_an_override_of_a_layer_gives_the_final_result_once():
    class Alone(nn.Linear):
        def forward(self, x):
            return x @ self.weight.t()

    class Scaled(nn.Linear):
        def forward(self, x):
            return super().forward(x) * 100 + super().forward(x)

    class Again(nn.Linear):
        def forward(self, x, times=2):
            return super().forward(x) if times == 0 else self(x, times - 1) + 1

    class Plain(nn.Linear):
        pass

    x = heed.randn(5, 3)
    for made, calls in ((Alone, 1), (Scaled, 1), (Again, 3), (Plain, 1), (nn.Linear, 1)):
        layer, seen = watched(made(3, 2))
        out = nn.Sequential(layer)(x)
        assert len(seen) == calls and seen[-1].equal(out), made.__name__
        out.sum().backward()
        replaced = layer.register_forward_hook(lambda _, output: output * 0)
        assert layer(x).abs().sum().item() == 0 or made is Again
        layer.remove_hook(replaced)

    # Of a layer of layers, too, whose hook counts as called.
    class Around(heed.attention.MultiHead):
        def forward(self, x):
            return super().forward(x)

    class Instead(heed.attention.MultiHead):
        def forward(self, x):
            return self.out_proj(x)

    for made in (Around, Instead):
        layer, seen = watched(made(width=8, heads=2))
        out = layer(heed.randn(2, 3, 8))
        assert len(seen) == 1, made.__name__
        (out if made is Instead else out.context).sum().backward()
        layer.eval()

    class Whole(nn.LSTM):
        def forward(self, x):
            return super().forward(x)

    for made, kind in ((Whole, tuple), (nn.LSTM, heed.Tensor)):
        layer, seen = watched(made(3, 2))
        layer(heed.randn(1, 5, 3))
        assert [type(output) for output in seen] == [kind]


def test_an_error_in_an_override_leaves_the_hooks_on():
    class Failing(nn.Linear):
        fails = True

        def forward(self, x):
            out = super().forward(x)
            if self.fails:
                raise RuntimeError("enough")
            return out

    layer, seen = watched(Failing(3, 2))
    with pytest.raises(RuntimeError, match="enough"):
        layer(heed.ones(1, 3))
    nn.Linear.forward(layer, heed.ones(1, 3))
    assert len(seen) == 1
    layer.fails = False
    layer(heed.ones(1, 3))
    assert len(seen) == 2


def test_what_a_hook_keeps_is_the_module():
    seen = []
    layer = nn.Linear(3, 2)
    layer.register_forward_hook(lambda module, output: seen.append(module))
    layer(heed.ones(1, 3))
    assert seen[0] is layer and seen[0].children() == [] and nn.Sequential(seen[0])[0] is layer
    del layer
    gc.collect()
    assert seen[0].parameter_count() == 8

    encoder = attention.TransformerEncoder(2, width=6, heads=2, hidden=7)
    encoder.layers[1].norm1.register_forward_hook(lambda module, output: seen.append(module))
    encoder(heed.ones(1, 5, 6))
    del encoder
    gc.collect()
    assert seen[1].path == "layers.1.norm1" and len(seen[1].named_modules()) == 1


def test_a_hook_does_not_keep_its_module():
    class Model(nn.Module):
        pass

    model = Model()
    model.register_forward_hook(lambda module, output: None)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_train_reaches_overrides():
    class Frozen(nn.BatchNorm1d):
        def train(self, mode=True):
            return super().train(False)

    model = nn.Sequential(nn.Linear(3, 2), nn.Sequential(Frozen(2), nn.Dropout(0.5)))
    for _ in range(2):
        assert model.train() is model
        assert [m.training for m in model.modules()] == [True, True, True, False, True]
        assert model.eval() is model and not any(m.training for m in model.modules())
    encoder = attention.TransformerEncoder(2, width=6, heads=2, hidden=7)
    assert not any(m.training for m in encoder.eval().modules())
    assert all(m.training for m in encoder.train().modules())


DROPPED = """
import gc, heed
from heed import attention, nn
class Root(nn.Module): pass
root = Root()
root.enc = attention.TransformerEncoder(2, width=6, heads=2, hidden=7)
kept = [m for name, m in root.named_modules() if name.endswith("self_attn")]
count = [m.parameter_count() for m in kept]
del root.enc
gc.collect()
print([m.parameter_count() for m in kept] == count, [repr(m).split()[0] for m in kept])
"""


def test_a_module_that_a_walk_gave_outlives_its_place():
    done = subprocess.run([sys.executable, "-c", DROPPED], capture_output=True, text=True, timeout=120,
                          env=os.environ | {"MALLOC_PERTURB_": "165"})
    assert done.returncode == 0 and done.stdout == "True ['MultiHead', 'MultiHead']\n", done.stdout + done.stderr

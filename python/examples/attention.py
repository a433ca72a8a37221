"""Attention here and in PyTorch, from the same numbers: value, first and second derivative.

    PYTHONPATH=build/dev/python python3 python/examples/attention.py

It reads like a notebook: each part says what it does and prints what came out. Without PyTorch (Debian's
python3-torch) it says so, and compares with central differences alone.
"""

import sys
import time

import heed
from heed import attention
from heed.attention import Mask

try:
    import torch
except ImportError:
    torch = None

B, H, Q, K, D = 2, 3, 17, 23, 11


def drawn(dtype=heed.float64):
    heed.manual_seed(1)
    shapes = [(B, H, Q, D), (B, H, K, D), (B, H, K, D), (B, H, Q, D)]
    return [heed.randn(*shape, dtype=dtype) for shape in shapes]


def far(ours, theirs):
    """The largest difference, of a tensor here and one there; the memory is shared, nothing is copied."""
    return (ours.detach() - heed.from_dlpack(theirs.detach().contiguous())).abs().max().item()


# %% Value and derivatives here ----------------------------------------------------------------------------
def ours(mask):
    q, k, v, g = drawn()
    for x in (q, k, v):
        x.requires_grad_()
    context, _ = attention.attend(q, k, v, mask=mask)  # in tiles: no [Q, K] block is made
    first = heed.autograd.grad(context, [q, k, v], g, create_graph=True)
    square = sum((x.square().sum() for x in first), start=heed.tensor(0.0, dtype=heed.float64))
    second = heed.autograd.grad(square, [q, k, v])
    return context, first, second


# %% ... and in PyTorch, by the formula ---------------------------------------------------------------------
def theirs(mask):
    q, k, v, g = (torch.from_dlpack(x) for x in drawn())
    for x in (q, k, v):
        x.requires_grad_()
    scores = q @ k.transpose(-1, -2) / D**0.5
    if mask is not None:
        allowed = torch.from_numpy(mask.tensor((B, H, Q, K)).numpy())
        scores = scores.masked_fill(~allowed, float("-inf"))
    context = scores.softmax(-1) @ v
    first = torch.autograd.grad(context, [q, k, v], g, create_graph=True)
    second = torch.autograd.grad(sum(x.square().sum() for x in first), [q, k, v])
    return context, first, second


def compare():
    print(f"attention of {B} x {H} heads, {Q} queries, {K} keys, width {D}, f64: largest differences from PyTorch "
          f"{torch.__version__}")
    worst = 0.0
    masks = {"no mask": None, "causal": Mask.causal(), "window of 3": Mask.window(3, 3),
             "lengths 23 and 5": Mask.lengths([K, 5], K)}
    print(f"{'':18} {'value':>10} {'first':>10} {'second':>10}")
    for name, mask in masks.items():
        a, b = ours(mask), theirs(mask)
        value = far(a[0], b[0])
        first = max(far(x, y) for x, y in zip(a[1], b[1]))
        second = max(far(x, y) for x, y in zip(a[2], b[2]))
        worst = max(worst, value, first, second)
        print(f"{name:18} {value:10.1e} {first:10.1e} {second:10.1e}")
    return worst


# %% A second derivative of PyTorch's own fused function -------------------------------------------------------
def fused():
    function = getattr(torch.nn.functional, "scaled_dot_product_attention", None)
    if function is None:
        print(f"PyTorch {torch.__version__} has no scaled_dot_product_attention()")
        return
    q, k, v, g = (torch.from_dlpack(x).requires_grad_() for x in drawn())
    try:
        first = torch.autograd.grad(function(q, k, v), [q, k, v], g, create_graph=True)
        torch.autograd.grad(first[0].square().sum(), [q, k, v])
        print("PyTorch's fused attention gives a second derivative here")
    except RuntimeError as error:
        print(f"PyTorch's fused attention gives none: {error}")


# %% Checked against nothing but itself ------------------------------------------------------------------------
def checked():
    q, k, v, _ = drawn()
    few = [x[:1, :1, :3] for x in (q, k, v)]
    start = time.perf_counter()
    for name, check in (("gradcheck", heed.gradcheck), ("gradgradcheck", heed.gradgradcheck)):
        report = check(lambda q, k, v: attention.attend(q, k, v, mask=Mask.causal()).context, few)
        print(f"{name}: {report.text()}")
        assert report
    print(f"{time.perf_counter() - start:.2f} s")


# %% What PyTorch has no words for ----------------------------------------------------------------------------
def beyond():
    q, k, v, _ = drawn()
    sparse, weights = attention.attend(q, k, v, normaliser=attention.Entmax(1.5), need_weights=True)
    print(f"1.5-entmax: {(weights == 0).float().mean().item():.0%} of the weights are exactly 0")
    nothing = attention.attend(q, k, v, mask=Mask.lengths([0, K], K)).context
    print(f"a row that may attend to nothing: {nothing[0].abs().max().item()}, and no NaN")


def main():
    if torch is None:
        print("PyTorch is not installed (python3-torch): no comparison")
        worst = 0.0
    else:
        worst = compare()
        fused()
    checked()
    beyond()
    print(f"largest difference {worst:.1e}" if torch else "done")
    return 0 if worst < 1e-10 else 1


if __name__ == "__main__":
    sys.exit(main())

"""Masks and score maps written as functions, against NumPy."""

import heed
import numpy as np
import pytest
from heed import attention
from heed.attention import Mask, score_map

f64 = heed.float64
q_at, k_at = np.arange(2, 7)[:, None], np.arange(7)[None]  # five queries stand at the last of seven keys


def drawn(*leading):
    heed.manual_seed(5)
    return [heed.randn(*leading, n, d, dtype=f64) for n, d in ((5, 11), (7, 11), (7, 3))]


def attended(q, k, v, allowed=True, mapped=lambda s: s):
    scores = mapped(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
    scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)) @ v


RULES = [
    lambda q, k: (k <= q) & (q - k < 3), lambda q, k: (k > q) | (k == 0), lambda q, k: ~(k >= q) | (0 == k), lambda q, k: (q + 1) // 2 >= k // 2,
    lambda q, k: ((3 * q - k) % 4 != 1) | (k < 2), lambda q, k: abs(q - k) < 2, lambda q, k: (-k + 5 >= 0) ^ (q < 3),
    lambda q, k: (7 - k) > (q - 4), lambda q, k: (2 <= k) & True,
]


@pytest.mark.parametrize("rule", RULES, ids=range(len(RULES)))
def test_rules(rule):
    mask, expected = Mask.rule(rule), rule(q_at, k_at)
    assert np.array_equal(np.broadcast_to(mask.tensor((2, 3, 5, 7)).numpy(), (2, 3, 5, 7))[1, 2], np.broadcast_to(expected, (5, 7)))
    q, k, v = drawn(2, 3)
    if expected.any(-1).all():
        context, _ = attention.attend(q, k, v, mask=mask)
        np.testing.assert_allclose(context.numpy(), attended(q.numpy(), k.numpy(), v.numpy(), expected))


def test_rules_join_as_other_masks_do():
    mask = Mask.causal() & ~Mask.rule(lambda q, k: heed.maximum(q - k, 0) == heed.minimum(2, q))
    expected = (k_at <= q_at) & ~(np.maximum(q_at - k_at, 0) == np.minimum(2, q_at))
    assert np.array_equal(mask.tensor((5, 7)).numpy(), expected)


def test_rules_of_batch_and_head():
    mask = Mask.rule(lambda q, k, batch, head: (k <= q) & (q - k < 1 + head + batch))
    got = mask.tensor((2, 3, 5, 7)).numpy()
    for batch in range(2):
        for head in range(3):
            assert np.array_equal(got[batch, head], (k_at <= q_at) & (q_at - k_at < 1 + head + batch))


def test_rules_capture_tensors():
    documents = np.array([[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 2, 2, 2]])
    mask = Mask.rule(lambda q, k, doc: doc(q) == doc(k), heed.tensor(documents))
    got = mask.tensor((2, 1, 5, 7)).numpy()
    for batch, row in enumerate(documents):
        assert np.array_equal(got[batch, 0], row[q_at] == row[k_at])
    table = heed.tensor(np.arange(49).reshape(7, 7) % 3)
    mask = Mask.rule(lambda q, k, batch, head, x, y: (x(q, k) == head) | (y(k) != 0), table, heed.tensor([True] + [False] * 6))
    got = mask.tensor((1, 3, 5, 7)).numpy()
    for head in range(3):
        assert np.array_equal(got[0, head], (table.numpy()[q_at, k_at] == head) | (k_at == 0))
    with pytest.raises(heed.DTypeError, match="captures i64 or bool"):
        Mask.rule(lambda q, k, x: x(q) == x(k), heed.ones(7))
    with pytest.raises(heed.IndexError):
        Mask.rule(lambda q, k, x: x(q + 1) == 0, heed.tensor([0] * 7)).tensor((5, 7))


def test_a_rule_is_called_once():
    calls = []
    mask = Mask.rule(lambda q, k: calls.append(1) or k <= q)
    for _ in range(3):
        mask.tensor((5, 7))
    assert calls == [1]


def refuse(error, text, f, *captured, make=Mask.rule):
    with pytest.raises(error, match=text):
        make(f, *captured)


def test_rules_refuse_what_cannot_be_asked_of_all_places():
    for f in (lambda q, k: k <= q and q - k < 3, lambda q, k: 0 <= q - k < 3, lambda q, k: not k <= q, lambda q, k: k <= q if k else True):
        refuse(TypeError, "is asked of all places at once: join conditions by &, \\| and ~", f)
    refuse(TypeError, "whole numbers, as in 2 \\* k <= q, not 0.5", lambda q, k: k <= 0.5 * q)
    refuse(TypeError, "truediv: a rule has", lambda q, k: q / 2 > k)
    refuse(TypeError, "exp: a rule has", lambda q, k: heed.exp(q) > k)
    refuse(TypeError, "where: a rule has conditions alone", lambda q, k: heed.where(q > 2, q, k) > 3)
    refuse(TypeError, "Mask.rule: the function gives .* not a condition", lambda q, k: q - k)
    refuse(TypeError, "Mask.rule: the function takes 3 arguments, not 2 or 4, 0 of them captured", lambda q, k, x: k <= q)
    refuse(TypeError, "what a rule captures are tensors, not 3", lambda q, k, x: x(k) <= q, 3)
    refuse(TypeError, "a tensor goes into a traced function as what it has captured", lambda q, k: q < heed.tensor(3))
    refuse(TypeError, "a condition is no number", lambda q, k: q + (q < k) > 0)
    refuse(TypeError, "a condition is needed, not 3", lambda q, k: (q < k) & 3)
    refuse(ZeroDivisionError, "", lambda q, k: 1 // 0)
    kept = []
    Mask.rule(lambda q, k: kept.append(q) or k <= q)
    refuse(heed.ValueError, "does not belong into another", lambda q, k: k <= kept[0])


erf = np.vectorize(__import__("math").erf)
MAPS = [
    (lambda s, q, k: s - 0.5 * abs(q - k), lambda s: s - 0.5 * abs(q_at - k_at)),
    (lambda s, q, k: 3 * heed.tanh(s / 3), lambda s: 3 * np.tanh(s / 3)),
    (lambda s, q, k: heed.where((k <= q) & (q - k != 1), s, s - 2), lambda s: np.where((k_at <= q_at) & (q_at - k_at != 1), s, s - 2)),
    (lambda s, q, k: heed.where(s > 0, 1, 0) + heed.maximum(s, -0.3) * 2 ** -k, lambda s: np.where(s > 0, 1, 0) + np.maximum(s, -0.3) * 2.0 ** -k_at),
    (lambda s, q, k: s ** 2 / (1 + q) + heed.minimum(s, 0.1).sin() - (-s).exp().log1p(),
     lambda s: s ** 2 / (1 + q_at) + np.sin(np.minimum(s, 0.1)) - np.log1p(np.exp(-s))),
    (lambda s, q, k: heed.erf(s) + heed.relu(s) * heed.sigmoid(s), lambda s: erf(s) + np.maximum(s, 0) / (1 + np.exp(-s))),
    (lambda s, q, k: heed.sqrt(k + 1) * s.square() - (q + 1).rsqrt() - (1 + k).reciprocal() + heed.cos(s),
     lambda s: np.sqrt(k_at + 1) * s ** 2 - (q_at + 1) ** -0.5 - 1 / (1 + k_at) + np.cos(s)),
    (lambda s, q, k: 0.25, lambda s: np.full_like(s, 0.25)),
]


@pytest.mark.parametrize("f, definition", MAPS, ids=range(len(MAPS)))
def test_score_maps(f, definition):
    q, k, v = drawn(2, 3)
    scores = heed.randn(2, 3, 5, 7, dtype=f64)
    np.testing.assert_allclose(score_map(f)(scores).numpy(), definition(scores.numpy()))
    for terms in ({}, {"need_weights": True}):  # by tiles, and by the block of scores
        context, _ = attention.attend(q, k, v, map=score_map(f), **terms)
        np.testing.assert_allclose(context.numpy(), attended(q.numpy(), k.numpy(), v.numpy(), mapped=definition))
    single, _ = attention.attend(q.to(heed.float32), k.to(heed.float32), v.to(heed.float32), map=score_map(f))
    np.testing.assert_allclose(single.numpy(), attended(q.numpy(), k.numpy(), v.numpy(), mapped=definition), atol=1e-4)
    if f is not MAPS[-1][0]:  # whose scores get no gradients
        assert heed.gradcheck(lambda q, k, v: attention.attend(q, k, v, map=score_map(f)).context, [q, k, v])


def test_maps_of_batch_and_head():
    q, k, v = drawn(2, 3)
    context, _ = attention.attend(q, k, v, map=score_map(lambda s, q, k, batch, head: s - (batch + head / 4) * abs(q - k)))
    factor = (np.arange(2)[:, None] + np.arange(3) / 4)[..., None, None]
    np.testing.assert_allclose(context.numpy(), attended(q.numpy(), k.numpy(), v.numpy(), mapped=lambda s: s - factor * abs(q_at - k_at)))


def test_what_a_map_captures_is_trained():
    q, k, v = drawn(2, 3)
    slopes, table, cap = heed.randn(3, dtype=f64), heed.randn(3, 9, dtype=f64), heed.tensor(2.0, dtype=f64)

    def attend(slopes, table, cap):
        soft = score_map(lambda s, q, k, batch, head, x, slope, cap: cap * heed.tanh(s / cap) - slope * (q - k) + x(head, abs(q - k)) * s,
                         attention.as_table(table), slopes, cap)
        return attention.attend(q, k, v, map=soft).context

    def mapped(s):
        far = q_at - k_at
        return 2 * np.tanh(s / 2) - slopes.numpy()[:, None, None] * far + table.numpy()[:, abs(far)] * s

    np.testing.assert_allclose(attend(slopes, table, cap).numpy(), attended(q.numpy(), k.numpy(), v.numpy(), mapped=mapped))
    assert heed.gradcheck(attend, [slopes, table, cap])
    assert heed.gradgradcheck(attend, [slopes, table, cap])


def test_a_map_of_a_number_for_each_place():
    q, k, v = drawn(2, 3)
    far = heed.rand(2, 1, 5, 7, dtype=f64)
    made = score_map(lambda s, q, k, far, scale: s * scale - far, attention.each_place(far), heed.tensor(0.5, dtype=f64))
    both = made.then(attention.soft_cap(3.0))
    context, _ = attention.attend(q, k, v, map=both)
    np.testing.assert_allclose(context.numpy(), attended(q.numpy(), k.numpy(), v.numpy(), mapped=lambda s: 3 * np.tanh((s / 2 - far.numpy()) / 3)))


def test_what_is_found_once_is_used_many_times():
    def many(s, q, k):
        for _ in range(40):
            s = (s + s) / 2
        return s

    scores = heed.randn(5, 7, dtype=f64)
    np.testing.assert_allclose(score_map(many)(scores).numpy(), scores.numpy())


def test_maps_refuse():
    def refused(error, text, f, *captured):
        refuse(error, text, f, *captured, make=score_map)

    refused(TypeError, "is asked of all places at once", lambda s, q, k: s if k <= q else s - 1)
    refused(TypeError, "heed.where\\(condition, 1, 0\\) is", lambda s, q, k: s * (k <= q))
    refused(TypeError, "mod: a score map has / and no // and %", lambda s, q, k: s + q % 2)
    refused(TypeError, "score_map: the function gives .* not a number", lambda s, q, k: q < k)
    refused(TypeError, "a number is needed, not 'text'", lambda s, q, k: s + "text")
    refused(TypeError, "score_map: the function takes 2 arguments, not 3 or 5", lambda s, q: s)
    refused(TypeError, "what a map captures are tensors, as_table\\(x\\) and each_place\\(x\\), not 1.5", lambda s, q, k, x: s * x, 1.5)
    refused(heed.ValueError, "captures at most 3", lambda s, q, k, a, b, c, d: s, *[heed.ones(1)] * 4)
    q, k, v = drawn(2, 3)
    with pytest.raises(heed.ValueError, match="the score map gives NaN"):
        attention.attend(q, k, v, map=score_map(lambda s, q, k: heed.log(s)))
    with pytest.raises(heed.DTypeError, match="must be f64 as the scores"):
        attention.attend(q, k, v, map=score_map(lambda s, q, k, x: s * x, heed.ones(1)))


def test_layers_take_them():
    layer = attention.MultiHead(6, heads=3)
    x = heed.randn(2, 5, 6)
    near = layer(x, mask=Mask.rule(lambda q, k: (k <= q) & (q - k < 2)), map=score_map(lambda s, q, k: s * 1)).context
    np.testing.assert_allclose(near.detach().numpy(), layer(x, mask=Mask.window(1, 0)).context.detach().numpy(), atol=1e-6)

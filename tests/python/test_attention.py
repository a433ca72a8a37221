"""attention: the algebra, masks, layers and decoders, against NumPy's definition."""

import gc

import heed
import numpy as np
import pytest
from heed import attention
from heed.attention import Mask

f64 = heed.float64


def definition(q, k, v, allowed=None, bias=0, scale=None):
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale) + bias
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = np.nan_to_num(weights / weights.sum(-1, keepdims=True))
    return weights @ v, weights


def drawn(Q=5, K=7):
    heed.manual_seed(2)
    return [heed.randn(2, 3, n, d, dtype=f64) for n, d in ((Q, 11), (K, 11), (K, 13))]


def test_attend_is_its_definition():
    q, k, v = drawn()
    context, weights = attention.attend(q, k, v, need_weights=True)
    expected, of = definition(q.numpy(), k.numpy(), v.numpy())
    np.testing.assert_allclose(context.numpy(), expected)
    np.testing.assert_allclose(weights.numpy(), of)
    context, weights = attention.attend(q, k, v)
    assert weights is None
    np.testing.assert_allclose(context.numpy(), expected)
    np.testing.assert_allclose(heed.nn.functional.scaled_dot_product_attention(q, k, v).numpy(), expected)


MASKS = [
    (Mask.causal(), lambda q, k: k <= q), (Mask.window(1, 2), lambda q, k: (k >= q - 1) & (k <= q + 2)),
    (Mask.causal() & Mask.window(2, 9), lambda q, k: (k <= q) & (k >= q - 2)), (~Mask.causal(), lambda q, k: k > q),
    (Mask.block(3) | Mask.causal(), lambda q, k: (q // 3 == k // 3) | (k <= q)),
    (attention.prefix_lm(2), lambda q, k: (k <= q) | (k < 2)), (attention.dilated(1, 2), lambda q, k: (abs(q - k) <= 2) & ((q - k) % 2 == 0)),
    (attention.window_with_sinks(2, 1), None),
]


@pytest.mark.parametrize("mask, rule", MASKS)
def test_masks(mask, rule):
    q, k, v = drawn(7, 7)
    allowed = mask.tensor((2, 3, 7, 7)).numpy()
    if rule:
        places = np.arange(7)
        assert np.array_equal(np.broadcast_to(allowed, (2, 3, 7, 7))[0, 0], rule(places[:, None], places[None]))
    for given in (mask, heed.tensor(allowed)):
        context, _ = attention.attend(q, k, v, mask=given)
        np.testing.assert_allclose(context.numpy(), definition(q.numpy(), k.numpy(), v.numpy(), allowed)[0], atol=1e-12)


def test_lengths_and_rows_of_nothing():
    q, k, v = drawn()
    with heed.no_grad():
        v[1, :, 4:] = float("nan")
    context, weights = attention.attend(q, k, v, mask=Mask.lengths([0, 4], 7), need_weights=True)
    assert context[0].abs().sum().item() == 0 and context.isnan().any().item() is False
    assert weights[1, :, :, 4:].sum().item() == 0
    assert Mask().all() and not Mask.causal().all()
    with pytest.raises(heed.ShapeError):
        attention.attend(q, k, v, mask=heed.ones(3, 3).bool())
    with pytest.raises(heed.DTypeError):
        attention.attend(q, k, v, mask=heed.ones(5, 7))


def test_biases_maps_and_sinks():
    q, k, v = drawn()
    a, b, c = q.numpy(), k.numpy(), v.numpy()
    bias = heed.randn(3, 5, 7, dtype=f64)
    np.testing.assert_allclose(attention.attend(q, k, v, bias=bias).context.numpy(), definition(a, b, c, bias=bias.numpy())[0])
    alibi = attention.Alibi(3, dtype=f64)
    np.testing.assert_allclose(attention.attend(q, k, v, position_bias=alibi).context.numpy(),
                               definition(a, b, c, bias=alibi(5, 7).numpy())[0])
    capped, _ = attention.attend(q, k, v, map=attention.soft_cap(2.0))
    scores = 2 * np.tanh(a @ b.swapaxes(-1, -2) / 11**0.5 / 2)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(capped.numpy(), weights @ c)
    plus_one, w = attention.attend(q, k, v, normaliser=attention.SoftmaxPlusOne(), need_weights=True)
    e = np.exp(a @ b.swapaxes(-1, -2) / 11**0.5)
    np.testing.assert_allclose(w.numpy(), e / (1 + e.sum(-1, keepdims=True)))
    np.testing.assert_allclose(attention.attend(q, k, v, sinks=heed.zeros(3, dtype=f64)).context.numpy(), plus_one.numpy())


@pytest.mark.parametrize("name", ["Sparsemax", "Entmax", "Softmax", "NormalisedSigmoid"])
def test_normalisers_sum_to_one(name):
    normaliser = getattr(attention, name)()
    w = normaliser(heed.randn(3, 5, 7, dtype=f64))
    np.testing.assert_allclose(w.sum(-1).numpy(), np.ones((3, 5)))


@pytest.mark.parametrize("make", [
    lambda: attention.Dot(), lambda: attention.ScaledDot(0.3), lambda: attention.General(11, 11, dtype=f64),
    lambda: attention.Additive(11, 11, 5, dtype=f64), lambda: attention.LocationBased(11, 9, dtype=f64)])
def test_scores_can_be_checked_and_kept(make):
    q, k, v = drawn()
    score = make()
    context, weights = attention.attend(q, k, v, score=score, need_weights=True)
    scores = score(q, k).detach().numpy()
    expected = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(weights.detach().numpy(), expected)
    memory = attention.Memory(k, v, mask=Mask.lengths([7, 3], 7), score=score)
    del score
    assert memory.attend(q).context.shape == (2, 3, 5, 13)
    assert memory.step(q[:, :, 0]).context.shape == (2, 3, 13)


def test_multi_head():
    x = heed.randn(2, 5, 12, dtype=f64)
    heads = attention.MultiHead(12, 3, kv_heads=1, rotary=True, rotary_options={"base": 500.0, "layout": "halves"},
                                qk_norm="rms", dtype=f64)
    context, weights = heads(x, mask=Mask.causal(), need_weights=True)
    assert context.shape == (2, 5, 12) and weights.shape == (2, 3, 5, 5)
    np.testing.assert_allclose(weights.triu(1).detach().abs().sum().item(), 0)
    cache, steps = attention.KeyValueCache(), []
    with heed.no_grad():
        for t in range(5):
            steps.append(heads(x[:, t : t + 1], cache=cache).context)
    assert len(cache) == 5
    np.testing.assert_allclose(heed.cat(steps, 1).numpy(), context.detach().numpy(), atol=1e-12)
    assert heads.out_proj.weight.shape == (12, 12)
    shared = attention.MultiHead(12, 3, score=attention.Additive(4, 4, 5), normaliser=attention.Sparsemax())
    assert shared(heed.randn(2, 5, 12), need_weights=True).weights.shape == (2, 3, 5, 5)


def test_transformer_stacks_pass_the_gradient_check():
    x, y = heed.randn(2, 3, 4, dtype=f64), heed.randn(2, 5, 4, dtype=f64)
    options = dict(width=4, heads=2, hidden=5, dropout=0, dtype=f64, activation="gelu", norm="rms", pre_norm=True)
    encoder = attention.TransformerEncoder(1, **options, final_norm=True)

    class Model(heed.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = encoder

        def forward(self, x):
            return self.encoder(x, mask=Mask.causal()).output

    report = heed.nn.gradcheck(Model(), x)
    assert report, report.text()
    decoder = attention.TransformerDecoder(2, **options)
    output, weights = decoder(y, encoder(x).output, {"mask": Mask.causal()}, {"need_weights": True})
    assert output.shape == (2, 5, 4) and [w.shape for w in weights] == [(2, 2, 5, 3)] * 2
    state = decoder.start(encoder(x).output)
    with heed.no_grad():
        steps = [decoder.step(y[:, t], state).output for t in range(5)]
    np.testing.assert_allclose(heed.stack(steps, 1).numpy(), output.detach().numpy(), atol=1e-12)
    model = attention.Transformer(1, 1, **options)
    assert model(x, y, target_mask=Mask.causal()).shape == (2, 5, 4)
    assert isinstance(model.encoder, attention.TransformerEncoder) and len(model.encoder.layers) == 1
    layer = attention.TransformerDecoderLayer(**options)
    assert layer(y, x, {"mask": Mask.causal()}).context.shape == (2, 5, 4)


def test_pooling():
    x = heed.randn(3, 5, 6)
    for name in ("AttentionPooling", "SourceToToken"):
        pool = getattr(attention, name)(6)
        context, weights = pool(x, Mask.lengths([5, 2, 1], 5), need_weights=True)
        assert context.shape == (3, 6) and weights[2, 1:].abs().sum().item() == 0
    assert attention.average_pooling(x).allclose(x.mean(1), atol=1e-6) and attention.max_pooling(x).equal(x.amax(1))


def test_decoders_step_as_they_run():
    words, source = heed.randn(2, 4, 3, dtype=f64), heed.randn(2, 5, 6, dtype=f64)
    bahdanau = attention.BahdanauDecoder(word_width=3, annotation_width=6, state_width=4, dtype=f64)
    luong = attention.LuongDecoder(word_width=3, source_width=6, state_width=6, input_feeding=True, dtype=f64)
    aware = attention.LocationAwareDecoder(word_width=3, annotation_width=6, state_width=4, filters=2, kernel=3, dtype=f64)
    for decoder in (bahdanau, luong, aware):
        whole, weights = decoder(words, source, need_weights=True)
        assert whole.shape[:2] == (2, 4) and weights[0].shape == (2, 4, 5)
        state = decoder.start(source)
        steps = [decoder.step(words[:, t], state).output for t in range(4)]
        np.testing.assert_allclose(heed.stack(steps, 1).detach().numpy(), whole.detach().numpy(), atol=1e-12)
        state = decoder.start(source)
        assert decoder.run(words, state).output.allclose(whole)
    local = attention.Local(kind="predictive", half_width=2, query_width=6, dtype=f64)
    assert local(source, source, source).context.shape == (2, 5, 6)
    assert attention.Pointer(6, 6, 4, dtype=f64)(source, source).exp().sum(-1).allclose(heed.ones(2, 5, dtype=f64))


def test_terms_may_be_shared_and_their_parts_live():
    q, k, v = drawn()
    terms = attention.Terms(mask=Mask.causal(), position_bias=attention.Alibi(3, dtype=f64), need_weights=True)
    first = attention.attend(q, k, v, terms=terms)
    assert first.weights is not None and first.context.equal(attention.attend(q, k, v, terms=terms).context)


def test_terms_hold_their_generator():
    q, k, v = drawn()
    terms, generator = attention.Terms(dropout=0.5, generator=heed.Generator(3)), heed.Generator(3)
    gc.collect()
    seen = [attention.attend(q, k, v, terms=terms).context for _ in range(2)]
    expected = [attention.attend(q, k, v, dropout=0.5, generator=generator).context for _ in range(2)]
    assert seen[0].equal(expected[0]) and seen[1].equal(expected[1]) and not seen[0].equal(seen[1])


def test_terms_stand_alone():
    q, k, v = drawn()
    with pytest.raises(TypeError, match="terms= stands alone"):
        attention.attend(q, k, v, need_weights=True, terms=attention.Terms())


@pytest.mark.parametrize("name", [kind.name for kind in attention.self_attention_kinds() if kind.by_length])
def test_kinds_by_length(name):
    with pytest.raises(heed.ValueError, match="max_length"):
        attention.self_attention(name, width=8, heads=2)
    with pytest.raises(heed.ValueError, match="max_length"):
        attention.TransformerEncoder(1, width=8, heads=2, hidden=5, self_attention=name)
    stack = attention.TransformerEncoder(1, width=8, heads=2, hidden=5, self_attention=name, max_length=40).eval()
    by_hand = attention.TransformerEncoder(
        1, width=8, heads=2, hidden=5, self_attention=lambda layer: attention.self_attention(name, width=8, heads=2, max_length=40))
    by_hand.load_state_dict(stack.state_dict())
    x = heed.randn(2, 17, 8)
    assert stack(x, mask=Mask.causal()).output.equal(by_hand.eval()(x, mask=Mask.causal()).output)


def test_options_of_heads_that_are_not_there():
    def one(layer):
        return attention.self_attention("ssd", width=8, heads=2)

    for options in ({"rotary_options": {"base": 7.0}}, {"kv_heads": 1}, {"self_heads": {"sinks": True}}):
        for kind in ("ssd", one):
            with pytest.raises(heed.ValueError, match=next(iter(options))):
                attention.TransformerEncoder(1, width=8, heads=2, hidden=5, self_attention=kind, **options)
        attention.TransformerEncoder(1, width=8, heads=2, hidden=5, self_attention="dot", **options)
    for kind in ({}, {"self_attention": one}):
        with pytest.raises(heed.ValueError, match="max_length"):
            attention.TransformerEncoder(1, width=8, heads=2, hidden=5, max_length=40, **kind)

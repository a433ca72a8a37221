"""Packed batches: what runs along sequences without padding gives the padded batch's numbers."""

import re
from pathlib import Path

import heed
import pytest
from heed import attention, nn
from heed.nn.utils import rnn

f64 = heed.float64
LENGTHS = [2, 7, 0, 5]
OFFSETS = [0, 2, 9, 9, 14]
ROOT = Path(__file__).resolve().parents[2]


def padded(*shape):
    """With NaN behind each row's end, which nobody may read."""
    x = heed.randn(4, 11, *shape, dtype=f64)
    for row, length in enumerate(LENGTHS):
        x[row, length:] = float("nan")
    return x


def test_pack_and_unpack():
    x = padded(3)
    packed = heed.pack(x, LENGTHS)
    assert packed.tokens.shape == (14, 3) and packed.offsets == OFFSETS == heed.offsets_of(LENGTHS)
    assert len(packed) == 4 and packed.lengths() == LENGTHS
    assert packed.places() == [0, 1, *range(7), *range(5)]
    assert packed[1].equal(x[1, :7]) and packed[-1].equal(x[3, :5]) and packed[2].shape == (0, 3)
    assert [len(tokens) for tokens in packed] == LENGTHS
    assert repr(packed) == "Packed(f64[14, 3], lengths [2, 7, 0, 5])"
    back = heed.unpack(packed)
    assert back.shape == (4, 7, 3) and back[3, :5].equal(x[3, :5]) and back[3, 5:].abs().sum().item() == 0
    assert heed.unpack(packed, steps=13).shape == (4, 13, 3)
    assert heed.pack(x[:, :5]).offsets == [0, 5, 10, 15, 20]
    rows = heed.pack([[3, 1], [], [4]])
    assert rows.tokens.tolist() == [3, 1, 4] and rows.offsets == [0, 2, 2, 3]
    made = heed.Packed(tokens=packed.tokens * 2, offsets=packed.offsets)
    assert made[0].equal(2 * x[0, :2])


def test_gradients_flow_to_what_was_packed():
    x = heed.randn(4, 7, 3, dtype=f64).requires_grad_()
    heed.pack(x, LENGTHS).tokens.square().sum().backward()
    assert x.grad[1].equal(2 * x.detach()[1]) and x.grad[2].abs().sum().item() == 0
    assert heed.gradcheck(lambda t: heed.unpack(heed.Packed(t, OFFSETS)), [heed.randn(14, 3, dtype=f64)])


def test_segments():
    packed = heed.pack(padded(3), LENGTHS)
    assert heed.segment_sum(packed)[1].allclose(packed[1].sum(0))
    assert heed.segment_mean(packed)[3].allclose(packed[3].mean(0))
    assert heed.segment_max(packed)[0].allclose(packed[0].amax(0))
    assert heed.segment_sum(packed)[2].tolist() == [0, 0, 0]
    weights = heed.Packed(heed.segment_softmax(packed), OFFSETS)
    assert weights[3].allclose(packed[3].softmax(0))
    assert heed.repeat_segments(heed.tensor([10, 11, 12, 13]), [0, 2, 3, 3, 5]).tolist() == [10, 10, 11, 13, 13]


def test_words_of_pytorch():
    x = padded(3)
    packed = rnn.pack_padded_sequence(x, heed.tensor(LENGTHS), batch_first=True, enforce_sorted=False)
    assert packed.offsets == OFFSETS and packed.tokens.equal(heed.pack(x, LENGTHS).tokens)
    turned = rnn.pack_padded_sequence(x.transpose(0, 1), LENGTHS, batch_first=False)
    assert turned.tokens.equal(packed.tokens)
    back, lengths = rnn.pad_packed_sequence(packed, batch_first=True)
    assert back.equal(heed.unpack(packed)) and lengths.tolist() == LENGTHS and lengths.dtype == heed.int64
    back, _ = rnn.pad_packed_sequence(packed, batch_first=False, padding_value=-3.0, total_length=13)
    assert back.shape == (13, 4, 3) and (back[5:, 3] == -3).all().item() and back[:5, 3].equal(packed[3])
    listed = rnn.unpack_sequence(packed)
    assert [tuple(each.shape) for each in listed] == [(length, 3) for length in LENGTHS]
    again = rnn.pack_sequence(listed)
    assert again.tokens.equal(packed.tokens) and again.offsets == OFFSETS
    assert rnn.pad_sequence(listed, padding_value=2).shape == (4, 7, 3)
    assert rnn.unpad_sequence(x, LENGTHS)[3].equal(packed[3])
    assert rnn.pack_sequence(sorted(listed, key=len, reverse=True), enforce_sorted=True).lengths() == [7, 5, 2, 0]
    whole = rnn.pad_packed_sequence(heed.pack([[3, 1], [4]]), padding_value=-1)[0]
    assert whole.tolist() == [[3, 1], [4, -1]]


@pytest.mark.parametrize("make", [nn.RNN, nn.GRU, nn.LSTM])
def test_recurrent_layers(make):
    layer = make(3, 5, num_layers=2, bidirectional=True, dtype=f64)
    x = padded(3)
    packed = heed.pack(x, LENGTHS)
    output, state = layer(packed)
    expected, end = layer(x, lengths=LENGTHS)
    assert isinstance(output, heed.Packed) and output.offsets == OFFSETS
    assert output.tokens.equal(heed.pack(expected, LENGTHS).tokens)
    for one, other in zip(*((state, end) if make is nn.LSTM else ([state], [end]))):
        assert one.equal(other)
    begun, _ = layer(packed, state)
    assert begun.tokens.equal(heed.pack(layer(x, end, lengths=LENGTHS)[0], LENGTHS).tokens)
    output.tokens.square().sum().backward()
    assert all(p.grad is not None for p in layer.parameters())
    with pytest.raises(heed.ShapeError, match=r"h0 must be \[2, 4, 5\]"):
        layer(packed, (state[0][:, :3], None) if make is nn.LSTM else state[:, :3])
    with pytest.raises(TypeError):
        layer(packed, lengths=LENGTHS)


def alone(f, packed):
    """Each sequence by itself, one behind the other."""
    return heed.cat([f(tokens.unsqueeze(0))[0] for tokens in packed if len(tokens)])


def test_attention():
    packed = heed.Packed(heed.randn(14, 8, dtype=f64), OFFSETS)
    mask = attention.Mask.causal()
    heads = attention.MultiHead(8, heads=2, rotary=True, dtype=f64)
    seen = heads(packed, mask=mask, need_weights=True)
    assert seen.context.allclose(alone(lambda x: heads(x, mask=mask).context, packed))
    assert seen.weights.shape == (1, 2, 14, 14) and seen.weights[0, :, 9:, :9].abs().sum().item() == 0
    encoder = attention.TransformerEncoder(2, width=8, heads=2, hidden=11, dropout=0, dtype=f64)
    assert encoder(packed).output.allclose(alone(lambda x: encoder(x).output, packed))
    with pytest.raises(heed.ValueError, match="MultiHead: a packed batch attends to itself"):
        heads(packed, packed.tokens)
    with pytest.raises(TypeError, match="no query"):
        heads("packed")


def test_a_decoder_reads_its_own_sources():
    decoder = attention.TransformerDecoder(2, width=8, heads=2, hidden=11, dropout=0, dtype=f64)
    targets, sources = (heed.Packed(heed.randn(o[-1], 8, dtype=f64), o) for o in ([0, 2, 9, 14], [0, 3, 4, 9]))
    terms = {"mask": attention.Mask.causal()}
    found = decoder(targets, sources, target=terms).output
    expected = [decoder(t.unsqueeze(0), s.unsqueeze(0), target=terms).output[0] for t, s in zip(targets, sources)]
    assert found.allclose(heed.cat(expected))
    with pytest.raises(heed.ValueError):
        decoder(targets, heed.Packed(sources.tokens, [0, 9]), target=terms)


def test_pooling():
    x = padded(3)
    packed, real = heed.pack(x, LENGTHS), attention.Mask.lengths(LENGTHS, 11)
    pool = attention.AttentionPooling(3, 5, dtype=f64)
    context, weights = pool(packed, need_weights=True)
    expected = pool(x, real, need_weights=True)
    assert context.allclose(expected.context) and weights.allclose(heed.pack(expected.weights, LENGTHS).tokens)
    for function in (attention.average_pooling, attention.max_pooling):
        assert function(packed).allclose(function(x, real))
        with pytest.raises(heed.ValueError, match=function.__name__ + ": a packed batch has no padding, so no mask"):
            function(packed, real)
    with pytest.raises(heed.ValueError, match="AttentionPooling: a packed batch has no padding, so no mask"):
        pool(packed, real)


def test_documents_without_padding():
    words = nn.GRU(3, 2, bidirectional=True, dtype=f64)
    levels = [{"width": 4, "encode": lambda x, lengths: words(x, lengths=lengths)[0],
               "encode_packed": lambda packed: words(packed)[0].tokens}, {"width": 4}]
    tree = attention.Hierarchical(levels, dtype=f64)
    x = padded(3)
    context, weights = tree(heed.pack(x, LENGTHS), [[3, 1]], need_weights=True)
    assert context.allclose(tree(x, [LENGTHS, [3, 1]]).context)
    assert [tuple(each.shape) for each in weights] == [(14,), (4,)]
    plain = attention.Hierarchical([{"width": 3, "pool": attention.average_pooling}, {"width": 3}], dtype=f64)
    assert plain(heed.pack(x, LENGTHS), [[3, 1]]).context.shape == (2, 3)


@pytest.mark.parametrize("call, error, text", [
    (lambda: heed.Packed(heed.randn(7, 3), [0, 2, 5]), heed.ShapeError, "Packed: offsets end at 5, tokens are f32[7, 3]"),
    (lambda: heed.Packed(heed.randn(7, 3), []), heed.ValueError, "Packed: offsets must begin at 0; none came"),
    (lambda: heed.Packed(heed.randn(7, 3), [0, 5, 2, 7]), heed.ValueError, "Packed: offsets fall from 5 to 2 at 2"),
    (lambda: heed.Packed(heed.tensor(3.0), [0]), heed.ShapeError, "Packed: tokens must be [N, ..], not f32[]"),
    (lambda: heed.Packed(None, [0]), heed.GradError, "Packed: tokens"),
    (lambda: heed.pack(heed.randn(2, 5), [3, 6]), heed.ValueError, "pack: length 6 at 1 is not in [0, 5]"),
    (lambda: heed.pack(heed.randn(2, 5), [3]), heed.ShapeError, "pack: 1 lengths for x f32[2, 5]"),
    (lambda: heed.unpack(heed.pack([[1, 2]]), 1), heed.ValueError, "unpack: 1 steps for a sequence of 2"),
    (lambda: heed.pack([[1, 2]])[1], heed.IndexError, "Packed: sequence 1 is not in [0, 1)"),
    (lambda: heed.pack([[1, 2]])[-2], heed.IndexError, "Packed: sequence -1 is not in [0, 1)"),
    (lambda: heed.offsets_of([2, -1]), heed.ValueError, "offsets_of: length -1 at 1 is negative"),
    (lambda: heed.segment_sum(heed.pack([[1, 2]])), heed.DTypeError, "segment_sum"),
    (lambda: heed.repeat_segments(heed.randn(2, 3), [0, 1]), heed.ShapeError, "repeat_segments"),
    (lambda: rnn.pack_padded_sequence(heed.randn(2, 5), [3, 4], enforce_sorted=True), heed.ValueError,
     "pack_padded_sequence: lengths rise; enforce_sorted=False takes them in any order"),
    (lambda: rnn.pack_sequence([heed.randn(3), heed.randn(4)], enforce_sorted=True), heed.ValueError, "lengths rise"),
    (lambda: rnn.pack_sequence([heed.randn(3, 2), heed.tensor(1.0)]), heed.ShapeError,
     "pack_sequence: a sequence must be [T, ..], not f32[]"),
    (lambda: rnn.pack_sequence([]), heed.Error, ""),
    (lambda: rnn.pad_packed_sequence(heed.pack([[1, 2]]), total_length=1), heed.ValueError, "unpack: 1 steps"),
])
def test_errors(call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call()


def test_all_functions_of_packed_batches_are_there():
    for header in ("packed", "segment"):
        text = re.sub(r"//[^\n]*", "", (ROOT / f"autograd/ops/packed/{header}.h").read_text())
        names = set(re.findall(r"^(?:Tensor|Packed|std::vector<Index>) (\w+)\(", text, re.M))
        assert names and all(hasattr(heed, name) for name in names), names

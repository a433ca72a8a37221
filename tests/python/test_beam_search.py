"""Beam search over decoders, written in Python or the library's own."""

import heed
import pytest
from heed import attention, nn


class Writing(nn.Decoding):
    """A decoder that attends, with the ends that it lacks."""

    def __init__(self, decoder, state, words, out):
        super().__init__()
        self.decoder, self.state, self.words, self.out = decoder, state, words, out

    def step(self, words, need_weights):
        output, weights = self.decoder.step(self.words(words), self.state, need_weights=need_weights)
        return (self.out(output), weights[-1]) if need_weights else self.out(output)

    def reorder(self, rows, sources):
        self.state.reorder(rows, sources)


def model():
    heed.manual_seed(7)
    return (attention.BahdanauDecoder(word_width=3, annotation_width=4, state_width=5), nn.Embedding(11, 3), nn.Linear(5, 11),
            heed.randn(2, 7, 4) * 3)


def test_a_beam_of_one_is_greedy():
    decoder, words, out, source = model()
    found = nn.beam_search(Writing(decoder, decoder.start(source), words, out), 2, begin=0, end=1, beam=1, longest=[5, 5])
    with heed.no_grad():
        state, last, greedy, sure = decoder.start(source), heed.zeros(2).long(), [], 0
        for _ in range(5):
            logits = out(decoder.step(words(last), state).output).log_softmax(-1)
            last = logits.argmax(-1)
            sure = sure + logits.max(-1)[0]
            greedy.append(last.tolist())
    for row, texts in enumerate(found):
        expected = [step[row] for step in greedy]
        if 1 in expected:
            expected = expected[: expected.index(1)]
        assert texts[0].words == expected
        if not texts[0].finished:
            assert texts[0].log_probability == pytest.approx(sure[row].item(), rel=1e-5)


def test_options_and_weights():
    decoder, words, out, source = model()
    found = nn.beam_search(Writing(decoder, decoder.start(source), words, out), 2, begin=0, end=1, beam=3, n_best=2, longest=[5, 4],
                           forbidden=[2, 3], prefixes=[[4], [5, 6]], no_repeat=1, need_weights=True)
    assert [len(texts) for texts in found] == [2, 2] and found[0][0].score >= found[0][1].score
    assert found[0][0].words[0] == 4 and found[1][0].words[:2] == [5, 6]
    for texts in found:
        for text in texts:
            assert len(set(text.words)) == len(text.words) and not {2, 3} & set(text.words)
            assert text.weights.shape == (len(text.words) + text.finished, 7)


def test_errors_come_through():
    decoder, words, out, source = model()

    class Broken(Writing):
        def step(self, words, need_weights):
            raise KeyError("of my own")

    with pytest.raises(KeyError, match="of my own"):
        nn.beam_search(Broken(decoder, decoder.start(source), words, out), 2, begin=0, end=1)
    with pytest.raises(TypeError, match="there is no step"):
        nn.beam_search(nn.Decoding(), 2, begin=0, end=1)
    with pytest.raises(heed.ValueError):
        nn.beam_search(Writing(decoder, decoder.start(source), words, out), 2, begin=0, end=1, beam=0)
    with pytest.raises(TypeError, match="no option 'bean'"):
        nn.beam_search(Writing(decoder, decoder.start(source), words, out), 2, bean=1)


def test_the_librarys_own():
    heed.manual_seed(3)
    generator = attention.PointerGenerator(word_width=3, annotation_width=4, state_width=5, vocabulary=7)
    words, ids = nn.Embedding(7, 3), heed.tensor([[7, 2, 8, 1], [3, 7, 4, 5]])
    copying = attention.Copying(generator, generator.start(heed.randn(2, 4, 4), ids), embed=lambda ids: words(ids), extended=9, unknown=1)
    texts = nn.beam_search(copying, 2, begin=0, end=6, beam=2, longest=[4, 4])
    assert all(word < 9 for text in texts for word in text[0].words)
    assert attention.known_ids(heed.tensor([7, 2]), 7, 1).tolist() == [1, 2]
    summariser = attention.Summariser(source_words=11, target_words=13, source_width=3, target_width=2, context=2, hidden=5)
    writing = attention.SummariserWriting(summariser, heed.randint(11, (2, 6)), [6, 4])
    del summariser
    assert len(nn.beam_search(writing, 2, begin=0, end=1, beam=2, longest=[4, 4])) == 2


def test_who_reads_while_writing():
    heads = attention.MonotonicHeads(width=4, heads=2, key_width=3)
    heads.alignment.hard = True
    stream, source, read = heads.stream(), heed.randn(5, 3), []
    del heads

    def more():
        if len(read) == 5:
            stream.end()
            return False
        stream.read(source[len(read) : len(read) + 1])
        read.append(1)
        return True

    def write(read, written, ended):
        step = stream.write(heed.ones(4))
        return None if step is None else (9 if written == 3 else step.places[0])

    text = attention.write_while_reading(more, write, 9, 10)
    assert text.words[-1] == 9 and len(text.words) == 4 and len(text.read) == 4 and text.read == sorted(text.read)

"""What is kept from call to call: memories, states, streams, who chooses."""

import gc

import heed
import pytest
from heed import attention, stochastic
from heed.attention import Mask

f64 = heed.float64


def drawn(*shapes):
    heed.manual_seed(11)
    return [heed.randn(*shape, dtype=f64) for shape in shapes]


def test_decoders_step_as_they_run():
    words, source, inputs = drawn((2, 3, 3), (2, 5, 4), (2, 5, 3))
    decoders = [
        (attention.LSTMNDecoder(input=3, hidden=4, source=4, dtype=f64), (source, source.tanh())),
        (attention.ConvDecoder(width=3, hidden=4, layers=2, dtype=f64), (attention.Memory(inputs, inputs.tanh()),)),
        (attention.PointerGenerator(word_width=3, annotation_width=4, state_width=5, vocabulary=7, dtype=f64),
         (source, heed.tensor([[7, 2, 8, 1, 0], [3, 7, 4, 5, 6]]))),
    ]
    for decoder, of in decoders:
        whole = decoder(words, *of).output.detach()
        state = decoder.start(*of)
        del of
        gc.collect()
        with heed.no_grad():
            steps = [decoder.step(words[:, t], state).output for t in range(3)]
        assert heed.stack(steps, 1).allclose(whole, rtol=1e-10, atol=1e-12), type(decoder)
        state.reorder(heed.tensor([1, 1]))
        with heed.no_grad():
            again = decoder.step(words[:, 0], state).output
        assert again.shape == (2, whole.shape[2])


def test_a_state_keeps_what_it_refers_to():
    query, keys = drawn((2, 1, 3), (2, 5, 4))
    hard = attention.HardAttention(score=attention.Additive(3, 4, 5, dtype=f64))
    expected = hard(query, keys, keys, choices=stochastic.GreedyChoices()).context
    memory = hard.begin(keys, keys, choices=stochastic.GreedyChoices(), mask=Mask.lengths([5, 5], 5))
    pointer = attention.Pointer(3, 4, 5, dtype=f64)
    prepared, logs = pointer.prepare(keys), pointer(query, keys)
    coverage = attention.Coverage(3, 4, 5, dtype=f64)
    covered = coverage.prepare(keys, keys)
    local = attention.Local(score=attention.General(3, 4, dtype=f64), half_width=2)
    near = local.prepare(keys, keys)
    assert pointer.point(query, prepared).equal(logs)
    assert local.attend_to(query, near).context.equal(local(query, keys, keys).context)
    del hard, coverage
    gc.collect()
    assert memory.attend(query).context.equal(expected)
    assert memory.step(query[:, 0]).context.equal(expected[:, 0])
    assert covered.step(query[:, 0], attention.Past()).context.shape == (2, 4)


def test_hard_attention_under_the_estimators():
    query, keys = drawn((2, 1, 3), (2, 4, 3))
    hard = attention.HardAttention(score=attention.General(3, 3, dtype=f64))
    goal = heed.ones(3, dtype=f64)

    def cost(choices):
        return (hard(query, keys, keys, choices=choices).context - goal).square().sum((-1, -2))

    stochastic.Enumeration()(cost).backward()
    exact = hard.score.weight.grad.clone()
    hard.zero_grad()
    weights = hard(query, keys, keys, choices=stochastic.ExpectedChoices()).weights
    of_each = (keys - goal).square().sum(-1)[:, None]
    (weights * of_each).sum(-1).mean().backward()
    assert exact.allclose(hard.score.weight.grad, rtol=1e-9, atol=1e-12)
    kept = []

    def keeping(choices):
        kept.append(hard.begin(keys, keys, choices=choices))
        return kept[0].attend(query).context.sum((-1, -2))

    stochastic.Reinforce()(keeping)
    with pytest.raises(heed.GradError, match="has returned"):
        kept[0].attend(query)
    latent = attention.VariationalAttention(prior=attention.Dot(), posterior=attention.Dot())
    seen = latent(query, query, keys, keys, choices=stochastic.GreedyChoices())
    assert seen.kl.abs().sum().item() < 1e-12
    likely = drawn((2, 1, 4))[0]
    assert seen.bound(likely).allclose((seen.posterior * likely).sum(-1) - seen.kl)
    walk = attention.HardMonotonic().eval().begin(keys, keys)
    places = [walk.step(query[:, 0] * 3).place for _ in range(2)]
    assert all((a <= b).all().item() for a, b in zip(places, places[1:]))


def test_machines_go_on():
    x, = drawn((2, 4, 3))
    for machine in (attention.TuringMachine(input=3, output=5, hidden=4, slots=5, slot_width=3, dtype=f64),
                    attention.NeuralComputer(input=3, output=5, hidden=4, slots=5, slot_width=3, dtype=f64)):
        whole, weights = machine(x, need_weights=True)
        state = machine.begin(2)
        steps = [machine.step(x[:, t], state) for t in range(4)]
        assert heed.stack(steps, 1).allclose(whole, rtol=1e-10, atol=1e-12)
        assert state.memory.shape == (2, 5, 3) and weights.shape[:2] == (2, 4)
    pointer = attention.PointerNetwork(input_width=3, key_width=3, state_width=4, once=True, dtype=f64)
    found = pointer.decode(pointer.start(x, x), 4)
    assert [sorted(row) for row in found.tolist()] == [[0, 1, 2, 3]] * 2
    targets = found
    assert pointer.run(targets, pointer.start(x, x)).allclose(pointer(x, x, targets))
    one = pointer.step(None, pointer.start(x, x, begin=(heed.zeros(2, 4, dtype=f64), heed.zeros(2, 4, dtype=f64))))
    assert one.allclose(pointer(x, x, targets)[:, 0])


def test_streams_go_on():
    keys, values = drawn((2, 6, 4), (2, 6, 4))
    stream = attention.MemoryStream(width=4, hops=2, span=3, dtype=f64)
    state = attention.MemoryStreamState()
    halves = [stream(keys[:, i : i + 3], values[:, i : i + 3], state).output for i in (0, 3)]
    assert heed.cat(halves, 1).allclose(stream(keys, values).output, rtol=1e-10, atol=1e-12)
    lstmn = attention.LSTMN(input=4, hidden=3, layers=2, dtype=f64)
    states = [attention.LSTMNState(), attention.LSTMNState()]
    parts = []
    for i in (0, 3):
        given, states = lstmn.resume(keys[:, i : i + 3], states)
        parts.append(given.output)
    assert heed.cat(parts, 1).allclose(lstmn(keys).output, rtol=1e-10, atol=1e-12)
    memorizing, store = attention.Memorizing(width=4, heads=2, nearest=2, capacity=4, dtype=f64), attention.MemorizingStore()
    for i in (0, 3):
        memorizing(keys[:, i : i + 3], store)
    assert len(store) == 4


def test_stacks_go_on_and_take_terms_of_each_layer():
    x, more = drawn((2, 4, 4), (2, 3, 4))
    options = dict(width=4, heads=2, hidden=5, dropout=0, dtype=f64)
    encoder = attention.TransformerEncoder(2, **options)
    one = attention.Terms(mask=Mask.causal())
    assert encoder.by_layer(x, [one, one]).output.equal(encoder(x, mask=Mask.causal()).output)
    with pytest.raises(heed.ValueError):
        encoder.by_layer(x, [one] * 3)
    decoder = attention.TransformerDecoder(2, **options)
    with heed.no_grad():
        state = decoder.start(x)
        decoder.read(more, state)
        given = decoder.run(more, state)
        whole = decoder(more, heed.cat([x, more], 1), {"mask": Mask.causal()})
    assert given.output.allclose(whole.output, rtol=1e-10, atol=1e-12)
    heads = attention.MultiHead(4, 2, dtype=f64)
    assert heads.attend_to(x, heads.project(more, more)).context.allclose(heads(x, more, more).context)


def test_masks_of_papers():
    assert attention.longformer(window=1, globals=1).tensor((5, 5)).tolist()[3] == [True, False, True, True, True]
    assert attention.wait_k(wait=2).tensor((3, 5)).sum(-1).tolist() == [2, 3, 4] and attention.wait_k_reads(3, wait=2) == 5
    drawn_mask = attention.bigbird(12, heed.Generator(3), block=2, randoms=1)
    assert drawn_mask.tensor((12, 12)).equal(attention.bigbird(12, heed.Generator(3), block=2, randoms=1).tensor((12, 12)))
    with pytest.raises(heed.ValueError):
        attention.longformer(window=-1)
    q, k = drawn((2, 3, 5, 4), (2, 3, 7, 4))
    seen = attention.attend(q, k, k, need_weights=True, need_statistics=True)
    assert seen.statistics.received().allclose(seen.weights.sum(-2))
    assert attention.rotary_frequencies(8).allclose(10000.0 ** (heed.arange(4).double() * -0.25))
    assert attention.rotary(q, 3).allclose(attention.rotary(q, positions=heed.arange(5) + 3))

"""Every mechanism gives what it should in shape, and passes the gradient check, from Python."""

import heed
import pytest
from heed import attention, nn
from heed.attention import Mask
from mechanism_cases import CASES, X, f64

#: Values that jump, or derivatives that are drawn or taught beside: forward and backward alone.
JUMPS = {"self_attention reformer": "buckets change with the inputs", "self_attention routing": "centroids change with the inputs",
         "Reformer": "buckets change with the inputs", "Routing": "centroids change with the inputs",
         "MixtureOfExperts": "who is chosen changes", "MixtureOfDepths": "who is chosen changes, and losses are not in the result"}


#: Some of their inputs may be left out.
OPTIONAL = {"MultiHead", "Perceiver", "SlotAttention", "fast_weights_matrix"}


def first(given):
    if isinstance(given, heed.Tensor):
        return given
    for part in given:
        if part is not None:
            return first(part)


class Called(nn.Module):
    """A mechanism with a call of its own and one tensor as its result."""

    def __init__(self, mechanism, call):
        super().__init__()
        if mechanism is not None:
            self.mechanism = mechanism
        self.call = call

    def forward(self, *x):
        return first(self.call(getattr(self, "mechanism", None), *x))


def case(name):
    heed.manual_seed(5)
    make, inputs, shape, call = (*CASES[name], None)[:4]
    x = [heed.randn(*i, dtype=f64) if isinstance(i, tuple) else i for i in inputs]
    return Called(make() if make else None, call or (lambda f, *x: f(*x))), x, shape


@pytest.mark.parametrize("name", CASES)
def test_shape_and_gradient(name):
    model, x, shape = case(name)
    chosen = [place for place, i in enumerate(x) if i.dtype == f64]
    floats = [x[place].requires_grad_() for place in chosen]
    output = model(*x)
    assert output.shape == shape and output.dtype == f64 and output.isfinite().all().item()
    (output * heed.randn(*shape, dtype=f64)).sum().backward()
    reached = [t for t in floats + model.parameters() if t.grad is not None]
    assert reached and all(t.grad.isfinite().all().item() for t in reached)
    if name in JUMPS:
        return

    def run(*given):
        there = list(x)
        for place, tensor in zip(chosen, given):
            there[place] = tensor
        return model(*there)

    if floats:
        report = heed.gradcheck(run, [i.detach() for i in floats], max_elements=40, allow_zero=True, step=1e-4)
        assert report, report.text()


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][1]])
def test_what_is_no_input_is_an_error(name):
    model, x, _ = case(name)
    for place, right in enumerate(x):
        for wrong in (None, heed.zeros(2, dtype=f64), heed.zeros(3, 1, dtype=f64), right[..., None]):
            try:
                model(*x[:place], wrong, *x[place + 1 :])
            except (heed.Error, TypeError, AttributeError) as error:
                assert str(error)
            else:
                assert wrong is not None or name in OPTIONAL


def test_parameters_pass_the_gradient_check():
    for name in ("self_attention ssd", "Hopfield", "BiDirectional", "TreeAttention", "GraphAttention", "TuringMachine", "CBAM",
                 "VisionTransformer", "PointerGenerator", "MemoryNetwork", "NeuralProgrammer", "AdaptiveComputation", "HardAttention"):
        model, x, _ = case(name)
        report = nn.gradcheck(model, *x, max_elements=5, allow_zero=True, step=1e-4)
        assert report, name + ": " + report.text()


@pytest.mark.parametrize("name", [k.name for k in attention.self_attention_kinds() if k.steps])
def test_kinds_go_on_step_by_step(name):
    model, (x,), _ = case(f"self_attention {name}")
    whole = model(x).detach()
    cache, steps = attention.KeyValueCache(), []
    with heed.no_grad():
        for t in range(X[1]):
            steps.append(model.mechanism(x[:, t : t + 1], cache=cache, mask=Mask.causal()).context)
    assert heed.cat(steps, 1).allclose(whole, rtol=1e-9, atol=1e-9)


def test_kinds_serve_a_stack():
    for name in ("ssd", "latent", "sinks"):
        stack = attention.TransformerEncoder(2, width=8, heads=2, hidden=5, self_attention=name)
        by_hand = attention.TransformerEncoder(
            2, width=8, heads=2, hidden=5,
            self_attention=lambda layer: attention.self_attention(name, width=8, heads=2, dropout=0.1, layer=layer))
        by_hand.load_state_dict(stack.state_dict())
        x = heed.randn(2, 5, 8)
        assert stack.eval()(x, mask=Mask.causal()).output.equal(by_hand.eval()(x, mask=Mask.causal()).output)
        assert type(stack.layers[0].self_attn) is type(attention.self_attention(name, width=8, heads=2))
    shared = attention.Additive(4, 4, 3)
    stack = attention.TransformerEncoder(2, width=8, heads=2, self_heads={"score": shared})
    assert stack.layers[1].self_attn.score.score_vector.is_same(shared.score_vector)
    for experts in ({"experts": 4}, lambda layer: {"experts": 4 * layer}):
        stack = attention.TransformerEncoder(2, width=8, heads=2, hidden=5, activation="swiglu", experts=experts)
        seen = stack(heed.randn(2, 5, 8), mask=Mask.lengths([5, 3], 5))
        output, weights = seen
        assert output.shape == (2, 5, 8) and weights == [] and seen.balance().shape == ()
        assert [sum(layer.load) for layer in seen.routed] == [16] * (1 if callable(experts) else 2)
        assert stack.layers[1].linear1 is None and stack.layers[1].mixture.router.weight.shape == (4, 8)
    assert attention.TransformerEncoder(1, width=8, heads=2)(heed.randn(2, 5, 8)).balance() is None
    own = attention.TransformerEncoder(2, width=8, heads=2, self_heads=lambda layer: {"kv_heads": 1 + layer})
    assert own.layers[0].self_attn.in_proj_weight.shape == (16, 8) and own.layers[1].self_attn.in_proj_weight.shape == (24, 8)


def test_children_and_parameters_are_found_by_their_names():
    layer = attention.Hopfield(state_width=3, head_width=4)
    assert layer.state_projection.weight.is_same(dict(layer.named_parameters())["state_projection.weight"])
    stack = attention.StackedAttention(width=3, hidden=5)
    assert isinstance(stack.hops, tuple) and isinstance(stack.hops[0], attention.Additive)
    pooling = attention.SetPooling(width=4, heads=2)
    pooling.seeds = heed.nn.Parameter(heed.zeros(1, 4))
    assert pooling.state_dict()["seeds"].abs().sum().item() == 0
    with pytest.raises(heed.ShapeError, match="seeds"):
        pooling.seeds = heed.zeros(2, 4)
    with pytest.raises(AttributeError, match="no attribute 'sedes'"):
        pooling.sedes


BAD = [
    (heed.ValueError, "'sdd' is neither", lambda: attention.self_attention("sdd", width=8, heads=2)),
    (heed.ValueError, "rotary", lambda: attention.self_attention("ssd", width=8, heads=2, rotary=True)),
    (heed.ValueError, "is none of v1, v2", lambda: attention.DifferentialHeads(width=8, kind="v3")),
    (heed.ValueError, "", lambda: attention.Hopfield(state_width=0)),
    (TypeError, r"Hopfield\(\) has no option 'heds', but state_width", lambda: attention.Hopfield(heds=2)),
    (TypeError, r"Hopfield\(\) takes 0 arguments without a name, not 1", lambda: attention.Hopfield(3)),
    (TypeError, r"CBAM\(\) misses 'channels'", lambda: attention.CBAM()),
    (TypeError, r"CBAM\(\) is given 'channels' twice", lambda: attention.CBAM(3, channels=3)),
    (TypeError, r"CBAM\(\): 'many' is no channels", lambda: attention.CBAM("many")),
    (TypeError, r"MultiHead\(\): 3 is no rotary_options", lambda: attention.MultiHead(8, 2, rotary_options=3)),
    (TypeError, r"rotary_options\(\) has no option 'bass'", lambda: attention.MultiHead(8, 2, rotary_options={"bass": 3})),
    (TypeError, "is of heed.attention.CBAM, not of <class 'int'>", lambda: attention.CBAM.forward(3, heed.zeros(1, 2, 3, 3))),
    (TypeError, "is of heed.attention.PairOutput, not of", lambda: list(attention.PairOutput.__iter__(attention.CBAM(6, 2)))),
    (TypeError, r"Trilinear.forward|score|forward", lambda: attention.Trilinear(3)("q", "k")),
    (heed.ShapeError, "", lambda: attention.CBAM(6, 2)(heed.zeros(2, 5, 3, 3))),
    (heed.DTypeError, "", lambda: attention.BiDirectional(3, dtype=f64)(heed.zeros(1, 2, 3), heed.zeros(1, 2, 3))),
    (heed.IndexError, "", lambda: attention.Edges([0], [5], 3)),
    (heed.ShapeError, "", lambda: attention.Edges([0, 1], [1], 3)),
    (heed.GradError, "", lambda: attention.HardAttention()(*[heed.zeros(2, 3, 4)] * 3)),
    (TypeError, "attention.. has no option 'masc'|has no option 'masc'", lambda: attention.self_attention("ssd", width=8)(
        heed.zeros(1, 2, 8), masc=None)),
    (heed.Error, "", lambda: attention.TuringMachine(input=2, output=2).step(heed.zeros(1, 2), attention.TuringState())),
    (heed.Error, "", lambda: attention.NeuralComputer(input=2, output=2).step(heed.zeros(1, 2), attention.NeuralComputerState())),
    (heed.Error, "", lambda: attention.DrawAttention(state_width=2, size=2, height=3, width=3).read(heed.zeros(1, 1, 3, 3),
                                                                                                 attention.DrawFilters())),
    (heed.Error, "", lambda: attention.hard_distillation_loss(attention.VisionTransformerOutput(), heed.tensor([1]), heed.tensor([1]))),
    (heed.Error, "", lambda: attention.table_answer_loss(attention.TableAnswers(), attention.TableAnswers(), [])),
    (heed.Error, "", lambda: attention.GraphTransformer(transformer={"width": 4, "heads": 2}, positions=2)(
        heed.zeros(1, 2, 4), attention.GraphStructure())),
    (heed.Error, "", lambda: attention.neural_process_loss(attention.NeuralProcessOutput(), heed.zeros(1, 2, 3))),
    (heed.Error, "", lambda: attention.NeuralProgrammer(vocabulary=3)()),
    (heed.Error, "", lambda: attention.merge([])),
    (heed.Error, "", lambda: attention.address_memory(heed.zeros(1, 2, 3), heed.zeros(1, 1, 2))),
    (heed.Error, "", lambda: attention.fast_weights()),
    (heed.Error, "", lambda: attention.Hopfield(state_width=3, head_width=2)(None, None)),
    (heed.ValueError, "write_while_reading", lambda: attention.write_while_reading(lambda: False, lambda *of: None, 0, 3)),
    (TypeError, "encoder", lambda: attention.VisionTransformer(height=4, width=4, patch=2, classes=2, encoder={"depth": 2})),
]


@pytest.mark.parametrize("error, text, call", BAD)
def test_bad_arguments(error, text, call):
    with pytest.raises(error, match=text):
        call()


def test_what_is_given_unpacks_and_has_names():
    model, x, _ = case("BiDirectional")
    context, weights, of_context = given = model.mechanism(*x, need_weights=True)
    assert given.context.is_same(context) and weights.shape == (2, 5, 7) and of_context.shape == (2, 5)
    assert "BiDirectionalOutput" in repr(type(given))
    foretold = attention.NeuralProcessOutput(mean=heed.zeros(2, 3, 1), deviation=heed.ones(2, 3, 1))
    loss = attention.neural_process_loss(foretold, heed.zeros(2, 3, 1))
    assert loss.allclose(heed.tensor(0.9189385332))

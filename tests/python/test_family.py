"""Whatever attention/ offers is there in Python, with all of its options, or stands below with the reason."""

import inspect
import re
from pathlib import Path

import heed
import pytest
from heed import attention

ROOT = Path(__file__).resolve().parents[2]
HEADERS = [ROOT / "attention" / name for name in re.findall(r'#include "(.*)"', (ROOT / "attention/attention.h").read_text())]
HEADERS += [ROOT / "attention/mechanisms/transformer" / name for name in ("transformer_options.h", "head_extras.h")]

COMPILED = "what C++ compiles into the tiles; Python has Mask.rule and score_map"
WHOLE = "part of what is there as a whole"
DRIVEN = "what drives a decoder is written in Python: heed.nn.Decoding"
#: Headers, classes, functions and options that Python goes without.
WITHOUT = {
    "masks/interval.h": COMPILED, "masks/rule.h": COMPILED, "scores_of": COMPILED, "LocalCall": "keyword arguments of Local",
    "HardCall": "keyword arguments of forward and begin", "FastWeights": "keyword arguments of fast_weights",
    "HeadSignals": "keyword arguments of address_memory", "TableQuestions": "keyword arguments of NeuralProgrammer",
    "HierarchicalLevel": "a dict of Hierarchical", "Aligned": WHOLE, "SoftAlignment": WHOLE, "soft_alignment": WHOLE,
    "EntailmentPair": WHOLE, "GuidedAttention": WHOLE, "CoupledAttention": WHOLE, "StreamHalf": WHOLE, "ProcessLayers": WHOLE,
    "Synthesis": WHOLE, "Expert": WHOLE, "CGRU": WHOLE, "TransformerXLLayer": WHOLE, "ConvDecoderLayer": WHOLE, "LowRankMix": WHOLE, "LSTMNCell": WHOLE,
    "past_weights": WHOLE, "HeadExtras": WHOLE, "Tape": "what an LSTMN's state is made of", "Writing": DRIVEN,
    "Simultaneous": "arguments of write_while_reading", "TransformerNorm": WHOLE, "ShortConvolution": WHOLE,
    "check_glimpse": "a check", "check_terms": "a check", "bottleneck": "a check", "scaled_dot_product_attention": "heed.nn.functional has it",
    "linear_kinds": "self_attention_kinds() names them: sums_up", "is_linear_kind": "self_attention_kinds() names them: sums_up",
    "make_linear": "self_attention() by name", "self_attention_kind": "self_attention_kinds()", "self_attention_maker": "self_attention()",
    "synthesizer_kinds": "self_attention() by name", "name": "text is text in Python", "self_heads": "TransformerOptions' own",
    "memory_heads": "TransformerOptions' own", "make_self_attention": "TransformerOptions' own",
    "expert_options": "TransformerOptions' own", "AttentionCall": COMPILED,
    "RotaryScaling": "a dict, scaling=", "CacheOfCall": "what heads with a cache are made of", "caches_of_call": "what stacks with caches are made of",
    "KeyValueCacheOptions": "keyword arguments", "T5Options": "keyword arguments", "RelativeOptions": "keyword arguments",
    "EntmaxOptions": "keyword arguments", "ScaledDotProductOptions": "keyword arguments of heed.nn.functional's",
    "OtherMasks": "a word that is refused",
}
#: Options that go by another name.
RENAMED = {"SelfAttentionSizes": "self_attention", "NeuralCacheOptions": "neural_cache", "WaitKOptions": "wait_k",
           "LongformerOptions": "longformer", "BigBirdOptions": "bigbird", "GraphStructureOptions": "graph_structure",
           "TableLossOptions": "table_answer_loss", "RotaryOptions": "rotary", "ValueResidualOptions": "value_residual", "LunaOptions": "luna_stack",
           "LinearOptions": "LinearAttention", "PerformerOptions": "Performer", "SetOptions": "SetBlock", "EsimOptions": "ESIM",
           "MultiPerspectiveOptions": "MultiPerspectiveMatching",
           "GatedAttentionOptions": "GatedAttentionReader", "CoAttentionOptions": "ParallelCoAttention",
           "CoupledOptions": "CoupledMultiLayerAttention", "StackedOptions": "StackedAttention", "HardOptions": "HardAttention",
           "VariationalOptions": "VariationalAttention", "GlimpseOptions": "GlimpseNetwork", "DecomposableOptions": "DecomposableAttention",
           "DeformableOptions": "DeformableAttention", "DrawOptions": "DrawAttention", "ConvSeq2SeqOptions": "ConvDecoder",
           "BahdanauOptions": "BahdanauDecoder", "LuongOptions": "LuongDecoder", "MixtureOfExpertsOptions": "MixtureOfExperts",
           "MultiTokenOptions": "MultiTokenPrediction", "NativeSparseOptions": "NativeSparseHeads", "HeadExtrasOptions": None, "TransformerOptions": "TransformerEncoderLayer"}


def code(header):
    """Without comments, and without what stands in braces that begin with a class' or a function's body."""
    text = re.sub(r"//[^\n]*", "", header.read_text())
    return re.sub(r"#[^\n]*", "", text)


def classes(text):
    for match in re.finditer(r"^(?:class|struct) (\w+)(?: : public [^{;]*| : \w+ )?\s*\{(.*?)^\};", text, re.M | re.S):
        yield match.group(1), match.group(2)


def functions(text):
    text = re.sub(r"^(?:class|struct|enum class|template)[^;{]*\{.*?^\}.*?;", "", text, flags=re.M | re.S)
    for match in re.finditer(r"^(?:inline )?[A-Za-z_][\w:<>, ()*&]*?[ &*>](\w+)\(", text, re.M):
        yield match.group(1)


def fields(body):
    names = []
    for line in re.sub(r"\([^()]*\)", "", body).split(";"):
        line = re.sub(r"\{[^{}]*\}|<[^<>]*>|<[^<>]*<[^<>]*>[^<>]*>", "", line).strip()
        match = re.match(r"(?:const )?[\w:]+[*&]? (.*)$", line, re.S)
        if match and "return" not in line:
            names += [part.split("=")[0].strip(" *&") for part in match.group(1).split(",")]
    return [n for n in names if re.fullmatch(r"\w+", n)]


def public(header):
    return str(header.relative_to(ROOT / "attention"))


@pytest.mark.parametrize("header", [h for h in HEADERS if public(h) not in WITHOUT], ids=public)
def test_all_of_a_header_is_there(header):
    text = code(header)
    missing = []
    for name, body in classes(text):
        if name in WITHOUT or name.endswith("Options") or name in RENAMED:
            continue
        if not hasattr(attention, name) and f"self_attention_kinds" not in name:
            missing.append(name)
    missing += [name for name in functions(text) if name not in WITHOUT and not hasattr(attention, name)]
    assert not missing, f"{public(header)}: bind them in python/, or say in WITHOUT why not"


def options():
    for header in HEADERS:
        for name, body in classes(code(header)):
            if name.endswith("Options") or name in RENAMED:
                yield name, fields(body)


@pytest.mark.parametrize("name, expected", options(), ids=lambda of: of if isinstance(of, str) else "")
def test_all_options_are_there(name, expected):
    assert expected
    where = RENAMED.get(name, name.removesuffix("Options"))
    if name in WITHOUT or where is None:
        return
    thing = getattr(attention, where)
    said = (thing.__init__ if inspect.isclass(thing) else thing).__doc__
    missing = [field for field in expected if not re.search(rf"\b{field}_?: ", said) and f"{name}.{field}" not in WITHOUT]
    assert not missing, said


def test_exceptions_are_no_more_than_needed():
    text = "\n".join(code(h) for h in HEADERS)
    for name in WITHOUT:
        last = name.split(".")[-1]
        assert last.endswith("/h") or "/" in name or re.search(rf"\b{last}\b", text), name
        assert "." in name or not hasattr(attention, name), name + " is there after all"


def test_help_shows_every_argument():
    assert "state_width: int = 0" in attention.Hopfield.__init__.__doc__
    assert "forward(self: heed" in attention.Hopfield.forward.__doc__
    assert "-> heed" in attention.self_attention.__doc__
    assert heed.attention.CBAM.__doc__
    for name, thing in vars(attention).items():
        if not name.startswith("_") and inspect.isclass(thing):
            assert thing.__module__ == "heed.attention", name

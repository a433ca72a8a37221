"""One line a mechanism: how it is made, what it is given, the shape of what it gives first.

Inputs are tensors, or shapes that are drawn in f64; distinct primes, so that a swapped axis cannot pass.
"""

import heed
from heed import attention as A
from heed import stochastic
from heed.attention import Mask

f64 = heed.float64
X = (2, 5, 12)  # B, T, E
MAP = (2, 6, 5, 7)


def ids(shape, below=11):
    return heed.randint(below, shape)


def kind(name):
    return lambda: A.self_attention(name, width=12, heads=3, max_length=16, dtype=f64)


class Pondering(heed.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = heed.nn.GRUCell(4, 5, dtype=f64)
        self.act = A.AdaptiveComputation(state=5, cell=lambda x, s: self.cell(x, s), max_steps=3, dtype=f64)

    def forward(self, x):
        return self.act(x)


def hard(attend, *x):
    return attend(*x, choices=stochastic.ExpectedChoices())


def edges():
    return A.Edges([0, 1, 2, 4, 4], [1, 2, 0, 3, 1], 5).with_self_loops()


def graphs():
    return A.graph_structure([A.Edges([0, 1], [1, 2], 3), edges()], 5, positions=2, max_distance=3, max_degree=3, dtype=f64)


def wide(**options):
    return dict(width=4, heads=2, hidden=5, dropout=0, dtype=f64, **options)


def table():
    return dict(words=ids((2, 3)), numbers=heed.randn(2, 2, dtype=f64), left=heed.tensor([[0, -1], [1, 2]]),
                table=heed.randn(2, 3, 2, dtype=f64), names=ids((2, 2)))


#: name: (make, inputs, shape of the result, how it is called)
CASES = {
    # transformer/
    "MultiHead": (lambda: A.MultiHead(12, 3, extras={"slots": 2}, gate=True, dtype=f64), [X], X),
    "DifferentialHeads": (lambda: A.DifferentialHeads(width=12, heads=3, kind="v1", dtype=f64), [X], X),
    "ForgettingHeads": (lambda: A.ForgettingHeads(width=12, heads=3, dtype=f64), [X], X),
    "LatentHeads": (lambda: A.LatentHeads(width=12, heads=3, latent=5, head_width=4, rotary_width=2, dtype=f64), [X], X),
    "NativeSparseHeads": (lambda: A.NativeSparseHeads(width=12, heads=3, block=2, stride=1, selected_block=2, selected=3, window=2,
                                                      dtype=f64), [X], X),
    "Synthesizer": (lambda: A.Synthesizer(width=12, heads=3, max_length=7, kinds=["random", "dot_product"], dtype=f64), [X], X),
    "TransformerXLHeads": (lambda: A.TransformerXLHeads(width=12, heads=3, dtype=f64), [X], X,
                           lambda f, x: f(x, heed.ones(2, 3, 12, dtype=f64))),
    "TransformerXL": (lambda: A.TransformerXL(width=4, heads=2, memory=3, dtype=f64), [(2, 5, 4)], (2, 5, 4),
                      lambda f, x: f(x, A.TransformerXLState())),
    "MixtureOfExperts": (lambda: A.MixtureOfExperts(width=3, hidden=5, experts=4, dtype=f64), [(2, 5, 3)], (2, 5, 3)),
    "MixtureOfDepths": (lambda: A.MixtureOfDepths(block=wide(), capacity=0.5), [(2, 5, 4)], (2, 5, 4)),
    "MultiTokenPrediction": (lambda: A.MultiTokenPrediction(depth=1, transformer=wide()), [(2, 5, 4), (2, 5, 4)], (2, 4, 4)),
    "TransformerEncoder": (lambda: A.TransformerEncoder(2, **wide(self_attention="retnet")), [(2, 5, 4)], (2, 5, 4)),
    "value_residual": (lambda: A.TransformerEncoder(2, **wide(self_attention=A.value_residual(
        width=4, heads=2, layers=2, dtype=f64))), [(2, 5, 4)], (2, 5, 4)),
    "luna_stack": (lambda: A.TransformerEncoder(2, **wide(self_attention=A.luna_stack(
        width=4, heads=2, length=3, layers=2, dtype=f64))), [(2, 5, 4)], (2, 5, 4)),
    # linear/
    "LinearAttention": (lambda: A.LinearAttention(width=12, heads=3, dtype=f64), [X], X),
    "CosFormer": (lambda: A.CosFormer(width=12, heads=3, max_length=7, dtype=f64), [X], X),
    "Performer": (lambda: A.Performer(width=12, heads=3, features=7, kind="hyperbolic", dtype=f64), [X], X),
    "AttentionFree": (lambda: A.AttentionFree(12, dtype=f64), [X], X),
    "AttentionFreeFull": (lambda: A.AttentionFreeFull(width=12, max_length=7, window=3, dtype=f64), [X], X),
    "LunaCausal": (lambda: A.LunaCausal(width=12, heads=3, length=2, dtype=f64), [X], X),
    "RetNet": (lambda: A.RetNet(width=12, heads=3, dtype=f64), [X], X),
    "GatedLinearAttention": (lambda: A.GatedLinearAttention(width=12, heads=3, rank=2, dtype=f64), [X], X),
    "StateSpaceDuality": (lambda: A.StateSpaceDuality(width=12, heads=3, dtype=f64), [X], X),
    "DeltaNet": (lambda: A.DeltaNet(width=12, heads=3, dtype=f64), [X], X),
    "GatedDeltaNet": (lambda: A.GatedDeltaNet(width=12, heads=3, dtype=f64), [X], X),
    "RWKV6": (lambda: A.RWKV6(width=12, heads=3, rank=2, dtype=f64), [X], X),
    "Fastformer": (lambda: A.Fastformer(12, 3, dtype=f64), [X], X),
    "Linformer": (lambda: A.Linformer(width=12, heads=3, max_length=7, rank=2, dtype=f64), [X], X),
    "Luna": (lambda: A.Luna(12, 3, 2, dtype=f64), [X], X),
    "Nystromformer": (lambda: A.Nystromformer(width=12, heads=3, landmarks=2, iterations=2, dtype=f64), [X], X),
    "SinkhornBlocks": (lambda: A.SinkhornBlocks(width=12, heads=3, block=2, max_blocks=3, dtype=f64), [X], X),
    "Reformer": (lambda: A.Reformer(width=12, heads=3, buckets=2, rounds=1, dtype=f64), [X], X),
    "Routing": (lambda: A.Routing(width=12, heads=3, centroids=2, dtype=f64), [X], X),
    "fast_weights": (None, [(2, 5, 3), (2, 5, 3), (2, 5, 7)], (2, 5, 7), lambda f, q, k, v: A.fast_weights(q=q, k=k, v=v, chunk=2)),
    "fast_weights_matrix": (None, [(2, 5, 3), (2, 5, 3), (2, 5, 7)], (2, 5, 5), lambda f, q, k, v: A.fast_weights_matrix(q=q, k=k, v=v)),
    # pooling/
    "AttentionPooling": (lambda: A.AttentionPooling(12, 5, dtype=f64), [X], (2, 12)),
    "SourceToToken": (lambda: A.SourceToToken(12, 5, dtype=f64), [X], (2, 12)),
    "TokenToToken": (lambda: A.TokenToToken(12, 5, dtype=f64), [X], X),
    "Hierarchical": (lambda: A.Hierarchical([{"width": 12, "encode": lambda x, lengths: x.tanh()}, {"width": 12}], dtype=f64),
                     [(3, 5, 12)], (2, 12), lambda f, x: f(x, [[5, 2, 3], [2, 1]])),
    "grid_attention": (lambda: A.Additive(3, 6, 5, dtype=f64), [(2, 3), MAP], (2, 6), lambda f, q, m: A.grid_attention(f, q, m)),
    "box_attention": (lambda: A.Additive(3, 6, 5, dtype=f64), [(2, 3), (2, 7, 6)], (2, 6), lambda f, q, b: A.box_attention(f, q, b)),
    "doubly_stochastic_penalty": (None, [(2, 3, 5)], (2,), lambda f, w: A.doubly_stochastic_penalty(w)),
    # pairs/
    "DecomposableAttention": (lambda: A.DecomposableAttention(width=3, hidden=4, differences=True, dtype=f64), [(2, 5, 3), (2, 7, 3)],
                              (2, 7, 4)),
    "ESIM": (lambda: A.ESIM(width=3, hidden=2, dtype=f64), [(2, 5, 3), (2, 7, 3)], (2, 7, 4)),
    "TwoWay": (lambda: A.TwoWay(3, 4, dtype=f64), [(2, 5, 3), (2, 3, 3)], (2, 3, 4)),
    "LSTMNPair": (lambda: A.LSTMNPair(3, 4, dtype=f64), [(2, 5, 3), (2, 3, 3)], (2, 3, 4)),
    "ConditionalEncoding": (lambda: A.ConditionalEncoding(3, 4, dtype=f64), [(2, 5, 3), (2, 7, 3)], (2, 5, 4)),
    "WordByWord": (lambda: A.WordByWord(3, dtype=f64), [(2, 5, 3), (2, 2, 3)], (2, 2, 3)),
    "OneShotAttention": (lambda: A.OneShotAttention(3, dtype=f64), [(2, 5, 3), (2, 3)], (2, 3)),
    "AttentionOverAttention": (lambda: A.AttentionOverAttention(), [(2, 5, 3), (2, 7, 3)], (2, 5)),
    "AttentionSum": (lambda: A.AttentionSum(), [(2, 5, 3), (2, 3)], (2, 5)),
    "pointer_sum": (None, [(2, 5)], (2, 7), lambda f, w: A.pointer_sum(w, heed.tensor([[0, 1, 6, 1, 1], [2, 2, 0, 5, 5]]), 7)),
    "Trilinear": (lambda: A.Trilinear(3, dtype=f64), [(2, 5, 3), (2, 7, 3)], (2, 5, 7)),
    "BiDirectional": (lambda: A.BiDirectional(3, dtype=f64), [(2, 5, 3), (2, 7, 3)], (2, 5, 12)),
    "gated_attention": (None, [(2, 5, 3), (2, 7, 3)], (2, 5, 3), lambda f, d, q: A.gated_attention(d, q)),
    "GatedAttentionReader": (lambda: A.GatedAttentionReader(input=3, hidden=2, hops=2, dtype=f64), [(2, 5, 3), (2, 3, 3)], (2, 5)),
    "GatedMatching": (lambda: A.GatedMatching(width=3, question_width=2, hidden=4, dtype=f64), [(2, 5, 3), (2, 7, 2)], (2, 5, 4)),
    "MultiPerspectiveMatching": (lambda: A.MultiPerspectiveMatching(hidden=2, perspectives=3, dtype=f64), [(2, 5, 4), (2, 7, 4)], (2, 5, 24),
                                 lambda f, p, q: f(p, q).premise),
    "BiMPM": (lambda: A.BiMPM(width=3, hidden=2, perspectives=5, dtype=f64), [(2, 5, 3), (2, 7, 3)], (2, 7, 4)),
    "SelfMatching": (lambda: A.SelfMatching(width=3, hidden=4, dtype=f64), [(2, 5, 3)], (2, 5, 8)),
    "ParallelCoAttention": (lambda: A.ParallelCoAttention(question_width=3, image_width=5, hidden=4, dtype=f64),
                            [(2, 7, 3), (2, 11, 5)], (2, 5), lambda f, *x: f(*x).image.context),
    "AlternatingCoAttention": (lambda: A.AlternatingCoAttention(question_width=3, image_width=5, hidden=4, dtype=f64),
                               [(2, 7, 3), (2, 11, 5)], (2, 3), lambda f, *x: f(*x).question.context),
    "CoAttentionHierarchy": (lambda: A.CoAttentionHierarchy(width=3, answers=5, kind="alternating", dtype=f64),
                             [(2, 7, 3), (2, 11, 3)], (2, 5)),
    "StackedAttention": (lambda: A.StackedAttention(width=3, hidden=5, dtype=f64), [(2, 3), (2, 7, 3)], (2, 3)),
    "TwoStreams": (lambda: A.TwoStreams(width=4, other_width=6, heads=2, hidden=5, other_hidden=7, dtype=f64), [(2, 5, 4), (2, 7, 6)],
                   (2, 5, 4), lambda f, *x: f(*x).x.context),
    "CoupledMultiLayerAttention": (lambda: A.CoupledMultiLayerAttention(width=3, slices=2, dtype=f64), [(2, 5, 3)], (2, 5, 3),
                                   lambda f, x: f(x).opinion.logits),
    # sets/
    "Hopfield": (lambda: A.Hopfield(state_width=3, stored_width=5, head_width=4, heads=2, updates=2, dtype=f64), [(2, 7, 3), (2, 11, 5)],
                 (2, 7, 3)),
    "HopfieldPooling": (lambda: A.HopfieldPooling(state_width=3, stored_width=5, head_width=4, count=2, dtype=f64), [(2, 11, 5)],
                        (2, 2, 3)),
    "HopfieldLayer": (lambda: A.HopfieldLayer(state_width=3, stored_width=5, head_width=4, count=2, dtype=f64), [(2, 7, 3)], (2, 7, 3)),
    "hopfield_energy": (None, [(2, 7, 3), (2, 11, 3)], (2, 7), lambda f, s, p: A.hopfield_energy(s, p, 0.7)),
    "hopfield_update": (None, [(2, 7, 3), (2, 11, 3)], (2, 7, 3), lambda f, s, p: A.hopfield_update(s, p, 0.7)),
    "SetBlock": (lambda: A.SetBlock(width=4, heads=2, dtype=f64), [(2, 5, 4), (2, 7, 4)], (2, 5, 4)),
    "InducedSetBlock": (lambda: A.InducedSetBlock(width=4, heads=2, points=3, dtype=f64), [(2, 5, 4)], (2, 5, 4)),
    "SetPooling": (lambda: A.SetPooling(width=4, heads=2, seeds=3, dtype=f64), [(2, 5, 4)], (2, 3, 4)),
    "SetTransformer": (lambda: A.SetTransformer(blocks=dict(width=4, heads=2, layer_norm=False, dtype=f64), encoder=1, seeds=3), [(2, 5, 4)],
                       (2, 3, 4)),
    "PerceiverRead": (lambda: A.PerceiverRead(width=4, input_width=6, heads=2, hidden=5, dtype=f64), [(2, 3, 4), (2, 7, 6)], (2, 3, 4)),
    "Perceiver": (lambda: A.Perceiver(input_width=5, latents=3, width=4, heads=2, hidden=5, query_width=6, dtype=f64),
                  [(2, 7, 5), (2, 11, 6)], (2, 11, 6)),
    "SlotAttention": (lambda: A.SlotAttention(input=5, width=3, times=2, dtype=f64), [(2, 7, 5), (2, 3, 3)], (2, 3, 3),
                      lambda f, x, slots: f(x, slots=slots)),
    "NeuralProcess": (lambda: A.NeuralProcess(input=1, output=2, width=4, heads=2, latent=False, dtype=f64),
                      [(2, 5, 1), (2, 5, 2), (2, 3, 1)], (2, 3, 2)),
    # memory/
    "MemoryNetwork": (lambda: A.MemoryNetwork(vocabulary=11, width=3, hops=2, slots=5, noise=0, dtype=f64), [ids((2, 3, 4)), ids((2, 5))],
                      (2, 11)),
    "KeyValueMemory": (lambda: A.KeyValueMemory(features=3, width=5, dtype=f64), [(2, 4, 3), (2, 7, 3), (2, 7, 3)], (2, 4, 5)),
    "AttentionGRU": (lambda: A.AttentionGRU(3, 5, dtype=f64), [(2, 7, 3), (2, 7)], (2, 5)),
    "DynamicMemory": (lambda: A.DynamicMemory(width=3, hops=2, dtype=f64), [(2, 7, 3), (2, 3)], (2, 3)),
    "MemoryStream": (lambda: A.MemoryStream(width=4, hops=2, span=3, dtype=f64), [(2, 5, 4), (2, 5, 4)], (2, 5, 4)),
    "Memorizing": (lambda: A.Memorizing(width=4, heads=2, nearest=2, dtype=f64), [(2, 5, 4)], (2, 5, 4),
                   lambda f, x: f(x, A.MemorizingStore())),
    "PointerSentinel": (lambda: A.PointerSentinel(3, dtype=f64), [(2, 5, 3), (2, 5, 11), ids((2, 5))], (2, 5, 11)),
    "neural_cache": (None, [(2, 5, 3), (2, 5, 11)], (2, 5, 11),
                     lambda f, s, v: A.neural_cache(s, v, heed.tensor([[1, 2, 3, 4, 5]] * 2), theta=0.5)),
    "LSTMN": (lambda: A.LSTMN(input=3, hidden=4, dtype=f64), [(2, 5, 3)], (2, 5, 4)),
    "TuringMachine": (lambda: A.TuringMachine(input=3, output=5, hidden=4, slots=5, slot_width=3, dtype=f64), [(2, 3, 3)], (2, 3, 5)),
    "NeuralComputer": (lambda: A.NeuralComputer(input=3, output=5, hidden=4, slots=4, slot_width=3, dtype=f64), [(2, 3, 3)], (2, 3, 5)),
    "find_in_memory": (None, [(2, 5, 3), (2, 4, 3), (2, 4, 1)], (2, 4, 5), lambda f, *x: A.find_in_memory(*x)),
    "address_memory": (None, [(2, 5, 3), (2, 4, 3)], (2, 4, 5), lambda f, m, k: A.address_memory(
        m, heed.full((2, 4, 5), 0.2, dtype=f64), key=k, strength=heed.ones(2, 4, 1, dtype=f64), gate=heed.full((2, 4, 1), 0.3, dtype=f64),
        shift=heed.full((2, 4, 3), 1 / 3, dtype=f64), sharpen=heed.full((2, 4, 1), 2.0, dtype=f64))),
    "read_memory": (None, [(2, 5, 3), (2, 4, 5)], (2, 4, 3), lambda f, *x: A.read_memory(*x)),
    "write_memory": (None, [(2, 5, 3), (2, 4, 5), (2, 4, 3), (2, 4, 3)], (2, 5, 3), lambda f, *x: A.write_memory(*x)),
    "allocate_memory": (None, [(2, 5)], (2, 5), lambda f, u: A.allocate_memory(u.sigmoid())),
    "link_memory": (None, [(2, 5, 5), (2, 5), (2, 5)], (2, 5, 5), lambda f, *x: A.link_memory(*x)),
    "NeuralGPU": (lambda: A.NeuralGPU(width=3, columns=2, dtype=f64), [(2, 5, 3)], (2, 5, 3)),
    "NeuralProgrammer": (lambda: A.NeuralProgrammer(vocabulary=11, width=4, steps=2, dtype=f64), [], (2, 3, 2),
                         lambda f: f(**TABLE).answers.cells),
    "AdaptiveComputation": (Pondering, [(2, 4, 3)], (2, 4, 5)),
    # graph/
    "GraphAttention": (lambda: A.GraphAttention(kind="gat", input=3, head_width=5, heads=2, dtype=f64), [(5, 3)], (5, 10),
                       lambda f, x: f(x, edges())),
    "GraphAttention of a block": (lambda: A.GraphAttention(input=3, head_width=5, heads=2, average=True, dtype=f64), [(2, 5, 3)],
                                  (2, 5, 5), lambda f, x: f.block(x, mask=Mask(edges().block()))),
    "GraphTransformer": (lambda: A.GraphTransformer(layers=1, transformer=wide(), positions=2, max_distance=3, max_degree=3), [(2, 5, 4)],
                         (2, 5, 4), lambda f, x: f(x, GRAPHS)),
    # structured/
    "linear_chain": (None, [(2, 5, 3), (3, 3)], (2, 5, 3), lambda f, u, a: A.linear_chain(u, a)),
    "sparse_chain": (None, [(2, 5, 2), (2, 2)], (2, 5, 2), lambda f, u, a: A.sparse_chain(u, a)),
    "spanning_trees": (None, [(2, 5, 5), (2, 5)], (2, 5, 5), lambda f, s, r: A.spanning_trees(s, r)),
    "LinearChain": (lambda: A.LinearChain(dtype=f64), [(2, 3, 5)], (2, 3, 5)),
    "SparseLinearChain": (lambda: A.SparseLinearChain(dtype=f64), [(2, 3, 5)], (2, 3, 5)),
    "Sinkhorn": (lambda: A.Sinkhorn(iterations=3), [(2, 3, 5)], (2, 3, 5)),
    "TreeAttention": (lambda: A.TreeAttention(width=3, hidden=4, dtype=f64), [(2, 5, 3)], (2, 5, 3)),
    # hard/
    "HardAttention": (lambda: A.HardAttention(score=A.Additive(3, 5, 4, dtype=f64)), [(2, 7, 3), (2, 11, 5), (2, 11, 4)], (2, 7, 4), hard),
    "VariationalAttention": (lambda: A.VariationalAttention(prior=A.Additive(3, 5, 4, dtype=f64), posterior=A.Additive(2, 5, 4, dtype=f64)),
                             [(2, 7, 3), (2, 7, 2), (2, 11, 5), (2, 11, 4)], (2, 7), lambda f, *x: hard(f, *x).kl),
    "GlimpseNetwork": (lambda: A.GlimpseNetwork(size=3, hidden=4, width=5, dtype=f64), [(2, 1, 7, 7)], (2, 5),
                       lambda f, x: f(x, heed.tensor([[0.1, 0.2], [-0.3, 0.4]], dtype=f64))),
    "glimpse_sensor": (None, [(2, 3, 7, 7)], (2, 27),
                       lambda f, x: A.glimpse_sensor(x, heed.tensor([[0.1, 0.2], [-0.3, 0.4]], dtype=f64), 3)),
    "LocationNetwork": (lambda: A.LocationNetwork(5, bounded=True, dtype=f64), [(2, 5)], (2, 2)),
    # vision/
    "SqueezeExcitation": (lambda: A.SqueezeExcitation(6, 2, dtype=f64), [MAP], MAP),
    "EfficientChannelAttention": (lambda: A.EfficientChannelAttention(6, dtype=f64), [MAP], MAP),
    "ChannelGate": (lambda: A.ChannelGate(6, reduction=3, dtype=f64), [MAP], MAP),
    "PlaceGate": (lambda: A.PlaceGate(3, dtype=f64), [MAP], MAP),
    "CBAM": (lambda: A.CBAM(6, reduction=2, kernel=3, dtype=f64), [MAP], MAP),
    "AugmentedConvolution": (lambda: A.AugmentedConvolution(in_=6, out=5, heads=2, key_width=4, value_width=2, height=5, width=7,
                                                            dtype=f64), [MAP], (2, 5, 5, 7)),
    "NonLocal": (lambda: A.NonLocal(width=6, inner=3, kind="dot", dtype=f64), [MAP], MAP),
    "CoordConv": (lambda: A.CoordConv(6, 4, 3, radius=True, padding=1, dtype=f64), [MAP], (2, 4, 5, 7)),
    "with_coordinates": (None, [MAP], (2, 8, 5, 7), lambda f, x: A.with_coordinates(x)),
    "DeformableAttention": (lambda: A.DeformableAttention(width=6, heads=2, levels=1, points=2, dtype=f64), [(2, 3, 6), MAP], (2, 3, 6),
                            lambda f, q, x: f(q, heed.full((2, 3, 2), 0.47, dtype=f64), [x])),
    "SpatialTransformer": (lambda: A.SpatialTransformer(features=3, height=2, width=4, dtype=f64), [MAP, (2, 3)], (2, 6, 2, 4)),
    "DrawAttention": (lambda: A.DrawAttention(state_width=3, size=2, height=5, width=7, dtype=f64), [MAP, (2, 3)], (2, 6, 2, 2),
                      lambda f, x, h: f.read(x, f.filters(h))),
    "SwinBlock": (lambda: A.SwinBlock(width=4, heads=2, window=2, shift=1, hidden=5, dtype=f64), [(2, 3, 5, 4)], (2, 3, 5, 4)),
    "PatchMerging": (lambda: A.PatchMerging(4, dtype=f64), [(2, 3, 5, 4)], (2, 2, 3, 8)),
    "Swin": (lambda: A.Swin(channels=1, patch=2, classes=3, width=4, depths=[1, 1], heads=[1, 2], window=2, dtype=f64), [(2, 1, 6, 7)],
             (2, 3)),
    "VisionTransformer": (lambda: A.VisionTransformer(height=4, width=6, channels=1, patch=2, classes=3, layers=1, embedding=4, heads=2,
                                                      hidden=5, distilled=True, encoder={"activation": "silu"}, dtype=f64),
                          [(2, 1, 4, 6)], (2, 3)),
    # decoders/
    "BahdanauDecoder": (lambda: A.BahdanauDecoder(word_width=3, annotation_width=6, state_width=4, dtype=f64), [(2, 4, 3), (2, 5, 6)],
                        (2, 4, 4)),
    "LuongDecoder": (lambda: A.LuongDecoder(word_width=3, source_width=4, state_width=4, attention="local_p", half_width=2, dtype=f64),
                     [(2, 4, 3), (2, 5, 4)], (2, 4, 4)),
    "LocationAwareDecoder": (lambda: A.LocationAwareDecoder(word_width=3, annotation_width=6, state_width=4, filters=2, kernel=3, dtype=f64),
                             [(2, 4, 3), (2, 5, 6)], (2, 4, 4)),
    "LSTMNDecoder": (lambda: A.LSTMNDecoder(input=3, hidden=4, source=4, fusion="deep", dtype=f64), [(2, 3, 3), (2, 5, 4), (2, 5, 4)],
                     (2, 3, 4)),
    "MultiStepAttention": (lambda: A.MultiStepAttention(3, 5, dtype=f64), [(2, 4, 3), (2, 4, 5), (2, 7, 5)], (2, 4, 3),
                           lambda f, h, g, z: f(h, g, A.MultiStepAttention.memory(z, z.tanh()))),
    "ConvDecoder": (lambda: A.ConvDecoder(width=3, hidden=4, kernel=2, dtype=f64), [(2, 4, 3), (2, 5, 3)], (2, 4, 3),
                    lambda f, w, s: f(w, A.Memory(s, s.tanh()))),
    "ConvEncoder": (lambda: A.ConvEncoder(width=3, hidden=4, dtype=f64), [(2, 5, 3)], (2, 5, 3), lambda f, x: f(x).values),
    "Local": (lambda: A.Local(kind="predictive", half_width=2, query_width=3, dtype=f64), [(2, 4, 3), (2, 5, 3), (2, 5, 6)], (2, 4, 6)),
    "Pointer": (lambda: A.Pointer(3, 5, 4, dtype=f64), [(2, 4, 3), (2, 7, 5)], (2, 4, 7)),
    "PointerNetwork": (lambda: A.PointerNetwork(input_width=3, key_width=5, state_width=4, dtype=f64), [(2, 7, 5), (2, 7, 3), ids((2, 3), 7)],
                       (2, 3, 7)),
    "SubsetPointer": (lambda: A.SubsetPointer(3, 4, dtype=f64), [(2, 5, 3)], (2,), lambda f, k: f.loss(k, [5, 3], [[4, 0], [1]])),
    "CoverageScore": (lambda: A.CoverageScore(3, 5, 4, dtype=f64), [(2, 1, 3), (2, 7, 5)], (2, 1, 7)),
    "Coverage": (lambda: A.Coverage(3, 5, 4, dtype=f64), [(2, 3, 3), (2, 7, 5), (2, 7, 6)], (2, 3, 6)),
    "PointerGenerator": (lambda: A.PointerGenerator(word_width=3, annotation_width=5, state_width=4, vocabulary=11, dtype=f64),
                         [(2, 3, 3), (2, 7, 5)], (2, 3, 13),
                         lambda f, w, a: f(w, a, heed.tensor([[1, 2, 11, 12, 3, 4, 0]] * 2)).distribution(13)),
    "SmoothedAttention": (lambda: A.SmoothedAttention(3, 5, 1, dtype=f64), [(2, 4, 3), (2, 7, 5)], (2, 4, 5)),
    "Summariser": (lambda: A.Summariser(source_words=11, target_words=13, source_width=3, target_width=2, context=2, hidden=5, dtype=f64),
                   [ids((2, 7)), ids((2, 3))], (2, 3, 13)),
    "MonotonicHeads": (lambda: A.MonotonicHeads(width=4, heads=2, key_width=3, look_back=True, dtype=f64), [(2, 5, 4), (2, 7, 3)], (2, 5, 4)),
    "infinite_lookback": (None, [(2, 5), (2, 5)], (2, 5), lambda f, a, u: A.infinite_lookback(a, u)),
    "expected_delays": (None, [(2, 3, 5)], (2, 3), lambda f, a: A.expected_delays(a)),
    "differentiable_average_lagging": (None, [(2, 3)], (2,), lambda f, d: A.differentiable_average_lagging(d, [5, 7])),
    "monotonic_latency": (None, [(2, 3, 5)], (2,), lambda f, d: A.monotonic_latency(d, [5, 7])),
    # scores, normalisers, positions
    "ContextualPositions": (lambda: A.ContextualPositions(3, 4, dtype=f64), [(2, 5, 3), (2, 5, 3)], (2, 5, 5)),
    "Gaussian": (lambda: A.Gaussian(), [(2, 5, 4), (2, 7, 3)], (2, 5, 7)),
    "MonotonicEnergy": (lambda: A.MonotonicEnergy(query_width=3, key_width=5, hidden=4, dtype=f64), [(2, 5, 3), (2, 7, 5)], (2, 5, 7)),
    "StaticGraphScore": (lambda: A.StaticGraphScore(2, 3, dtype=f64), [(2, 5, 3), (2, 7, 3)], (2, 5, 7)),
    "DynamicGraphScore": (lambda: A.DynamicGraphScore(2, 3, dtype=f64), [(2, 5, 3), (2, 7, 3)], (2, 5, 7)),
    "Mocha": (lambda: A.Mocha(2), [(2, 3, 5)], (2, 3, 5)),
    "ByCount": (lambda: A.ByCount(), [(2, 3, 5)], (2, 3, 5)),
    "SlotShares": (lambda: A.SlotShares(), [(2, 3, 5)], (2, 3, 5)),
    "LearnedPositions": (lambda: A.LearnedPositions(7, 3, dtype=f64), [(2, 5, 3)], (2, 5, 3)),
    "gaussian_bias": (None, [(2, 5)], (2, 5, 7), lambda f, c: A.gaussian_bias(c, 7, 1.3)),
    "rotary": (None, [(2, 3, 5, 4)], (2, 3, 5, 4), lambda f, x: A.rotary(
        x, 2, scaling={"kind": "yarn", "factor": 4.0, "original_length": 16})),
    "merge": (None, [(2, 5, 3), (2, 7, 3), (2, 11, 3)], (2, 5, 3), lambda f, q, a, b: A.merge(
        [A.attend(q, a, a.tanh(), need_log_sums=True), A.attend(q, b, b.tanh(), need_log_sums=True)])),
}
TABLE, GRAPHS = table(), graphs()
CASES.update({f"self_attention {k.name}": (kind(k.name), [X], X, lambda f, x: f(x, mask=Mask.causal())) for k in A.self_attention_kinds()})

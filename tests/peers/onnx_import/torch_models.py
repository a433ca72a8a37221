"""torch_models.py PROGRAM FOLDER: what torch.onnx.export() writes of models and layers, at several versions of ONNX's
operators, run here: outputs within 1e-5 of PyTorch's, on another batch size and length than the exporter saw, and gradients
of every parameter. One line a kind; exit 1 where one differs or is refused."""
import subprocess
import sys
import warnings

import numpy
import torch
from torch import nn
from torch.nn import functional as F

PROGRAM, FOLDER = sys.argv[1:3]
warnings.filterwarnings('ignore')
torch.set_num_threads(1)


class Of(nn.Module):
    """A function of its inputs, with layers."""

    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        for name, layer in layers.items():
            if isinstance(layer, torch.Tensor):
                setattr(self, name, nn.Parameter(layer))
            else:
                setattr(self, name, layer)

    def forward(self, *inputs):
        return self.function(self, *inputs)


class Attention(nn.Module):
    """Grown by hand, as people write it."""

    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5
        if self.causal:
            scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), float('-inf'))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))


class Gpt(nn.Module):
    def __init__(self, words=17, width=12, layers=2):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(32, width)
        self.blocks = nn.ModuleList([nn.ModuleList([nn.LayerNorm(width), Attention(width, 3, True), nn.LayerNorm(width),
                                                    nn.Sequential(nn.Linear(width, 24), nn.GELU(), nn.Linear(24, width))])
                                     for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        for first, attend, second, feed in self.blocks:
            x = x + attend(first(x))
            x = x + feed(second(x))
        return self.head(self.norm(x))


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.a, self.b = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.Conv2d(channels, channels, 3, padding=1)
        self.na, self.nb = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(x + self.nb(self.b(F.relu(self.na(self.a(x))))))


def normal(*shape):
    return torch.randn(*shape)


def ids(*shape):
    return torch.randint(0, 17, shape)


def recurrent(kind, **options):
    layer = kind(5, 7, **options)
    first = options.get('batch_first', False)

    def forward(self, x):
        out = self.layer(x)
        states = out[1] if isinstance(out[1], tuple) else (out[1],)
        return (out[0], *states)
    return Of(forward, layer=layer), {'x': (normal(3, 4, 5), {0: 'a', 1: 'b'})}, normal(2, 6, 5) if first else normal(2, 6, 5)


# Name: the module, its inputs for the exporter with their named axes, and others to run on.
def kinds():
    cnn = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), Residual(8),
                        nn.Conv2d(8, 6, 3, stride=2, padding=1, groups=2), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(6, 5))
    batch = {0: 'batch'}
    both = {0: 'batch', 1: 'length'}
    yield 'mlp', nn.Sequential(nn.Linear(7, 11), nn.ReLU(), nn.Linear(11, 5), nn.Tanh(), nn.Dropout(), nn.Linear(5, 3),
                               nn.LogSoftmax(-1)), [(normal(3, 7), batch)], [normal(5, 7)]
    yield 'cnn', cnn, [(normal(2, 3, 16, 14), batch)], [normal(3, 3, 16, 14)]
    yield 'cnn1d', nn.Sequential(nn.Conv1d(3, 5, 5, padding=2, dilation=1), nn.ELU(), nn.AvgPool1d(3, 2, 1), nn.Conv1d(5, 4, 3),
                                 nn.LeakyReLU(0.2)), [(normal(2, 3, 11), {0: 'batch', 2: 'length'})], [normal(3, 3, 17)]
    yield 'pools', Of(lambda self, x: (F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1),
                                       F.avg_pool2d(x, 2, 2, 1, count_include_pad=False), F.adaptive_avg_pool2d(x, 1),
                                       F.adaptive_max_pool2d(x, 1))), [(normal(2, 3, 13, 11), batch)], [normal(3, 3, 13, 11)]
    yield 'autoencoder', nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.SiLU(), nn.ConvTranspose2d(4, 3, 3, 2, 1, 1), nn.Hardswish(),
                                       nn.ConvTranspose2d(3, 1, 4, 2, 1), nn.Sigmoid()), [(normal(2, 1, 8, 6), batch)], [normal(3, 1, 8, 6)]
    yield 'norms', Of(lambda self, x: self.i(self.g(self.b(x))), b=nn.BatchNorm1d(6), g=nn.GroupNorm(3, 6), i=nn.InstanceNorm1d(6, affine=True)), \
        [(normal(2, 6, 5), {0: 'batch', 2: 'length'})], [normal(3, 6, 9)]
    for name, kind, options in (('lstm', nn.LSTM, {}), ('lstm2', nn.LSTM, dict(num_layers=2, bidirectional=True, batch_first=True)),
                                ('gru', nn.GRU, {}), ('gru2', nn.GRU, dict(num_layers=2, bidirectional=True, batch_first=True)),
                                ('rnn', nn.RNN, dict(bidirectional=True)), ('rnn_relu', nn.RNN, dict(nonlinearity='relu', bias=False))):
        module, inputs, other = recurrent(kind, **options)
        yield name, module, list(inputs.values()), [other]
    yield 'lstm_state', Of(lambda self, x, h, c: self.layer(x, (h, c))[0], layer=nn.LSTM(5, 7)), \
        [(normal(4, 3, 5), {0: 'length', 1: 'batch'}), (normal(1, 3, 7), {1: 'batch'}), (normal(1, 3, 7), {1: 'batch'})], \
        [normal(6, 2, 5), normal(1, 2, 7), normal(1, 2, 7)]
    yield 'tagger', Of(lambda self, ids: self.out(self.rnn(self.words(ids))[0]), words=nn.Embedding(17, 5),
                       rnn=nn.LSTM(5, 7, batch_first=True, bidirectional=True), out=nn.Linear(14, 3)), [(ids(3, 4), both)], [ids(2, 7)]
    layer = nn.TransformerEncoderLayer(12, 3, 16, batch_first=True)
    layer.self_attn.forward  # which the exporter takes apart in training mode alone
    yield 'encoder', Of(lambda self, x, mask: self.body(x, src_key_padding_mask=mask), body=nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)), \
        [(normal(3, 5, 12), both), (torch.zeros(3, 5, dtype=torch.bool), both)], [normal(2, 7, 12), torch.arange(7).expand(2, 7) > torch.tensor([[4], [7]])]
    yield 'decoder', Of(lambda self, x, m: self.body(x, m), body=nn.TransformerDecoder(nn.TransformerDecoderLayer(12, 3, 16, batch_first=True, norm_first=True, activation='gelu'), 2)), \
        [(normal(3, 5, 12), both), (normal(3, 4, 12), {0: 'batch', 1: 'source'})], [normal(2, 7, 12), normal(2, 3, 12)]
    yield 'multihead', Of(lambda self, q, k: self.layer(q, k, k), layer=nn.MultiheadAttention(12, 4, batch_first=True)), \
        [(normal(3, 5, 12), both), (normal(3, 4, 12), {0: 'batch', 1: 'source'})], [normal(2, 7, 12), normal(2, 6, 12)]
    yield 'gpt', Gpt(), [(ids(3, 5), both)], [ids(2, 11)]
    yield 'attention', Attention(12, 3), [(normal(3, 5, 12), both)], [normal(2, 8, 12)]
    yield 'elementwise', Of(lambda self, x: (x.abs().sqrt(), x.exp().log1p(), x.erf(), x.clamp(-0.5, 0.5), x.clamp(min=0), x ** 2, x ** 3 / 2,
                                             (x > 0).float() * x, torch.where(x > 0.3, x, -x), x.floor() + x.ceil(), x.round(), x.sign(), x.sin() + x.cos(),
                                             torch.maximum(x, -x), torch.minimum(x, x * 2), x.reciprocal(), x % 0.7, torch.fmod(x, 0.7),
                                             F.softplus(x), F.softsign(x), F.selu(x), F.celu(x, 0.7), F.hardsigmoid(x), F.mish(x), F.gelu(x), F.glu(x),
                                             F.hardtanh(x), F.threshold(x, 0, 0), F.prelu(x, self.a), torch.isnan(x), F.logsigmoid(x), torch.sigmoid(x).rsqrt()), a=torch.tensor([0.3])), \
        [(normal(3, 4), batch)], [normal(5, 4)]
    yield 'reductions', Of(lambda self, x: (x.sum(1), x.mean((1, 2), keepdim=True), x.amax(-1), x.amin(1, True), x.prod(1), x.logsumexp(1), x.norm(dim=-1),
                                            x.norm(p=1, dim=1), x.var(1), x.std(-1, unbiased=False), x.max(1)[0], x.max(1)[1], x.argmin(-1), x.argmax(1, True), x.topk(2, -1)[0],
                                            x.topk(2, 1, largest=False)[1], x.cumsum(1), x.sum(), x.mean(), x.softmax(1), x.log_softmax(1), F.normalize(x, dim=-1), (x > 0).sum(1), (x > 0).any(1))), \
        [(normal(3, 4, 5), batch)], [normal(2, 4, 5)]
    yield 'shapes', Of(lambda self, x: (x.view(x.size(0), -1), x.transpose(1, 2), x.permute(2, 0, 1), x.flatten(1), x.unsqueeze(1).squeeze(1), x[:, 1:, ::2], x[:, -1], x[..., [2, 0]],
                                        torch.cat([x, x * 2], 1), torch.stack([x, -x], 1), *x.split([1, 3], 1), *x.chunk(2, 1), x.expand(2, *x.shape), x.repeat(1, 2, 1), F.pad(x, (1, 2)),
                                        F.pad(x, (1, 0), value=3), F.pad(x, (1, 1), 'reflect'), F.pad(x, (1, 1), 'replicate'), x.flip(1), x.narrow(1, 1, 2), x.select(1, 2),
                                        x.unbind(1)[1], torch.arange(x.size(1)), torch.zeros_like(x), x.new_ones(x.size(0), 2), torch.full((x.size(0), 2), 3.5), x.roll(1, 1))), \
        [(normal(3, 4, 5), batch)], [normal(2, 4, 5)]
    yield 'places', Of(lambda self, x, i: (x.gather(1, i.unsqueeze(-1).expand(-1, -1, x.size(2)) % 4), x[:, i[0] % 4], self.table[i], F.one_hot(i, 17), x.index_select(1, i[0] % 4),
                                           x.scatter(1, i.unsqueeze(-1).expand(-1, -1, 1) % 4, 0.5), x.scatter_add(1, i.unsqueeze(-1).expand(-1, -1, 5) % 4, x[:, :2]),
                                           x.masked_fill(x > 0, -1.0), (x > 0).nonzero(), x[x > 0], i.eq(3) | i.ne(4) & (i < 9))), \
        [(normal(3, 4, 5), batch), (ids(3, 2), batch)], [normal(2, 4, 5), ids(2, 2)]
    yield 'products', Of(lambda self, x, y: (x @ y, torch.bmm(x, y), torch.einsum('bij,bjk->bik', x, y), torch.einsum('bij,bjk->bki', x, y), x @ self.w, F.linear(x, self.w.t()), torch.baddbmm(x @ y, x, y, beta=0.5, alpha=2.0),
                                             x.tril(), x.triu(1), F.bilinear(x, y.transpose(1, 2), self.b) if False else x)), \
        [(normal(3, 4, 5), batch), (normal(3, 5, 6), batch)], [normal(2, 4, 5), normal(2, 5, 6)]
    yield 'resize', Of(lambda self, x: (F.interpolate(x, scale_factor=2), F.interpolate(x, scale_factor=2, mode='bilinear'), F.interpolate(x, (9, 7), mode='bilinear', align_corners=True), F.pixel_shuffle(x, 2))), \
        [(normal(2, 4, 5, 3), batch)], [normal(3, 4, 5, 3)]


# What differs between kinds that need their own: Module attributes and newest versions.
# Before version 16 scatter_add is written as something else, where a place is named twice.
OLDEST = {'elementwise': 10, 'shapes': 11, 'places': 16, 'products': 14, 'resize': 11, 'reductions': 11, 'norms': 9}


def kind_with(module):
    for name, value in (('w', normal(5, 6)), ('table', normal(17, 3)), ('b', normal(2, 5, 5))):
        if isinstance(module, Of) and not hasattr(module, name):
            setattr(module, name, nn.Parameter(value))
    return module


def difference(what, have, want):
    """The largest, against the numbers' size where that is above 1."""
    if not want.size:
        return 0.0
    have, want = have.astype(float), want.astype(float)
    same = (have == want) | (numpy.isnan(have) & numpy.isnan(want))
    with numpy.errstate(invalid='ignore'):
        out = float(numpy.max(numpy.where(same, 0, numpy.abs(have - want) / numpy.maximum(1, numpy.abs(want)))))
    if not out <= 1e-5:
        print(f'  {what} differs by {out}')
    return out


def main():
    wanted = {}
    refused = []
    torch.manual_seed(11)
    for opset, training in [(opset, False) for opset in (9, 11, 13, 14, 16, 17)] + [(opset, True) for opset in (9, 13, 17)]:
        for name, module, inputs, others in kinds():
            if opset < OLDEST.get(name, 9) or (training and name not in ('cnn', 'autoencoder', 'gpt', 'tagger')):
                continue
            if name in ('places', 'products'):
                kind_with(module)
            module.train(training)
            with torch.no_grad():  # of equal tensors the exporter would write one
                for parameter in module.parameters():
                    parameter.add_(0.1 * torch.randn_like(parameter))
            for norm in module.modules():
                if isinstance(norm, (nn.BatchNorm1d, nn.BatchNorm2d)):
                    norm.running_mean.uniform_(-0.5, 0.5)
                    norm.running_var.uniform_(0.5, 1.5)
            own = f'{name}_{opset}' + ('_train' if training else '')
            stem = f'{FOLDER}/{own}'
            names = [f'input{i}' for i in range(len(inputs))]
            try:
                # The fused forms of attention have no form in ONNX: what requires a gradient takes the plain ones.
                torch.onnx.export(module, tuple(x for x, _ in inputs), f'{stem}.onnx', opset_version=opset, input_names=names,
                                  dynamic_axes={n: axes for n, (_, axes) in zip(names, inputs)}, keep_initializers_as_inputs=False,
                                  training=torch.onnx.TrainingMode.TRAINING if training else torch.onnx.TrainingMode.EVAL,
                                  do_constant_folding=not training)
            except Exception as error:  # what the exporter itself does not know
                refused.append(f'{own}: {str(error).splitlines()[0][:100]}')
                continue
            out = module(*others)
            outs = out if isinstance(out, tuple) else (out,)
            weights = torch.randn(outs[0].shape)
            grads = {}
            if outs[0].requires_grad:
                (outs[0] * weights).sum().backward()
                grads = {n: p.grad.numpy() for n, p in module.named_parameters() if p.grad is not None}
                if training:
                    grads |= {n: b.numpy() for n, b in module.named_buffers() if b.dim() > 0}
                numpy.savez(f'{stem}.step.npz', weights=weights.numpy())
            numpy.savez(f'{stem}.in.npz', **{n: x.numpy() for n, x in zip(names, others)})
            wanted[own] = ([x.detach().numpy() for x in outs], grads)
    printed = subprocess.run([PROGRAM, FOLDER], check=True, stdout=subprocess.PIPE, text=True).stdout
    tally, code, largest, compared = {}, 0, {}, 0
    for line in printed.splitlines():
        name, steps, rest = line.split('\t', 2)
        if name not in wanted:
            continue
        kind = name.removesuffix('_train').rsplit('_', 1)[0]
        if steps == 'error':
            print(f'  {name}: refused: {rest}')
            del wanted[name]
            code = 1
            continue
        outs, grads = wanted.pop(name)
        found = numpy.load(f'{FOLDER}/{name}.out.npz')
        worst = 0.0
        for i, (key, want) in enumerate(zip(found.files, outs)):
            have = found[key]
            if have.shape != want.shape:
                print(f'  {name}: result {i} is {have.shape}, not {want.shape}')
                code, worst = 1, float('inf')
                continue
            worst = max(worst, difference(f'{name}: result {i}', have, want))
        if len(found.files) != len(outs):
            print(f'  {name}: {len(found.files)} results, not {len(outs)}')
            code = 1
        same = 0
        try:
            own = numpy.load(f'{FOLDER}/{name}.grads.npz')
        except FileNotFoundError:
            own = None
        for key, want in grads.items():
            if own is not None and key in own.files and own[key].shape == want.shape:
                same += 1
                worst = max(worst, difference(f'{name}: the gradient of {key}', own[key], want))
        compared += same
        code = code if worst <= 1e-5 else 1
        tally[kind] = tally.get(kind, 0) + 1
        largest[kind] = max(largest.get(kind, 0), worst)
    for name in wanted:
        print(f'  {name}: was not run')
        code = 1
    if '-v' in sys.argv:
        for line in refused:
            print(f'  the exporter refuses {line}')
        for kind in tally:
            print(f'  {kind}: {tally[kind]} versions, {largest[kind]:.1e}')
    print(f'{"onnx_torch":12} {sum(tally.values())} files of {len(tally)} models by torch.onnx: outputs and {compared} gradients differ by '
          f'{max(largest.values()):.1e} at most' + (': FAILED' if code else ''))
    sys.exit(code)


main()

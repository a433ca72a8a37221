"""torch_files.py PROGRAM FOLDER: what torch.save() writes, and safetensors' numbers in PyTorch."""
import sys

import torch

from files import Tally, read, refusal

FOLDER = sys.argv[2]
tally = Tally('torch')
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.TransformerEncoderLayer(4, 2, 8),
                            torch.nn.GRU(4, 5))
adam = torch.optim.Adam(model.parameters())
model(torch.randn(5, 2, 3))[0].sum().backward()
adam.step()
shared = torch.arange(24.).view(4, 6)
saved = {
    'model': model.state_dict(), 'optimizer': adam.state_dict(), 'epoch': 3,
    'kinds': [torch.randn(2, 3).to(kind) for kind in (torch.half, torch.bfloat16, torch.double)] +
             [torch.tensor([-3, 7]).to(kind) for kind in (torch.int8, torch.int16, torch.int32, torch.int64)] +
             [torch.tensor([1, 255], dtype=torch.uint8), torch.tensor([True, False])],
    'views': {'whole': shared, 'turned': shared.t(), 'part': shared[1:3, 2:5], 'every': shared[:, ::2],
              'none': shared[:0], 'one': shared[2, 3]},
    'parameter': torch.nn.Parameter(torch.ones(2))}


def named(value, name=''):
    if isinstance(value, torch.Tensor):
        yield name, value.detach()
    elif isinstance(value, (dict, list, tuple)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from named(item, f'{name}.{key}' if name else str(key))


torch.save(saved, f'{FOLDER}/saved.pt')
torch.save(torch.ones(2, 3), f'{FOLDER}/tensor.pt')
found = read(f'{FOLDER}/saved.pt')
for name, tensor in named(saved):
    _, shape, numbers = found.pop(name, (None, (), []))
    wanted = tensor.to(torch.double).flatten().tolist()
    tally.check(shape == tuple(tensor.shape) and numbers == wanted, name)
tally.check(not found, f'nothing else is in it: {list(found)[:3]}')
tally.check(read(f'{FOLDER}/tensor.pt')[''][1] == (2, 3), 'a tensor alone')
torch.save(model, f'{FOLDER}/module.pt')
tally.check('torch.nn.modules.container.Sequential' in refusal(f'{FOLDER}/module.pt'), 'a module is refused by name')
torch.save(model.state_dict(), f'{FOLDER}/old.pt', _use_new_zipfile_serialization=False)
tally.check('save it again' in refusal(f'{FOLDER}/old.pt'), 'the older format is refused')
tally.end()

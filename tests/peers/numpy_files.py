"""numpy_files.py PROGRAM FOLDER: .npy and .npz, both ways, with NumPy."""
import sys

import numpy as np

from files import Tally, read, refusal, rewrite

FOLDER = sys.argv[2]
tally = Tally('numpy')
random = np.random.default_rng(5)
given = {}
for kind in ['?', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8']:
    for order in '<>':
        numbers = random.normal(size=(3, 5, 2)) * (1 if kind[0] == 'f' else 50)
        plain = (numbers > 0 if kind == '?' else np.abs(numbers) if kind[0] == 'u' else numbers).astype(order + kind)
        given[f'{"big" if order == ">" else "little"}_{kind}'] = plain
        given[f'fortran_{order == ">"}_{kind}'] = np.asfortranarray(plain)
given['scalar'] = np.array(2.5, dtype='f4')
given['empty'] = np.zeros((0, 3))
given['turned'] = np.arange(24.).reshape(2, 3, 4).transpose(2, 0, 1)
np.savez(f'{FOLDER}/stored.npz', **given)
np.savez_compressed(f'{FOLDER}/deflated.npz', **given)
for archive in ['stored', 'deflated']:
    found = read(f'{FOLDER}/{archive}.npz')
    for name, array in given.items():
        dtype, shape, numbers = found[name]
        wanted = 'bool' if array.dtype.kind == 'b' else 'i64' if array.dtype.kind in 'iu' else (
            'f64' if array.dtype.itemsize == 8 else 'f32')
        same = shape == array.shape and np.array_equal(np.array(numbers), array.astype('f8').ravel())
        tally.check(dtype == wanted and same, f'{name} of {archive}')
rewrite(f'{FOLDER}/stored.npz', f'{FOLDER}/ours.npz')
ours = np.load(f'{FOLDER}/ours.npz')
for name, array in given.items():
    tally.check(np.array_equal(ours[name].astype('f8'), array.astype('f8')), f'{name} of ours')
for name, array in {'complex': np.ones(2, 'c8'), 'text': np.array(['x']), 'object': np.array([{}, None]),
                    'record': np.zeros(2, [('a', 'f4')]), 'date': np.array(['2020-01-01'], 'M8[D]')}.items():
    np.save(f'{FOLDER}/{name}.npy', array)
    tally.check('cannot be read' in refusal(f'{FOLDER}/{name}.npy'), f'{name} is refused')
tally.end()

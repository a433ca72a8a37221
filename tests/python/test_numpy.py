"""NumPy in and out: one memory, or a typed error that says why not."""

import array
import ctypes
import gc
import weakref

import heed
import numpy as np
import pytest

SHARED = [(np.float32, heed.float32), (np.float64, heed.float64), (np.int64, heed.int64), (np.bool_, heed.bool)]


@pytest.mark.parametrize("numpy_type, dtype", SHARED)
def test_from_numpy_shares_both_ways(numpy_type, dtype):
    a = np.zeros((3, 5), numpy_type)
    x = heed.from_numpy(a)
    assert x.shape == (3, 5) and x.dtype == dtype
    assert x.data_ptr() == a.ctypes.data
    a[1, 2] = 1
    assert x[1, 2].item() == 1
    x[2] = 1
    assert (a[2] == 1).all() and a[0].sum() == 0


@pytest.mark.parametrize("numpy_type, dtype", SHARED)
def test_numpy_shares_both_ways(numpy_type, dtype):
    x = heed.zeros(3, 5, dtype=dtype)
    a = x.numpy()
    assert a.dtype == numpy_type and a.shape == (3, 5) and a.flags.writeable
    assert a.ctypes.data == x.data_ptr()
    a[1, 2] = 1
    assert x[1, 2].item() == 1
    with heed.no_grad():
        x[0, 4] = 1
    assert a[0, 4] == 1
    assert np.asarray(x).ctypes.data == x.data_ptr()
    assert np.shares_memory(np.asarray(x), a)


def test_strided_views_are_shared_with_their_strides():
    a = np.arange(2 * 7 * 5, dtype=np.float64).reshape(2, 7, 5)
    part = a[:, 1::3, ::2]
    x = heed.from_numpy(part)
    assert x.shape == (2, 2, 3) and x.stride() == (35, 15, 2)
    assert np.array_equal(x.numpy(), part)
    assert np.array_equal((x * 2).numpy(), part * 2)
    with heed.no_grad():
        x.fill_(-1)
    assert (a[:, 1::3, ::2] == -1).all() and (a == -1).sum() == 12
    turned = heed.from_numpy(a.T)
    assert turned.shape == (5, 7, 2) and np.array_equal(turned.numpy(), a.T)
    back = heed.zeros(3, 4).t().numpy()
    assert back.strides == (4, 16)


def test_broadcast_and_empty_and_single():
    x = heed.from_numpy(np.array(3.0))
    assert x.shape == () and x.item() == 3
    assert heed.from_numpy(np.zeros((0, 3))).shape == (0, 3)
    assert heed.zeros(0, 3).numpy().shape == (0, 3)
    spread = heed.tensor([1.0, 2.0]).expand(3, 2).numpy()
    assert spread.strides == (0, 4) and spread.sum() == 9


def unaligned():
    raw = np.zeros(8 * 5 + 1, np.uint8)
    return raw[1:].view(np.float64)


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda: np.arange(5.0)[::-1], heed.ShapeError, "axis 0 runs backwards"),
        (unaligned, heed.ValueError, "not aligned"),
        (lambda: np.broadcast_to(np.ones(3), (2, 3)), heed.ValueError, "read-only"),
        (lambda: b"12345678", heed.DTypeError, 'format is "B"'),
        (lambda: np.arange(3, dtype=np.int32), heed.DTypeError, 'format is "i"'),
        (lambda: np.arange(3, dtype=np.uint8), heed.DTypeError, 'format is "B"'),
        (lambda: np.zeros(3, np.float16), heed.DTypeError, 'format is "e"'),
        (lambda: np.zeros(3, ">f4"), heed.DTypeError, 'format is ">f"'),
        (lambda: np.zeros(3, np.complex64), heed.DTypeError, '"Zf"'),
        (lambda: np.array([object()]), heed.DTypeError, "an array of objects has no numbers"),
        (lambda: np.array(["a"]), heed.DTypeError, "have no dtype here"),
        (lambda: np.array(["2020"], "M8[D]"), heed.DTypeError, "cannot include dtype 'M'"),
        (lambda: np.zeros(2, [("a", "f4"), ("b", "f8")]), heed.DTypeError, "have no dtype here"),
        (lambda: np.zeros(2, [("a", "f4"), ("b", "i1")])["a"], heed.ShapeError, "no whole number of elements"),
        (lambda: np.zeros((1,) * 9), heed.ShapeError, "rank 9"),
        (lambda: np.zeros(3, np.longdouble), heed.DTypeError, '"g"'),
    ],
)
def test_what_cannot_be_shared_is_refused_by_name(make, error, text):
    with pytest.raises(error, match=r"") as caught:
        heed.from_numpy(make())
    assert text in str(caught.value)


def test_what_has_no_buffer_is_a_type_error():
    with pytest.raises(TypeError, match="bytes-like"):
        heed.from_numpy(3)


def test_tensor_copies_whatever_has_numbers():
    assert heed.tensor(np.arange(5.0)[::-1]).tolist() == [4, 3, 2, 1, 0]
    assert heed.tensor(unaligned()).tolist() == [0] * 5
    assert heed.tensor(np.zeros(2, [("a", "f4"), ("b", "i1")])["a"]).tolist() == [0, 0]
    a = np.ones(3)
    x = heed.tensor(a)
    a[0] = 7
    assert x.tolist() == [1, 1, 1]
    with pytest.raises(heed.DTypeError, match="objects"):
        heed.tensor(np.array([object()]))
    with pytest.raises(heed.DTypeError, match="Zd"):
        heed.tensor(np.array([1j]))


@pytest.mark.parametrize("code", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u2"])
def test_whole_numbers_of_every_width_become_i64(code):
    kind = np.dtype(code)
    least, most = np.iinfo(kind).min, min(np.iinfo(kind).max, 2**63 - 1)
    values = np.array([least, 0, 1, most], kind)
    x = heed.tensor(values)
    assert x.dtype == heed.int64 and x.tolist() == [least, 0, 1, most]


def test_unsigned_numbers_beyond_i64_are_refused():
    with pytest.raises(heed.DTypeError, match="beyond i64"):
        heed.tensor(np.array([2**63], np.uint64))


@pytest.mark.parametrize("code, dtype", [("f2", "f32"), (">f2", "f32"), (">f4", "f32"), (">f8", "f64")])
def test_floats_of_other_widths_and_orders(code, dtype):
    values = np.array([0, -0.0, 1.5, -2.25, 6e-5, 6e-8, 65504, np.inf, -np.inf, np.nan], code)
    x = heed.tensor(values)
    assert x.dtype == getattr(heed, dtype)
    assert np.array_equal(x.numpy(), values.astype(float).astype(x.numpy().dtype), equal_nan=True)


def test_lists_and_numbers():
    assert heed.tensor([[1, 2], [3, 4]]).dtype == heed.int64
    assert heed.tensor([[1, 2.5]]).dtype == heed.float32
    assert heed.tensor([True, False]).dtype == heed.bool
    assert heed.tensor([True, 2]).tolist() == [1, 2]
    assert heed.tensor(2**53 + 1).item() == 2**53 + 1
    assert heed.tensor([1, 2], dtype=heed.float64).dtype == heed.float64
    assert heed.tensor([]).shape == (0,) and heed.tensor([[], []]).shape == (2, 0)
    assert heed.tensor([heed.tensor(3), 4]).tolist() == [3, 4]
    for ragged in ([[1], [1, 2]], [1, [2]], [[1], 2]):
        with pytest.raises(heed.ShapeError, match="unequal"):
            heed.tensor(ragged)
    with pytest.raises(heed.DTypeError, match="numbers, lists of them, or an array"):
        heed.tensor(["a"])
    endless = []
    endless.append(endless)
    with pytest.raises(heed.ShapeError, match="deeper than 8"):
        heed.tensor(endless)


def test_other_buffers():
    numbers = array.array("d", [1, 2, 3])
    x = heed.from_numpy(numbers)
    x[1] = 9
    assert numbers[1] == 9
    assert memoryview(x).tolist() == [1, 9, 3]
    with pytest.raises(BufferError):
        numbers.append(4)  # the memory is in use
    del x
    numbers.append(4)


def test_memory_outlives_its_owner():
    a = np.arange(5.0)
    gone = weakref.ref(a)
    x = heed.from_numpy(a)[1:]
    del a
    gc.collect()
    assert gone() is not None and x.tolist() == [1, 2, 3, 4]
    y = x + 1
    del x
    gc.collect()
    assert gone() is None and y.tolist() == [2, 3, 4, 5]
    b = heed.tensor([1.0, 2.0]).numpy()
    gc.collect()
    heed.zeros(2), heed.ones(2)
    assert b.tolist() == [1, 2]


def test_a_module_that_takes_other_memory_leaves_the_array_alone():
    layer = heed.nn.Linear(3, 2)
    a = layer.weight.detach().numpy()
    before = a.copy()
    layer.to(heed.float64)
    heed.zeros(2, 3)
    assert np.array_equal(a, before) and a.dtype == np.float32


def test_numpy_of_what_requires_a_gradient_is_refused():
    x = heed.ones(3, requires_grad=True)
    for ask in (lambda: x.numpy(), lambda: np.asarray(x), lambda: (x * 2).numpy()):
        with pytest.raises(heed.GradError, match=r"say x.detach\(\).numpy\(\)"):
            ask()
    with pytest.raises(BufferError, match="detach"):
        memoryview(x)
    with pytest.raises(BufferError, match="contiguous"):
        bytes_of = heed.zeros(3, 4).t()
        np.frombuffer(bytes_of)


def test_operators_do_not_take_arrays_by_chance():
    with pytest.raises(TypeError):
        np.ones(3) + heed.ones(3)
    assert (np.float32(2) * heed.ones(3)).tolist() == [2, 2, 2]
    assert (heed.ones(3) * np.float64(2)).tolist() == [2, 2, 2]
    assert (heed.arange(3) + np.int32(2)).tolist() == [2, 3, 4]
    assert (heed.arange(3) + np.int32(2)).dtype == heed.int64


# NumPy's own from_dlpack() gives read-only views; another tensor around the capsule stands for who writes through it.
@pytest.mark.parametrize("share", [lambda x: x.numpy(), np.asarray, lambda x: np.asarray(memoryview(x)), heed.from_dlpack])
def test_what_numpy_writes_into_what_the_tape_has_kept_is_an_error(share):
    x = heed.ones(3)
    w = heed.ones(3, requires_grad=True)
    y = (w * x).sum()  # kept, then lent
    view = share(x)
    view[1] = 5
    with pytest.raises(heed.GradError, match="mul kept its input f32.3. for the derivative, but it was written in place since"):
        y.backward()
    y = (w * x).sum()  # kept while lent
    view[1] = 6
    with pytest.raises(heed.GradError, match="mul"):
        y.backward()
    y = (w * x).sum()
    del view
    y.backward()
    assert w.grad.tolist() == [1, 6, 1]
    y = (w * x).sum()
    share(x)[1] = 7  # lent, written and given back
    with pytest.raises(heed.GradError, match="mul"):
        y.backward()


def test_what_numpy_reads_is_no_error():
    x = heed.ones(3)
    w = heed.ones(3, requires_grad=True)
    hidden = (w * x).tanh()
    shown = hidden.detach().numpy().sum() + x.numpy().sum()
    hidden.sum().backward()
    assert shown > 0 and w.grad is not None
    shown = hidden.detach().numpy()
    y = (w * x).tanh()
    shown[0] = 3  # of another result
    y.sum().backward()


@pytest.mark.parametrize("take", [heed.from_numpy, heed.from_dlpack])
def test_what_numpy_writes_into_memory_of_its_own(take):
    a = np.ones((4, 3), dtype=np.float32)
    x = take(a)
    w = heed.ones(3, requires_grad=True)
    y = (w * x[1]).sum()
    a[2] = 9  # the next row
    y.backward()
    assert w.grad.tolist() == [1, 1, 1]
    y = (w * x[1]).sum()
    a[1, 0] = 9
    with pytest.raises(heed.GradError, match="by another that shares its memory"):
        y.backward()
    a[:] = 2  # between steps anybody may write
    w.grad = None
    (w * x[1]).sum().backward()
    assert w.grad.tolist() == [2, 2, 2]


def test_nan_written_by_numpy_is_seen_without_a_word():
    q, k, v = (heed.randn(1, n, 4) for n in (3, 5, 5))
    real = heed.attention.Mask.lengths([4], 5)
    before = heed.attention.attend(q, k, v, mask=real).context
    v.numpy()[0, 4] = np.nan  # where nobody may attend to
    assert heed.attention.attend(q, k, v, mask=real).context.equal(before)
    view = v.numpy()
    view[0, 4] = np.inf
    assert heed.attention.attend(q, k, v, mask=real).context.equal(before)


def test_what_others_write_is_found_when_it_is_said():
    x = heed.ones(3)
    w = heed.ones(3, requires_grad=True)
    y = (w * x).sum()
    x.numpy()[1] = 5
    x.mark_written()
    with pytest.raises(heed.GradError, match="mul"):
        y.backward()
    q, k, v = (heed.randn(1, n, 4) for n in (3, 5, 5))
    real = heed.attention.Mask.lengths([4], 5)
    before = heed.attention.attend(q, k, v, mask=real).context
    v.numpy()[0, 4] = np.nan  # where nobody may attend to
    v.mark_written()
    assert heed.attention.attend(q, k, v, mask=real).context.equal(before)


def test_bools_are_zero_or_one():
    odd = np.array([2, 0, 255, 1], "u1").view(bool)
    for a in (odd, odd[::2], np.stack([odd, odd]).T):
        x = heed.tensor(a)
        assert x.sum().item() == np.count_nonzero(a) and x.tolist() == (a.view("u1") != 0).tolist()
        assert (x == True).equal(x) and (~x).sum().item() == a.size - np.count_nonzero(a)  # noqa: E712
        with pytest.raises(heed.ValueError, match="heed.tensor.a. copies it"):
            heed.from_numpy(a)
    assert heed.from_numpy(odd[1::2].copy()).tolist() == [False, True]
    x = heed.tensor([True, False])
    assert heed.from_dlpack(x).tolist() == [True, False]
    x.numpy().view("u1")[0] = 2
    with pytest.raises(heed.ValueError, match="copy"):
        heed.from_dlpack(x)
    assert heed.from_numpy(np.zeros((0, 3), bool)).shape == (0, 3) and heed.from_numpy(np.array(True)).item() is True


class View(ctypes.Structure):
    """Py_buffer"""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


SIMPLE, ND, STRIDES, C, F, ANY = 0, 0x8, 0x18, 0x38, 0x58, 0x98


def test_readers_get_the_order_they_ask_for():
    rows = heed.zeros(2, 3)
    columns, neither = heed.zeros(3, 2).t(), heed.zeros(2, 6)[:, ::2]
    for x, takes in [(rows, (SIMPLE, ND, STRIDES, C, ANY)), (columns, (STRIDES, F, ANY)), (neither, (STRIDES,)),
                     (heed.zeros(3), (SIMPLE, ND, STRIDES, C, F, ANY))]:
        for flags in (SIMPLE, ND, STRIDES, C, F, ANY):
            view = View()
            get = ctypes.pythonapi.PyObject_GetBuffer
            get.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]
            if flags not in takes:
                with pytest.raises(BufferError):
                    get(x, ctypes.byref(view), flags)
                continue
            assert get(x, ctypes.byref(view), flags) == 0
            assert view.len == 4 * x.numel() and bool(view.shape) == (flags != SIMPLE)
            assert bool(view.strides) == (flags not in (SIMPLE, ND)) and view.ndim == (x.ndim if flags else 1)
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))


def test_half_precision_is_not_numpys():
    x = heed.ones(2).to(heed.bf16)
    for read in (x.numpy, lambda: np.asarray(x)):
        with pytest.raises(heed.DTypeError, match="float"):
            read()
    with pytest.raises(BufferError, match="float"):
        memoryview(x)

"""DLPack: memory handed on and taken, without a copy; other devices are refused by name."""

import ctypes
import gc
import weakref

import heed
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_numpys_arrays_both_ways(dtype):
    a = np.arange(24, dtype=dtype).reshape(2, 3, 4)[:, ::2]
    x = heed.from_dlpack(a)
    assert x.data_ptr() == a.ctypes.data and x.stride() == (12, 8, 1) and np.array_equal(x.numpy(), a)
    b = np.from_dlpack(heed.from_numpy(a.base.reshape(2, 3, 4)))
    assert np.shares_memory(b, a) and b.dtype == dtype
    y = heed.ones(3, dtype=x.dtype)
    view = np.from_dlpack(y)
    with heed.no_grad():
        y[1] = 5
    assert view.tolist() == [1, 5, 1]
    assert heed.zeros(2).__dlpack_device__() == (1, 0)


def test_between_tensors_and_bool():
    x = heed.tensor([[True, False], [False, True]])
    y = heed.from_dlpack(x.t())
    assert y.data_ptr() == x.data_ptr() and y.dtype == heed.bool and y.tolist() == x.t().tolist()


def test_memory_lives_as_long_as_anybody_has_it():
    a = np.arange(5.0)
    gone = weakref.ref(a)
    x = heed.from_dlpack(a)
    del a
    gc.collect()
    assert gone() is not None and x.sum().item() == 10
    del x
    gc.collect()
    assert gone() is None
    view = np.from_dlpack(heed.full((4,), 3.0))
    gc.collect()
    heed.zeros(4)
    assert view.tolist() == [3] * 4
    before = heed.memory_stats()["live_storages"]
    capsule = heed.zeros(3).__dlpack__()
    assert heed.memory_stats()["live_storages"] == before + 1
    del capsule  # nobody took it
    assert heed.memory_stats()["live_storages"] == before


def test_a_capsule_is_taken_once():
    capsule = heed.ones(3).__dlpack__()
    assert heed.from_dlpack(capsule).tolist() == [1, 1, 1]
    with pytest.raises(heed.ValueError, match="taken before"):
        heed.from_dlpack(capsule)
    with pytest.raises(TypeError, match="__dlpack__"):
        heed.from_dlpack(3)


class Elsewhere:
    def __init__(self, kind):
        self.kind = kind

    def __dlpack_device__(self):
        return self.kind, 1

    def __dlpack__(self):
        raise AssertionError("not asked for")


@pytest.mark.parametrize("kind, name", [(2, "cuda:1"), (8, "metal:1"), (10, "rocm:1"), (99, "device type 99:1")])
def test_another_device_is_refused_by_name(kind, name):
    with pytest.raises(heed.ValueError, match=f"the tensor is on {name}, heed computes on the processor"):
        heed.from_dlpack(Elsewhere(kind))


class Managed(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
                ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def made(**fields):
    """A capsule with whatever fields."""
    numbers, shape, strides = (ctypes.c_double * 6)(*range(6)), (ctypes.c_int64 * 9)(2, 3), (ctypes.c_int64 * 9)(3, 1)
    fields = dict(data=ctypes.addressof(numbers), device_type=1, ndim=2, code=2, bits=64, lanes=1,
                  shape=ctypes.addressof(shape), strides=ctypes.addressof(strides)) | fields
    if isinstance(fields["shape"], tuple):
        shape[:] = fields["shape"] + (0,) * (9 - len(fields["shape"]))
        fields["shape"] = ctypes.addressof(shape)
    managed = Managed(**fields)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(managed), b"dltensor", None), (numbers, shape, strides, managed)


def test_capsules_of_others():
    capsule, held = made()
    assert heed.from_dlpack(capsule).tolist() == [[0, 1, 2], [3, 4, 5]]
    capsule, held = made(strides=None, byte_offset=8, shape=(1, 5))
    assert heed.from_dlpack(capsule).tolist() == [[1, 2, 3, 4, 5]]


@pytest.mark.parametrize(
    "fields, error, text",
    [
        (dict(device_type=2), heed.ValueError, "cuda:0"), (dict(bits=16), heed.DTypeError, "float16"),
        (dict(code=4, bits=32), heed.DTypeError, "bfloat32"), (dict(code=5, bits=128), heed.DTypeError, "complex128"),
        (dict(code=0, bits=32), heed.DTypeError, "int32"), (dict(code=1, bits=8), heed.DTypeError, "uint8"),
        (dict(lanes=4), heed.DTypeError, "in vectors"), (dict(code=77), heed.DTypeError, "code 77"),
        (dict(ndim=9), heed.ShapeError, "9 axes"), (dict(ndim=-1), heed.ShapeError, "-1 axes"),
        (dict(shape=(-2, 3)), heed.ShapeError, "-2"), (dict(shape=(1 << 62, 1 << 62)), heed.ShapeError, "overflow"),
        (dict(byte_offset=3), heed.ValueError, "not aligned"),
    ],
)
def test_capsules_that_cannot_be_taken(fields, error, text):
    capsule, held = made(**fields)
    with pytest.raises(error) as caught:
        heed.from_dlpack(capsule)
    assert text in str(caught.value)


def test_what_requires_a_gradient_is_refused():
    with pytest.raises(heed.GradError, match="detach"):
        np.from_dlpack(heed.ones(2, requires_grad=True))


def test_torchs_tensors():
    torch = pytest.importorskip("torch", reason="python3-torch is not installed")
    theirs = torch.arange(6, dtype=torch.float64).view(2, 3)
    x = heed.from_dlpack(theirs.t())
    assert x.data_ptr() == theirs.data_ptr() and x.tolist() == theirs.t().tolist()
    back = torch.from_dlpack(heed.tensor([[1.0, 2.0], [3.0, 4.0]]).t())
    assert back.tolist() == [[1, 3], [2, 4]]
    with pytest.raises(heed.DTypeError, match="float16"):
        heed.from_dlpack(torch.zeros(2, dtype=torch.float16))


def test_bf16_travels_without_a_copy():
    x = heed.tensor([[1.0, -2.5, 3.0]]).to(heed.bfloat16)
    y = heed.from_dlpack(x)
    assert y.dtype == heed.bfloat16 and y.tolist() == [[1.0, -2.5, 3.0]]
    assert (y + 1).dtype == heed.float32 and (y + 1).tolist() == [[2.0, -1.5, 4.0]]
    with pytest.raises(BufferError, match="numpy: it has no bf16"):
        memoryview(x)


def test_copies_and_devices_that_are_asked_for():
    x = heed.ones(2)
    copied, shared = heed.from_dlpack(x.__dlpack__(copy=True)), heed.from_dlpack(x.__dlpack__(copy=False))
    assert copied.data_ptr() != x.data_ptr() and shared.data_ptr() == x.data_ptr() and copied.tolist() == [1, 1]
    assert heed.from_dlpack(x.__dlpack__(dl_device=(1, 0), max_version=(1, 0))).data_ptr() == x.data_ptr()
    with pytest.raises(BufferError, match="cuda:0"):
        x.__dlpack__(copy=True, dl_device=(2, 0))

"""Files: what is written is read, by us and by NumPy; what is broken is a typed error."""

import heed
import numpy as np
import pytest
from heed import io, nn


def test_safetensors(tmp_path):
    tensors = {"a": heed.randn(3, 5), "b": heed.arange(4), "c": heed.tensor([True, False]),
               "d": heed.randn(2, dtype=heed.float64), "e": np.ones((2, 2), np.float32)}
    io.save_file(tensors, tmp_path / "x.safetensors", metadata={"from": "here"})
    found = io.load_file(str(tmp_path / "x.safetensors"))
    assert list(found) == list(tensors)
    assert all(np.array_equal(found[k].numpy(), np.asarray(v)) for k, v in tensors.items())
    assert io.load_metadata(tmp_path / "x.safetensors") == {"from": "here"}
    file = io.SafetensorsFile(tmp_path / "x.safetensors")
    assert "a" in file and "z" not in file and dict(file.shapes())["a"] == (3, 5) and file.read("b").tolist() == [0, 1, 2, 3]
    with pytest.raises(heed.ValueError):
        file.read("z")
    io.save_file({"a": heed.tensor([1.0, 2.5])}, tmp_path / "h.safetensors", floats="bf16")
    assert io.load_file(tmp_path / "h.safetensors")["a"].tolist() == [1, 2.5]
    with pytest.raises(heed.ValueError, match="f8"):
        io.save_file({}, tmp_path / "h", floats="f8")


def test_numpys_files(tmp_path):
    a = np.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "a.npy", a)
    assert np.array_equal(io.read_npy(tmp_path / "a.npy").numpy(), a)
    io.write_npy(tmp_path / "b.npy", heed.tensor(a))
    assert np.array_equal(np.load(tmp_path / "b.npy"), a)
    np.savez(tmp_path / "a.npz", x=a, y=a[0])
    assert np.array_equal(io.read_npz(tmp_path / "a.npz")["y"].numpy(), a[0])
    io.write_npz(tmp_path / "b.npz", {"z": heed.tensor(a)})
    assert np.array_equal(np.load(tmp_path / "b.npz")["z"], a)
    np.save(tmp_path / "o.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(heed.FormatError):
        io.read_npy(tmp_path / "o.npy")


def test_modules_and_trainings(tmp_path):
    def made(seed):
        heed.manual_seed(seed)
        model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.3), nn.Linear(4, 1))
        return model, heed.optim.AdamW(model.parameters(), lr=0.1)

    def step(model, adam):
        adam.zero_grad()
        loss = model(heed.randn(5, 3)).square().mean()
        loss.backward()
        adam.step()
        return loss.item()

    model, adam = made(1)
    step(model, adam)
    io.save(model, tmp_path / "m.safetensors")
    io.save_training(tmp_path / "t.safetensors", model, adam, {"steps": 1})
    expected = [step(model, adam) for _ in range(3)]
    other, _ = made(2)
    io.load(other, tmp_path / "m.safetensors")
    assert not other[0].weight.equal(model[0].weight)
    again, adam = made(3)
    assert io.load_training(tmp_path / "t.safetensors", again, adam, ["steps"]) == {"steps": 1}
    assert [step(again, adam) for _ in range(3)] == expected
    with pytest.raises(heed.FormatError, match="missing"):
        io.load(nn.Linear(3, 4), tmp_path / "m.safetensors")


def test_broken_files(tmp_path):
    path = tmp_path / "broken"
    path.write_bytes(b"nothing of any kind, but long enough for a header")
    for read in (io.load_file, io.read_npy, io.read_npz, io.read_torch, io.read_gguf, io.load_sharded):
        with pytest.raises(heed.FormatError, match="broken"):
            read(path)
        with pytest.raises(heed.IoError):
            read(tmp_path / "absent")
    with pytest.raises(heed.IoError):
        io.save_file({}, tmp_path / "no" / "such" / "folder")


def test_a_pickle_that_calls_is_refused(tmp_path):
    import os
    import pickle
    import zipfile

    class Calls:
        def __reduce__(self):
            return os.system, ("true",)

    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("x/data.pkl", pickle.dumps({"a": Calls()}, protocol=2))
        archive.writestr("x/version", "3\n")
    with pytest.raises(heed.FormatError, match="system"):
        io.read_torch(tmp_path / "x.pt")


def test_what_is_written_can_be_read(tmp_path):
    model = nn.Linear(2, 3)
    sgd = heed.optim.SGD(model.parameters())
    counts = {"tokens": 5_000_000_000, "best": -1, "model": 3}
    io.save_training(tmp_path / "t", model, sgd, counts)
    assert io.load_training(tmp_path / "t", model, sgd, list(counts)) == counts
    for name in ("model.x", "optimizer.x", "random"):
        with pytest.raises(heed.ValueError, match=name):
            io.save_training(tmp_path / "t", model, sgd, {name: 1})
    for name in ("../a", "/a", "a\\b", "a\0b"):
        with pytest.raises(heed.ValueError):
            io.write_npz(tmp_path / "a.npz", {name: heed.ones(2)})
    assert not (tmp_path / "a.npz").exists()


def test_a_path_is_not_cut_off(tmp_path):
    for use in (io.load_file, io.read_npy, lambda path: io.save_file({}, path),
                lambda path: io.write_npy(path, heed.ones(1)), lambda path: io.save(nn.Linear(1, 1), path)):
        with pytest.raises(ValueError, match="null"):
            use(str(tmp_path / "a\0b"))
    assert list(tmp_path.iterdir()) == []


def test_more_than_fits_is_out_of_memory(tmp_path):
    with pytest.raises(heed.OutOfMemory):
        io.save_file({"a": heed.ones(1).expand(2**60)}, tmp_path / "a")

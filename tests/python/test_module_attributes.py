"""Assigning to a module: what is registered, what is let go of, what is refused."""

import copy
import pickle

import heed
import pytest
from heed import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.scale = nn.Parameter(heed.ones(2))
        self.register_buffer("steps", heed.tensor(0))


NAMES = ["scale", "steps", "layer.weight", "layer.bias"]


def test_none_lets_go_and_the_name_is_free():
    model = Model()
    model.layer = None
    assert model.layer is None and list(model.state_dict()) == NAMES[:2] and model.children() == []
    model.scale = None
    assert model.scale is None and model.parameters() == []
    model.steps = None
    assert model.steps is None and model.state_dict() == {}
    model.layer, model.scale = nn.Linear(3, 2), nn.Parameter(heed.ones(2))
    assert list(model.state_dict()) == ["scale", "layer.weight", "layer.bias"]


@pytest.mark.parametrize("name, value, expected", [
    ("layer", 7, "cannot assign 'int' as child 'layer'"), ("layer", heed.ones(2), "as child 'layer'"),
    ("scale", 7, r"cannot assign 'int' as parameter 'scale' \(Parameter or None expected\)"),
    ("scale", heed.ones(2), r"as parameter 'scale'.*nn.Parameter\(tensor\)"), ("steps", 7, "cannot assign 'int' as buffer 'steps'"),
])
def test_other_values_are_refused_and_change_nothing(name, value, expected):
    model = Model()
    before = getattr(model, name)
    with pytest.raises(TypeError, match=expected):
        setattr(model, name, value)
    assert list(model.state_dict()) == NAMES
    after = getattr(model, name)
    assert after is before if name == "layer" else after.is_same(before)


def test_places_of_containers_take_modules_alone():
    model = nn.Sequential(nn.Linear(3, 2))
    with pytest.raises(TypeError, match="cannot assign 'str' as child '0'"):
        model[0] = "a"
    with pytest.raises(TypeError, match="add_module: 3 is no Module"):
        model.add_module("x", 3)
    assert len(model.parameters()) == 2


def test_a_parameter_is_found_where_something_else_was():
    model = Model()
    model.w = 3
    model.w = nn.Parameter(heed.ones(5))
    assert model.w.shape == (5,) and "w" in model.state_dict()
    model.layer = nn.Parameter(heed.ones(7))
    assert model.layer.shape == (7,) and list(model.state_dict()) == ["scale", "w", "layer", "steps"]
    model.scale = nn.Linear(3, 5)
    assert isinstance(model.scale, nn.Linear) and "scale.weight" in model.state_dict() and "scale" not in model.state_dict()


def test_names_that_a_module_has_itself():
    model = Model()
    for value in (nn.Parameter(heed.ones(2)), nn.Linear(3, 2)):
        with pytest.raises(AttributeError):
            model.path = value
        with pytest.raises(KeyError, match="'train' already exists"):
            model.train = value
    for name in ("path", "train", "forward"):
        for act in (lambda: model.register_buffer(name, heed.ones(2)), lambda: model.register_parameter(name, heed.ones(2)),
                    lambda: model.add_module(name, nn.ReLU())):
            with pytest.raises(KeyError, match=f"'{name}' already exists in Model"):
                act()
    for name in ("keys", "path", "_names"):
        with pytest.raises(KeyError, match=f"'{name}' already exists in ModuleDict"):
            nn.ModuleDict({name: nn.ReLU()})
    assert list(model.state_dict()) == NAMES and model.path == "" and model.train() is model


def test_a_property_of_ones_own_is_asked():
    class Shown(nn.Module):
        act = None  # a child of that name is Python's as well as heed's

        @property
        def head(self):
            return self.kept

        @head.setter
        def head(self, value):
            self.kept = value

    model = Shown()
    model.head, model.act = nn.Linear(3, 2), nn.ReLU()
    assert model.head is model.kept and isinstance(model.act, nn.ReLU)
    assert [name for name, _ in model.named_children()] == ["kept", "act"]


def test_members_of_layers_are_parameters():
    layer, norm, lstm = nn.Linear(2, 3), nn.BatchNorm1d(3), nn.LSTM(2, 3)
    with pytest.raises(heed.DTypeError, match="weight: takes f32 or f64, not i64"):
        layer.weight = heed.arange(6).reshape(3, 2)
    with pytest.raises(TypeError, match=r"nn.Parameter\(tensor\)"):
        layer.weight = heed.zeros(3, 2)
    with pytest.raises(TypeError, match="cannot assign 'int' as parameter 'weight'"):
        layer.weight = 3
    with pytest.raises(TypeError, match="cannot assign 'int' as parameter 'weight_ih_l0'"):
        lstm.weight_ih_l0 = 3
    assert layer.weight.requires_grad and layer.weight.dtype == heed.float32
    layer.weight = nn.Parameter(heed.zeros(3, 2))
    assert layer.weight.requires_grad and layer.weight.tolist() == [[0, 0]] * 3
    layer.weight = nn.Parameter(heed.ones(3, 2), requires_grad=False)
    assert not layer.weight.requires_grad
    layer.weight = heed.zeros(3, 2)  # in the place of a frozen one
    norm.running_mean = heed.ones(3)
    assert norm.running_mean.tolist() == [1] * 3


def test_a_child_of_two_names_keeps_the_other():
    model, shared = nn.Module.__new__(Model), nn.Linear(2, 2)
    model.__init__()
    model.a = model.b = shared
    del model.a
    assert shared.path == "b"


@pytest.mark.parametrize("close", ["itself", "by another", "append", "a parameter's place"])
def test_no_module_is_in_itself(close):
    model, other = Model(), Model()
    if close == "itself":
        with pytest.raises(heed.ValueError, match='child "a", a Model, is or holds the Model'):
            model.a = model
    elif close == "by another":
        model.a = model.b = other
        del model.a
        with pytest.raises(heed.ValueError, match='child "c", a Model'):
            other.c = model
        assert other.path == "b"
    elif close == "append":
        model = nn.Sequential()
        with pytest.raises(heed.ValueError, match='child "0", a Sequential'):
            model.append(model)
        assert len(model) == 0
    else:
        with pytest.raises(heed.ValueError, match='child "scale", a Model'):
            model.scale = model
        assert model.scale.tolist() == [1, 1]
    assert repr(model) and len(model.modules()) == len(list(model.named_modules())) > 0


def test_a_parameter_stays_one():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(5, 3)
            self.tied = self.words.weight
            self.frozen = nn.Parameter(heed.ones(2)).requires_grad_(False)
            self.copied = copy.deepcopy(self.frozen)
            self.read = pickle.loads(pickle.dumps(nn.Parameter(heed.ones(7, dtype=heed.float64))))
            self.register_buffer("steps", heed.tensor([0]))

    model = Tied()
    assert list(model.state_dict()) == ["tied", "frozen", "copied", "read", "steps", "words.weight"]
    assert model.tied.is_same(model.words.weight) and len(model.parameters()) == 4
    assert all(isinstance(p, nn.Parameter) for p in model.parameters() + [p for _, p in model.named_parameters()])
    assert isinstance(nn.Linear(2, 3).bias, nn.Parameter) and not isinstance(model.steps, nn.Parameter)
    assert not isinstance(nn.BatchNorm1d(3).running_mean, nn.Parameter) and nn.Linear(2, 3, bias=False).bias is None
    assert not model.copied.requires_grad and model.copied.data_ptr() != model.frozen.data_ptr()
    assert model.read.requires_grad and model.read.tolist() == [1] * 7
    x = heed.ones(3)
    assert x.requires_grad_() is x


def test_what_is_registered_is_a_parameter():
    model = nn.Module()
    for value in (heed.ones(3), 3):
        with pytest.raises(TypeError, match="as parameter 'w'"):
            model.register_parameter("w", value)
    model.register_parameter("w", heed.ones(3, requires_grad=True))
    model.register_parameter("frozen", nn.Parameter(heed.ones(2), requires_grad=False))
    model.register_parameter("none", None)
    assert model.w.requires_grad and not model.frozen.requires_grad and model.none is None


@pytest.mark.parametrize("name", ["scale", "steps", "layer"])
def test_a_refused_parameter_leaves_what_was_there(name):
    model = Model()
    with pytest.raises(heed.DTypeError, match=name):
        setattr(model, name, nn.Parameter(heed.arange(2), requires_grad=False))
    with pytest.raises(heed.GradError, match=name):
        model.register_parameter(name, heed.ones(2, requires_grad=True) * 2)
    assert sorted(model.state_dict()) == sorted(NAMES)


def test_loading_says_what_was_left_out():
    model = Model()
    found = model.load_state_dict({"scale": heed.zeros(2), "other": heed.ones(3)}, strict=False)
    assert found.missing_keys == ["layer.bias", "layer.weight", "steps"] and found.unexpected_keys == ["other"]
    missing, unexpected = model.load_state_dict(model.state_dict())
    assert missing == unexpected == []

"""Modules and parameters that others hold: one after another, in a list, under names."""

from collections import OrderedDict

from .._heed._nn import Module, Parameter


class _Listed(Module):
    """Children in an order: `_names` are those of the module's attributes."""

    def __init__(self, things=()):
        super().__init__()
        self._names = []
        self.extend(things)

    def _checked(self, thing):
        if not isinstance(thing, Module):
            raise TypeError(f"{type(self).__name__}: {thing!r} is no Module")
        return thing

    def _put_all(self, things):
        """These in the place of all there were, named by their places."""
        things = [self._checked(thing) for thing in things]
        for name in self._names:
            delattr(self, name)
        self._names = []
        self.extend(things)

    def append(self, thing):
        setattr(self, str(len(self)), self._checked(thing))
        self._names.append(str(len(self)))
        return self

    def extend(self, things):
        for thing in things:
            self.append(thing)
        return self

    def insert(self, place, thing):
        """Before the one at that place; those behind it take other names."""
        things = list(self)
        things.insert(place, thing)
        self._put_all(things)
        return self

    def pop(self, place=-1):
        thing = self[place]
        del self[place]
        return thing

    def __len__(self):
        return len(self._names)

    def _place(self, place):
        if not -len(self) <= place < len(self):
            raise IndexError(f"{type(self).__name__}: place {place} of {len(self)}")
        return self._names[place]

    def __getitem__(self, place):
        if isinstance(place, slice):
            return self._sliced(place)
        return getattr(self, self._place(place))

    def _sliced(self, part):
        return type(self)(list(self)[part])

    def __setitem__(self, place, thing):
        setattr(self, self._place(place), thing)

    def __delitem__(self, place):
        things = list(self)
        if not isinstance(place, slice):
            self._place(place)
        del things[place]
        self._put_all(things)

    def __iter__(self):
        return (getattr(self, name) for name in list(self._names))

    def __iadd__(self, things):
        return self.extend(list(things))


class ModuleList(_Listed):
    """Any number of modules, named "0", "1", ...; it has no forward()."""

    def __init__(self, modules=()):
        super().__init__(modules)

    def __add__(self, modules):
        return ModuleList([*self, *modules])


class Sequential(_Listed):
    """Modules one after another, each of one tensor; of an OrderedDict under its names."""

    def __init__(self, *modules):
        named = modules[0] if len(modules) == 1 and isinstance(modules[0], dict) else None
        super().__init__(() if named is not None else modules)
        for name, module in (named or {}).items():
            self.add_module(name, self._checked(module))
            self._names.append(name)

    def _sliced(self, part):
        if self._names == [str(place) for place in range(len(self))]:
            return type(self)(*list(self)[part])
        return type(self)(OrderedDict([(name, getattr(self, name)) for name in self._names[part]]))

    def __add__(self, modules):
        return Sequential(*self, *modules)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class _Named(Module):
    """Children under names of their own, in their order."""

    def __init__(self, things=()):
        super().__init__()
        self._names = []
        self.update(things or ())

    def update(self, things):
        for name, thing in dict(things).items():
            self[name] = thing

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        return getattr(self, name)

    def __delitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        delattr(self, name)
        self._names.remove(name)

    def pop(self, name):
        thing = self[name]
        del self[name]
        return thing

    def clear(self):
        for name in list(self._names):
            del self[name]

    def __contains__(self, name):
        return name in self._names

    def __len__(self):
        return len(self._names)

    def __iter__(self):
        return iter(self._names)

    def keys(self):
        return list(self._names)

    def values(self):
        return [self[name] for name in self._names]

    def items(self):
        return [(name, self[name]) for name in self._names]


class ModuleDict(_Named):
    """Modules under names of their own; it has no forward()."""

    def __init__(self, modules=()):
        super().__init__(modules)

    def __setitem__(self, name, module):
        if not isinstance(module, Module):
            raise TypeError(f"{type(self).__name__}: {module!r} is no Module")
        self.add_module(name, module)
        if name not in self._names:
            self._names.append(name)


def _parameter(owner, thing):
    """A tensor becomes a Parameter, as in PyTorch."""
    try:
        return thing if isinstance(thing, Parameter) else Parameter(thing)
    except TypeError:
        raise TypeError(f"{type(owner).__name__}: {thing!r} is no Parameter") from None


class ParameterList(_Listed):
    """Any number of parameters, named "0", "1", ..."""

    def __init__(self, parameters=()):
        super().__init__(parameters)

    def _checked(self, thing):
        return _parameter(self, thing)

    def __setitem__(self, place, parameter):
        super().__setitem__(place, self._checked(parameter))

    def __add__(self, parameters):
        return ParameterList([*self, *parameters])


class ParameterDict(_Named):
    """Parameters under names of their own."""

    def __init__(self, parameters=()):
        super().__init__(parameters)

    def __setitem__(self, name, parameter):
        self.register_parameter(name, _parameter(self, parameter))
        if name not in self._names:
            self._names.append(name)

"""Modules that hold others: one after another, in a list, under names."""

from .._heed._nn import Module


class ModuleList(Module):
    """Any number of modules, named "0", "1", ...; it has no forward()."""

    def __init__(self, modules=()):
        super().__init__()
        self._size = 0
        for module in modules:
            self.append(module)

    def append(self, module):
        if not isinstance(module, Module):
            raise TypeError(f"{type(self).__name__}: {module!r} is no Module")
        setattr(self, str(self._size), module)
        self._size += 1
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __len__(self):
        return self._size

    def __bool__(self):
        return True

    def _place(self, place):
        if not -self._size <= place < self._size:
            raise IndexError(f"{type(self).__name__}: place {place} of {self._size}")
        return str(place % self._size)

    def __getitem__(self, place):
        if isinstance(place, slice):
            return type(self)(*self._sliced(place))
        return getattr(self, self._place(place))

    def _sliced(self, part):
        return (list(self)[part],)

    def __setitem__(self, place, module):
        setattr(self, self._place(place), module)

    def __iter__(self):
        return (getattr(self, str(place)) for place in range(self._size))


class Sequential(ModuleList):
    """Modules one after another, each of one tensor."""

    def __init__(self, *modules):
        super().__init__(modules)

    def _sliced(self, part):
        return list(self)[part]

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleDict(Module):
    """Modules under names of their own; it has no forward()."""

    def __init__(self, modules=()):
        super().__init__()
        self._names = []
        for name, module in dict(modules).items():
            self[name] = module

    def __setitem__(self, name, module):
        if not isinstance(module, Module):
            raise TypeError(f"{type(self).__name__}: {module!r} is no Module")
        self.add_module(name, module)
        if name not in self._names:
            self._names.append(name)

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        return getattr(self, name)

    def __contains__(self, name):
        return name in self._names

    def __len__(self):
        return len(self._names)

    def __bool__(self):
        return True

    def __iter__(self):
        return iter(self._names)

    def keys(self):
        return list(self._names)

    def values(self):
        return [self[name] for name in self._names]

    def items(self):
        return [(name, self[name]) for name in self._names]

"""Writes the type stubs of the package from what the module itself says: python/make_stubs.py FOLDER.

Each public part gets a .pyi; tests/python/test_stubs.py holds those in python/heed against the module.
"""

import importlib
import inspect
import re
import sys
from pathlib import Path

# The package beside this file has no compiled part; the one that was built is elsewhere on the path.
sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

PARTS = ["heed", "heed.nn", "heed.nn.functional", "heed.nn.init", "heed.nn.utils",
         "heed.nn.utils.rnn", "heed.nn.containers", "heed.attention", "heed.autograd", "heed.optim", "heed.optim.lr_scheduler", "heed.io", "heed.stochastic"]
PLACES = {"heed._heed._nn._functional.": "heed.nn.functional.", "heed._heed._nn._init.": "heed.nn.init.",
          "heed._heed._nn._rnn.": "heed.nn.utils.rnn.", "heed._heed._nn.": "heed.nn.", "heed._heed._attention.": "heed.attention.", "heed._heed._autograd.": "heed.autograd.",
          "heed._heed._optim._lr_scheduler.": "heed.optim.lr_scheduler.", "heed._heed._optim.": "heed.optim.",
          "heed._heed._io.": "heed.io.", "heed._heed._stochastic.": "heed.stochastic.", "heed._heed.": "heed."}
HEAD = '''# Written by python/make_stubs.py; do not edit.
from builtins import bool as _bool, bytes as _bytes, float as _float, int as _int, object as _object, str as _str
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import builtins
import contextlib
import heed
'''
# Results with names, which collections.namedtuple makes (tensor.cpp).
NAMED = '''
class _Picked(NamedTuple):
    values: heed.Tensor
    indices: heed.Tensor

class _IncompatibleKeys(NamedTuple):
    missing_keys: List[_str]
    unexpected_keys: List[_str]
'''
BUILT_IN = {"bool": "_bool", "int": "_int", "float": "_float", "str": "_str", "bytes": "_bytes", "object": "Any",
            "function": "Callable[..., Any]", "handle": "Any", "dict": "Dict[Any, Any]", "tuple": "Tuple[Any, ...]",
            "list": "List[Any]", "iterator": "Iterator[Any]", "Iterator": "Iterator[Any]", "None": "None", "type": "Any",
            "capsule": "Any", "refused": "Any"}
WORD = re.compile(r"[A-Za-z_][\w.]*")
#: Methods that a base has with another signature.
ODD = {"__eq__", "__ne__", "step"}


def kind(text, given):
    """A type as pybind11 prints it, for a parameter (`given`) or a result."""
    for theirs, ours in PLACES.items():
        text = text.replace(theirs, ours)
    text = re.sub(r"List\[(\w+); \d+\]|List\[(\w+)\[\d+\]\]", lambda m: f"Sequence[{m.group(1) or m.group(2)}]", text)
    if given:
        text = text.replace("List[", "Sequence[").replace("Tuple[int, ...]", "Sequence[int]")
        text = "Union[int, Sequence[int]]" if text == "Sequence[int]" else text
    text = WORD.sub(lambda m: BUILT_IN.get(m.group(), m.group()), text)
    return text.replace("Iterator[Any][", "Iterator[")


def split(text):
    """At the commas that stand in no bracket."""
    parts, depth, last = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "[(<{") - (letter in "])>}" and text[place - 1] != "-")
        if letter == "," and depth == 0:
            parts.append(text[last:place])
            last = place + 1
    return [part.strip() for part in parts + [text[last:]] if part.strip()]


def parameter(text):
    if text in ("*", "/") or text == "self":
        return text
    if text.startswith("*"):
        return text + ": Any"
    name, _, rest = text.partition(": ")
    what, equals, default = rest.partition(" = ")
    if name == "self":
        return "self"
    made = kind(what, True)
    if equals and default == "None" and not made.startswith(("Optional", "Any")) and "None" not in made:
        made = f"Optional[{made}]"
    return f"{name}: {made}" + (" = ..." if equals else "")


def signatures(doc, name):
    """[("(self, x: int) -> int", "what it does")] of pybind11's documentation."""
    found = []
    blocks = re.split(r"\n\n?(?=\d+\. " + re.escape(name) + r"\()", doc) if "Overloaded function." in doc else [doc]
    for block in blocks:
        match = re.match(r"(?:\d+\. )?" + re.escape(name) + r"\((.*?)\) -> ([^\n]+)(.*)", block, re.S)
        if match:
            given = match.group(1)
            if given.endswith(": refused") and name not in ODD:  # an overload that says what is wrong
                continue
            parts = [parameter(part) for part in split(given)]
            found.append((f"({', '.join(parts)}) -> {kind(match.group(2), False)}", match.group(3).strip()))
    return found


def function(name, thing, indent="", decorator="", other=False):
    doc = thing.__doc__ or ""
    found = signatures(doc, name) or signatures(doc, getattr(thing, "__name__", name))  # another word
    if not found:
        return python_function(name, thing, indent, decorator)
    lines = []
    for number, (signature, what) in enumerate(found):
        odd = "  # type: ignore[override]" if (other or name in ODD) and number == 0 and indent else ""
        if len(found) > 1:
            lines.append(f"{indent}@overload{odd}")
            odd = ""
        if decorator:
            lines.append(indent + decorator)
        if what:
            lines += [f"{indent}def {name}{signature}:{odd}", f'{indent}    """{what}"""', f"{indent}    ..."]
        else:
            lines.append(f"{indent}def {name}{signature}: ...{odd}")
    return lines


def python_function(name, thing, indent, decorator):
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return [f"{indent}def {name}(self, *args: Any, **kwargs: Any) -> Any: ..."]
    parts, star = [], False
    for p in signature.parameters.values():
        sign = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind == p.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
        own = p.name in ("self", "cls")
        parts.append(sign + p.name + ("" if own else ": Any") + ("" if p.default is p.empty else " = ..."))
    lines = [indent + decorator] if decorator else []
    result = "None" if name == "__init__" else "Any"
    return lines + [f"{indent}def {name}({', '.join(parts)}) -> {result}: ..."]


SPECIAL = {"__new__", "__init__", "__call__", "__getitem__", "__setitem__", "__len__", "__iter__", "__bool__", "__float__", "__int__",
           "__index__", "__contains__", "__enter__", "__exit__", "__getattr__", "__setattr__", "__dlpack__", "__dlpack_device__",
           "__array__"}


def members(cls):
    own = {}
    for part in reversed(cls.__mro__):
        if part is cls or unnamed(part):
            own.update(vars(part))
    for name, thing in sorted(own.items()):
        operator = name.startswith("__") and (name in SPECIAL or signatures(getattr(thing, "__doc__", None) or "", name))
        if name.startswith("_") and not operator or name in ("__reduce__", "__hash__", "__repr__", "__copy__", "__deepcopy__"):
            continue
        if name in ("name", "value") and hasattr(cls, "__members__") or name == "__members__":
            continue
        if name == "__init__" and not inspect.isfunction(thing) and not signatures(thing.__doc__ or "", name):
            continue
        if isinstance(thing, property):
            doc = (thing.fget.__doc__ or "") if thing.fget else ""
            match = re.search(r"-> ([^\n]+)", doc)
            what = kind(match.group(1), False) if match else "Any"
            yield from ["    @property", f"    def {name}(self) -> {what}: ..."]
            if thing.fset:
                yield from [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
        elif isinstance(thing, staticmethod):
            yield from function(name, thing.__func__, "    ", "@staticmethod")
        elif isinstance(thing, classmethod):
            yield from python_function(name, thing.__func__, "    ", "@classmethod")
        elif callable(thing):
            bases = [vars(base) for base in cls.__mro__[1:] if base.__name__ != "Module"]
            other = name == "forward" and any(name in base for base in bases)  # with another signature
            yield from function(name, getattr(cls, name) if inspect.isfunction(thing) else thing, "    ", other=other)
        elif isinstance(thing, cls) and hasattr(cls, "__members__"):
            yield f"    {name}: heed.{cls.__name__}"


def unnamed(cls):
    """Whether it is one of the package's own, which others share and no stub has."""
    return cls.__module__.startswith("heed.") and cls.__name__.startswith("_")


def bases_of(cls):
    out = []
    for base in cls.__bases__:
        if unnamed(base):
            out += bases_of(base)
        elif base is not object and base.__name__ != "pybind11_object":
            out.append(f"{base.__module__}.{base.__name__}".replace("heed.nn.containers", "heed.nn"))
    return list(dict.fromkeys(out))


def written_class(cls):
    bases = bases_of(cls)
    what = (cls.__doc__ or "").strip()
    lines = [f"class {cls.__name__}" + (f"({', '.join(bases)})" if bases else "") + ":"]
    if what and not what.startswith("Members:") and "\n\nMembers:" not in what:
        lines.append(f'    """{what}"""')
    body = list(members(cls))
    if issubclass(cls, BaseException):
        body = []
    return lines + (body or ["    ..."])


def stub(part):
    module = importlib.import_module(part)
    lines = [NAMED] if part == "heed" else []
    for name, thing in sorted(vars(module).items()):
        if name.startswith("_") and name != "__version__":
            continue
        if inspect.ismodule(thing):
            if thing.__name__ == f"{part}.{name}":
                lines.append(f"from . import {name} as {name}")
        elif inspect.isclass(thing):
            if thing.__module__ == part or thing.__module__ == "heed" and part == "heed":
                lines += ["", *written_class(thing), ""]
            elif thing.__module__.startswith("heed"):
                lines.append(f"from {thing.__module__} import {name} as {name}")
        elif isinstance(thing, (str, float)):
            lines.append(f"{name}: _{type(thing).__name__}")
        elif isinstance(thing, importlib.import_module("heed").dtype):
            lines.append(f"{name}: heed.dtype")
        elif callable(thing):
            lines += function(name, thing)
    text = "\n".join(lines)
    head = HEAD.replace("Union\n", "Union, overload\n") if "@overload" in text else HEAD
    text = re.sub(r"\n{3,}", "\n\n", text)
    return f'"""{(module.__doc__ or "").strip()}"""\n\n{head}\n{text}\n'


def stubs():
    """{"nn/__init__.pyi": text}"""
    out = {}
    for part in PARTS:
        place = part.split(".")[1:]
        package = hasattr(importlib.import_module(part), "__path__")
        out["/".join(place + ["__init__.pyi"]) if package else "/".join(place) + ".pyi"] = stub(part)
    return out


if __name__ == "__main__":
    for name, text in stubs().items():
        (Path(sys.argv[1]) / name).write_text(text)

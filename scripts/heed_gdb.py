"""Heed's types in gdb: shapes, arrays and tensors with their numbers.

    (gdb) source scripts/heed_gdb.py        # or, installed: share/heed/heed_gdb.py
    (gdb) print x
    $1 = f32[2, 3] {1, 2, 3, 4, 5, 6} made by add

One line in ~/.gdbinit loads them each time. They read memory only and call nothing of the program,
so that they work on core files, too.
"""

import struct

import gdb
import gdb.printing

SHOWN = 8  # elements


def dims(value):
    rank = int(value["rank_"])
    if not 0 <= rank <= 8:
        return None  # not constructed yet
    return [int(value["sizes_"][axis]) for axis in range(rank)]


def dims_text(value):
    sizes = dims(value)
    return "[?]" if sizes is None else "[%s]" % ", ".join(map(str, sizes))


def pointer_in(ref):
    """What a heed::Ref points to; 0 is none."""
    return ref["object_"]


def held_by(unique):
    """The address in a std::unique_ptr, which is nothing else in any standard library."""
    return unique.address.cast(gdb.lookup_type("long").pointer()).dereference()


def dtype_name(dtype):
    return str(dtype).rsplit("::", 1)[-1].replace("boolean", "bool")


ELEMENTS = {"f32": "float", "f64": "double", "i64": "long", "bool": "bool", "bf16": "unsigned short"}


def elements(array):
    """The first elements, in row-major order, and whether there are more."""
    sizes, strides = dims(array["shape_"]), dims(array["strides_"])
    kind = ELEMENTS.get(dtype_name(array["dtype_"]))
    if sizes is None or strides is None or len(sizes) != len(strides) or kind is None:
        return [], False
    data = array["data_"].cast(gdb.lookup_type(kind).pointer())
    count = 1
    for size in sizes:
        count *= size
    texts = []
    for i in range(min(count, SHOWN)):
        place, rest = 0, i
        for size, stride in zip(reversed(sizes), reversed(strides)):
            place += rest % size * stride
            rest //= size
        number = (data + place).dereference()
        if kind == "unsigned short":  # the upper half of a float
            number = "%.4g" % struct.unpack("<f", struct.pack("<I", int(number) << 16))
        texts.append(str(number))
    return texts, count > SHOWN


def array_text(array):
    if int(pointer_in(array["storage_"])) == 0:
        return "undefined"
    texts, more = elements(array)
    if more:
        texts.append("...")
    return "%s%s {%s}" % (dtype_name(array["dtype_"]), dims_text(array["shape_"]), ", ".join(texts))


class DimsPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return dims_text(self.value)


class ArrayPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return array_text(self.value)


class TensorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        pointer = pointer_in(self.value["impl_"])
        if int(pointer) == 0:
            return "undefined"
        impl = pointer.dereference()
        if int(held_by(impl["sparse"])) != 0:
            return "sparse gradient"
        text = array_text(impl["array"])
        node = pointer_in(impl["node"])
        if int(node) != 0:
            return text + " made by " + self.maker(node)
        return text + " requires_grad" if impl["requires_grad"] else text

    @staticmethod
    def maker(node):
        try:
            # By its place: of the whole, gdb would look for the class that it really is.
            field = next(f for f in node.type.target().fields() if f.name == "label_")
            start = node.cast(gdb.lookup_type("char").pointer()) + field.bitpos // 8
            label = start.cast(field.type.pointer()).dereference()
            if int(label["user"]) != 0:
                return label["user"].string()
            return str(label["op"]).rsplit("::", 1)[-1]
        except (gdb.error, StopIteration):  # the program holds no description of Node
            return "an operator"


def build():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("heed")
    printers.add_printer("Dims", "^heed::Dims$", DimsPrinter)
    printers.add_printer("Array", "^heed::Array$", ArrayPrinter)
    printers.add_printer("Tensor", "^heed::Tensor$", TensorPrinter)
    return printers


gdb.printing.register_pretty_printer(gdb.current_objfile(), build(), replace=True)

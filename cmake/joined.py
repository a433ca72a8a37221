"""Writes files that are several as one, for builds that are made once: much of a compiler's time goes into what
each file reads. Prints the names of what is to be compiled in the place of the given ones.

  joined.py FOLDER SIZE FILE...

Files go together, SIZE at most, where no name that one declares at its margin is a word of another or of its headers, so that
each means what it meant alone. Constants (kName) may be the same: each file has its own while it is read.
"""
import functools
import os
import pathlib
import re
import sys

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^#include "(.*)"', re.M)
SYSTEM = re.compile(r'^#include <.*>', re.M)
WORD = re.compile(r'\b[A-Za-z_]\w*')
TYPE = re.compile(r'(?:class|struct|enum(?: class)?|union) (\w+)')
USING = re.compile(r'using (?:(\w+) =|.*?(\w+);)')
VALUES = re.compile(r'(?<!::)\b([A-Za-z_]\w*)(?:\[\w*\])? ?[=({]')
VALUE = re.compile(r'(::)?\b([A-Za-z_]\w*)(?:\[\w*\])? ?(?:[=({;]|$)')  # or a function, but no member's definition
CHECKED = re.compile(r'checked\((.*?)(?: \w+)?[,)]')
NONE = re.compile(r'namespace|public:|private:|protected:|(?:TYPED_|INSTANTIATE_)?TEST\w*\(')
CONSTANT = re.compile(r'k[A-Z]\w*$')


def declared_by(line):
    line = re.sub(r'^template <.*?>(?: |$)', '', line)
    if NONE.match(line):
        return []
    if name := TYPE.match(line):
        return [name[1]]
    if name := USING.match(line):
        return [name[1] or name[2]]
    if name := CHECKED.search(line):
        return [f'checked({name[1]})']  # there are as many as kinds of options
    if line.startswith(('const ', 'constexpr ')) and (names := VALUES.findall(line)):
        return names
    name = VALUE.search(line)
    return [name[2]] if name and not name[1] else []


def included_by(path, text):
    """The project's headers, by their whole names."""
    return [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in INCLUDE.findall(text)]


@functools.lru_cache(None)
def header(path):
    """Its words, and the headers that it includes."""
    text = pathlib.Path(path).read_text()
    return frozenset(WORD.findall(NOT_CODE.sub('""', text))), included_by(path, text)


def closure(headers):
    """And all that these include."""
    seen = set(headers)
    todo = list(headers)
    while todo:
        more = set(header(todo.pop())[1]) - seen
        todo += more
        seen |= more
    return seen


class Source:
    """A file's words, and the lines that declare those of them which are its own."""

    def __init__(self, path):
        text = pathlib.Path(path).read_text()
        self.path = path
        self.system = SYSTEM.findall(text)
        self.headers = included_by(path, text)
        self.read = closure(self.headers)
        code = NOT_CODE.sub('""', text)
        self.words = set(WORD.findall(code))
        self.declared = {}
        for line in re.findall(r'^[A-Za-z].*$', code, re.M):
            for name in declared_by(line):
                self.declared.setdefault(name, set()).add(line)
                self.words.add(name)
        # A header's or a member's have one name everywhere.
        self.constants = {name for name in self.declared if CONSTANT.match(name) and not re.search(rf'(::|\.|->){name}\b', code) and
                          not any(name in header(path)[0] for path in self.read)}
        # What is read once for each of several processors, or leaves macros or names of others behind.
        self.alone = bool(re.search(r'^#(?!include)|-inl\.h"|^using namespace (?!heed;)', text, re.M))

    def hides(self, other):
        """Whether the other would mean something of this file, or this one something of the other's headers."""
        news = [header(path)[0] for path in other.read - self.read]
        for name, lines in self.declared.items():
            if any(name in words for words in news):
                return True
            alike = lines == other.declared.get(name) and all(line.startswith('using ') for line in lines)
            if name in other.words and name not in self.constants and not alike:
                return True
        return False


def groups(paths, size):
    out = []
    for source in map(Source, sorted(paths)):
        for group in out:
            if len(group) < size and not source.alone and not group[0].alone and not any(
                    source.hides(other) or other.hides(source) for other in group):
                group.append(source)
                break
        else:
            out.append([source])
    return out


def text_of(group):
    lines = list(dict.fromkeys(line for source in group for line in source.system))
    lines += [f'#include "{header}"' for header in dict.fromkeys(header for source in group for header in source.headers)]
    for number, source in enumerate(group):
        names = sorted(source.constants)
        lines += [f'#define {name} {name}_{number}' for name in names]
        lines += [f'#include "{source.path}"']
        lines += [f'#undef {name}' for name in names]
    return '\n'.join(lines) + '\n'


def write(folder, size, paths):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, group in enumerate(groups(paths, size)):
        if len(group) == 1:
            yield group[0].path
            continue
        path = folder / f'{number}.cpp'
        if not path.exists() or path.read_text() != text_of(group):
            path.write_text(text_of(group))
        yield str(path)


if __name__ == '__main__':
    print(';'.join(write(sys.argv[1], int(sys.argv[2]), sys.argv[3:])), end='')

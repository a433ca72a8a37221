"""Writes files that are several as one, for builds that are made once: much of a compiler's time goes into what
each file reads. Prints the names of what is to be compiled in the place of the given ones.

  joined.py FOLDER SIZE FILE...

Files go together, SIZE at most, where no name that one declares at its margin is a word of another or of its headers, so that
each means what it meant alone, and where no type of a header that one reads hides what another says. Constants (kName) and what
an unnamed namespace declares may be the same: each file has its own while it is read.
"""
import collections
import functools
import os
import pathlib
import re
import sys
import typing

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^#include "(.*)"', re.M)
SYSTEM = re.compile(r'^#include <.*>', re.M)
WORD = re.compile(r'\b[A-Za-z_]\w*')
TYPE = re.compile(r'(?:class|struct|enum(?: class)?|union) (\w+)')
DEFINED = re.compile(r'(?:class|struct|enum class|union) \w+(?!.*;)|using \w+ =')
SPACE = re.compile(r'namespace ([\w:]+) {')
USING = re.compile(r'using (?:(\w+) =|.*?(\w+);)')
LANGUAGE = '(?:void|bool|char|int|float|double|auto|return|sizeof|alignas|decltype|noexcept|const|requires|static_assert|\\w+_cast)'
NAMED = rf'\b(?!{LANGUAGE}\b)([A-Za-z_]\w*)(?:\[\w*\])? ?'
VALUES = re.compile(rf'(?<!::){NAMED}[=({{]')
VALUE = re.compile(rf'(::)?{NAMED}(?:[=({{;]|$)')  # or a function, but no member's definition
CALLED = re.compile(rf'{NAMED}\(')
CHECKED = re.compile(r'checked\((.*?)(?: \w+)?[,)]')
NONE = re.compile(r'namespace|public:|private:|protected:|(?:TYPED_|INSTANTIATE_)?TEST\w*\(')
CONSTANT = re.compile(r'k[A-Z]\w*$')
TESTED = re.compile(r'^(?:\w+_)?TEST\w*\(\s*(\w+),\s*(\w+)', re.M)  # a suite's name, or where it is instantiated, and a test's
# Macros, the house, and what GoogleTest asks for by its name.
NO_NAME = re.compile(r'__\w+|[A-Z0-9_]{3,}|heed|PrintTo')


def declared_by(line):
    line = re.sub(r'^template <.*?>(?: |$)', '', line)
    if NONE.match(line) or line.startswith('using namespace ') or re.search(r'\boperator\b', line):
        return []
    if name := TYPE.match(line):
        return [name[1]]
    if name := USING.match(line):
        return [name[1] or name[2]]
    if name := CHECKED.search(line):
        return [f'checked({name[1]})']  # there are as many as kinds of options
    while line != (line := re.sub('<[^<>]*>', '', line)):
        pass  # what types are of
    if line.startswith(('const ', 'constexpr ')) and (names := VALUES.findall(line)):
        return names
    name = VALUE.search(line)
    return [name[2]] if name and not name[1] else []


def unnamed(code):
    """The parts of it in unnamed namespaces."""
    parts = []
    for begin in re.finditer(r'^namespace {', code, re.M):
        depth = 0
        for brace in re.compile('[{}]').finditer(code, begin.start()):
            depth += 1 if brace[0] == '{' else -1
            if depth == 0:
                parts.append(code[begin.end():brace.start()])
                break
    return parts


def lines_at_margin(code):
    return re.findall(r'^[A-Za-z].*$', code, re.M)


def included_by(path, text):
    """The project's headers, by their whole names."""
    return [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in INCLUDE.findall(text)]


def spaces_in(code):
    """Each line at its margin, and the namespace that it stands in."""
    space = ''
    for line in lines_at_margin(code):
        if begin := SPACE.match(line):
            space = begin[1] if begin[1].startswith('heed') else f'{space}::{begin[1]}'
        yield line, space


class Header(typing.NamedTuple):
    includes: list
    declared: set
    types: set  # (name, namespace, path) of what it defines
    words: set
    spaces: set  # the namespaces that its lines stand in


@functools.lru_cache(None)
def header(path):
    text = pathlib.Path(path).read_text()
    code = NOT_CODE.sub('""', text)
    lines = list(spaces_in(code))
    return Header(included_by(path, text), {name for line, _ in lines for name in declared_by(line)},
                  {(name, space, path) for line, space in lines if DEFINED.match(line) for name in declared_by(line)},
                  set(WORD.findall(code)), {space for _, space in lines})


def closure(headers):
    """And all that these include."""
    seen = set(headers)
    todo = list(headers)
    while todo:
        more = set(header(todo.pop()).includes) - seen
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
        self.types = {type for path in self.read for type in header(path).types}
        self.spaces_of = collections.defaultdict(list)  # types of this name
        for name, space, _ in self.types:
            self.spaces_of[name].append(space)
        code = NOT_CODE.sub('""', text)
        self.words = set(WORD.findall(code))
        self.spaces = {space for _, space in spaces_in(code)}
        self.declared = {}
        for line in lines_at_margin(code):
            for name in declared_by(line):
                self.declared.setdefault(name, set()).add(line)
                self.words.add(name)
        hidden = {name for part in unnamed(code) for line in lines_at_margin(part) for name in declared_by(line)
                  if not line.startswith('const') or name not in CALLED.findall(line)}
        # A header's, a member's and a test's have one name everywhere, and a class that texts speak of.
        said = {word for literal in NOT_CODE.finditer(text) if literal[0][0] in 'R"' for word in WORD.findall(literal[0])}
        hidden -= {name for name in said if any(TYPE.match(line) for line in self.declared.get(name, []))}
        others = set(re.findall(r'(?:::|\.|->)~?(\w+)', code)) | {name for names in TESTED.findall(code) for name in names}
        self.own = {name for name in self.declared if (CONSTANT.match(name) or name in hidden) and WORD.fullmatch(name) and
                    not NO_NAME.fullmatch(name) and name not in others and not any(name in header(path).declared for path in self.read)}
        self.shared = self.declared.keys() - self.own
        # What is read once for each of several processors, or leaves macros or names of others behind.
        self.alone = bool(re.search(r'^#(?!include)|-inl\.h"|^using namespace (?!heed;)', text, re.M))

    def means(self, name, space):
        """Whether it, or a header of it that does not define the type, says this name in this namespace."""
        users = [read for read in map(header, self.read) if not any(name == of for of, _, _ in read.types)]
        return any(name in user.words and any(one.startswith(space) for one in user.spaces) for user in [self, *users])

    def hides(self, other):
        """Whether the other would mean something of this file, or this one something of the other's headers."""
        for name, space, _ in self.types - other.types:
            if any(space.startswith(outer) for outer in other.spaces_of[name]) and other.means(name, space):
                return True
        if any(not self.shared.isdisjoint(header(path).declared) for path in other.read - self.read):
            return True
        return any(self.declared[name] != other.declared.get(name) or
                   not all(line.startswith('using ') for line in self.declared[name])
                   for name in self.shared & other.words - other.own)


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
        names = sorted(source.own)
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

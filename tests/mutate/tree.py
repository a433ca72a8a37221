"""A copy of the tree, built, in which mutants are made: nothing of the user's is touched.

A mutant costs the compilation of what it changes (quickly, -O1) and a link: its objects go in front of the
library, which then gives only what they lack.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

QUICK = ['-w', '-O1', '-g0']
# Of a header, how many files of the library and how many tests are compiled anew: at first, and for what survived that,
# and that again.
NEAREST, FURTHER, WIDEST = 4, 16, 64
# What a program of tests runs as a process of its own, which the variable of its name in capitals tells it.
HELPERS = {'io': ['heed_saver']}


class BuildError(Exception):
    pass


def _run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode:
        raise BuildError(done.stdout)
    return done.stdout


def _copy(source, target):
    """Makes target equal to the files of source that git knows or would add; old ones keep their times."""
    listed = _run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=source)
    names = {name for name in listed.split('\0') if name and (source / name).is_file()}
    for name in names:
        new, old = source / name, target / name
        if not old.is_file() or old.read_bytes() != new.read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new, old)
    for folder, _, files in os.walk(target):
        inside = os.path.relpath(folder, target)
        for name in files:
            name = os.path.normpath(os.path.join(inside, name))
            if not name.startswith('build/') and name not in names:
                (target / name).unlink()


class Tree:
    """The built copy: what its objects depend on, and how each is compiled and each program linked."""

    def __init__(self, source, place, programs):
        self.source, self.root = source, place / 'tree'
        self.build = self.root / 'build/dev'
        _copy(source, self.root)
        # As scripts/test --lean compiles, and with names from the tree's root: a compiler's cache has most of it.
        os.environ.update(CCACHE_BASEDIR=str(self.root), CCACHE_NOHASHDIR='true')
        _run(['cmake', '--preset', 'dev', '-DHEED_BUILD_EXAMPLES=OFF', '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG',
              '-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold -Wl,--strip-debug',
              '-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST'], cwd=self.root)
        targets = [f'heed_{program}_tests' for program in programs]
        _run(['ninja', '-C', self.build, f'-j{os.cpu_count()}', *targets])
        # Without debug information the library is a twentieth of its size, and linked in no time.
        _run(['objcopy', '--strip-debug', 'libheed.a', 'libheed-small.a'], cwd=self.build)
        helpers = [helper for program in programs for helper in HELPERS.get(program, ())]
        self.links = {program: self._link_command(target) for program, target in zip(programs, targets)}
        self.helpers = {helper: self._link_command(helper) for helper in helpers}
        self.commands = {}
        for entry in json.loads((self.build / 'compile_commands.json').read_text()):
            name = os.path.relpath(os.path.join(entry['directory'], entry['file']), self.root)
            self.commands[name] = (shlex.split(entry['command']), self._object_of(entry))
        self.headers = {}
        for name in [name for name in self.commands if name.endswith('cmake_pch.hxx.cxx')]:
            self._precompile(name, place / f'header{len(self.headers)}')
        self.users = self._users()

    def _link_command(self, target):
        commands = _run(['ninja', '-C', self.build, '-t', 'commands', target]).splitlines()
        return next(line for line in reversed(commands) if f'-o tests/{target}' in line)

    def _precompile(self, name, place):
        """A precompiled header as mutants read it, who are compiled with other options."""
        command, made = self.commands[name]
        header, quick = str(self.root / name).removesuffix('.cxx'), str(place / 'cmake_pch.hxx')
        place.mkdir(exist_ok=True)
        shutil.copy(header, quick)
        words = [word for word in command if word != '-Werror' and not word.endswith('ccache')]
        words[words.index(made)] = quick + '.gch'
        words[words.index(header)] = quick
        _run([*words, *QUICK], cwd=self.build)
        self.headers[header] = quick

    def _object_of(self, entry):
        return re.search(r' -o (\S+)', entry['command']).group(1)

    def _users(self):
        """Of each file of the tree, the sources that include it."""
        users, source = {}, None
        sources = {made: name for name, (_, made) in self.commands.items()}
        for line in _run(['ninja', '-C', self.build, '-t', 'deps']).splitlines():
            if line and not line[0].isspace():
                source = sources.get(line.split(':')[0])
            elif line and source:
                path = os.path.normpath(os.path.join(self.build, line.strip()))
                if path.startswith(f'{self.root}/'):
                    users.setdefault(os.path.relpath(path, self.root), set()).add(source)
        return users

    def sources_of(self, file, nearest, name=''):
        """What is compiled anew when this file changes: itself, or so many of a header's nearest users, first of
        all those that speak of the struct or class, `name`, that the change is in."""
        if file.endswith('.cpp'):
            return [file]
        stem, folder = Path(file).stem.removesuffix('-inl'), Path(file).parent
        word = re.compile(rf'\b{name}\b')

        def distance(user):
            path = Path(user)
            speaks = name and word.search((self.root / user).read_text())
            near = path.parent in (folder, 'tests' / folder)
            return (not speaks, not path.stem.startswith(stem), not near, user)
        users = sorted(self.users.get(file, ()), key=distance)
        return ([user for user in users if not user.startswith('tests/')][:nearest] +
                [user for user in users if user.startswith('tests/')][:nearest])


class Bench:
    """One worker's own copy of the sources, to change and to compile; all else is the tree's."""

    def __init__(self, tree, place):
        self.tree, self.root = tree, place
        self.out = place / 'build/dev'
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(tree.root, place, ignore=lambda folder, _: ['build'] if folder == str(tree.root) else [])
        self.out.mkdir(parents=True)
        name = next(name for name in tree.commands if name.startswith('core/'))
        self.compile(name, (tree.root / name).read_text())  # unchanged: if this fails, all would

    def compile(self, file, text, nearest=NEAREST, name=''):
        """Object files that stand for the tree's when `file` reads `text`; BuildError if it does not compile."""
        changed = self.root / file
        original = changed.read_text()
        made = {}
        try:
            changed.write_text(text)
            for number, source in enumerate(self.tree.sources_of(file, nearest, name)):
                command, old = self.tree.commands[source]
                new = self.out / f'{number}.o'
                words = [self.tree.headers.get(word, word).replace(str(self.tree.root), str(self.root))
                         for word in command if word != '-Werror' and not word.endswith('ccache')]
                words[words.index(old)] = str(new)
                _run([*words, *QUICK], cwd=self.out)
                made[old] = new
        finally:
            changed.write_text(original)
        return made

    def link(self, program, objects):
        """The test program with these objects in it, and beside it what it runs."""
        for helper in HELPERS.get(program, ()):
            self._link(self.tree.helpers[helper], helper, objects)
        return self._link(self.tree.links[program], f'heed_{program}_tests', objects)

    def _link(self, command, name, objects):
        result = self.out / name
        words = ['libheed-small.a' if word == 'libheed.a' else word
                 for word in shlex.split(command.split('&&')[1].strip())]
        words[words.index(f'tests/{name}')] = str(result)
        # In front of all others: of what several files have (inline functions) the linker takes the first.
        front = [str(new) for old, new in objects.items() if old in words or not old.startswith('tests/')]
        words = [word for word in words if word not in objects]
        first = next(place for place, word in enumerate(words) if word.endswith('.o'))
        words[first:first] = front
        _run(words, cwd=self.tree.build)
        return result

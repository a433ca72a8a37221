"""The test programs: which of their tests to run first for a changed file, and how.

The tests that bear the file's name run first, in its own folder and in those that build on it, then all of its
own, at last the quick ones of the others. The limit of a run is on processor time, so that a busy machine cannot
make a fault of what only waits.
"""
import json
import os
import re
import resource
import subprocess
from pathlib import Path

DOWNSTREAM = {  # a folder's own tests, then those of the folders that use it
    'core': ['core', 'autograd', 'nn', 'attention', 'optim', 'io', 'data'],
    'autograd': ['autograd', 'nn', 'attention', 'optim', 'io'],
    'attention': ['attention'],
    'nn': ['nn', 'attention', 'io'],
    'optim': ['optim', 'io'],
    'io': ['io'],
    'data': ['data'],
}
QUICK, SLOW = 0.1, 2.0  # seconds
MEMORY = 12 << 30


class Programs:
    """What the unchanged programs hold: each test's file, its time, and whether it passes at all."""

    def __init__(self, tree):
        self.tests = {}  # of each program: [(name, file, seconds)]
        for program in tree.links:
            binary = tree.build / f'tests/heed_{program}_tests'
            report = tree.build / f'{program}.json'
            if not report.exists() or report.stat().st_mtime < binary.stat().st_mtime:
                subprocess.run([binary, f'--gtest_output=json:{report}'], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=_environment(tree), cwd=tree.build)
            self.tests[program] = []
            for suite in json.loads(report.read_text())['testsuites']:
                for test in suite['testsuite']:
                    if test['result'] == 'COMPLETED' and not test.get('failures'):
                        self.tests[program].append((f'{suite["name"]}.{test["name"]}', test['file'],
                                                    float(test['time'].rstrip('s'))))

    def runs(self, file, text):
        """What to run for a change of this file, one after the other: a program, its tests, and the vectors (HEED_SIMD)
        that kernels are held to, '' for all that the processor has."""
        stem = Path(file).stem.removesuffix('_simd').removesuffix('-inl')
        words = {stem, ''.join(word.capitalize() for word in stem.split('_'))}
        words |= set(re.findall(r'Op::(\w+)', text))
        own = re.compile('|'.join(rf'(?<![a-zA-Z]){re.escape(word)}(?![a-z])' for word in words))
        programs = DOWNSTREAM[file.split('/')[0]]
        named = {program: [test for test in self.tests[program] if test[2] <= SLOW and
                           (own.search(test[0]) or Path(test[1]).stem.startswith(stem))] for program in programs}
        for program in programs:
            yield program, named[program], ''
        if file.startswith('core/kernels/'):  # what is made for fewer vectors than this processor's
            for program in programs[:2]:
                yield program, named[program], 'avx2'
        others = [test for test in self.tests[programs[0]] if test not in named[programs[0]]]
        yield programs[0], [test for test in others if test[2] <= QUICK], ''
        yield programs[0], [test for test in others if test[2] > QUICK], ''
        for program in programs[1:]:
            yield program, [test for test in self.tests[program] if test not in named[program] and test[2] <= QUICK], ''


def _environment(tree, vectors=''):
    environment = dict(os.environ, OMP_WAIT_POLICY='passive')
    if vectors:
        environment['HEED_SIMD'] = vectors
    environment.setdefault('HEED_DATA', str(tree.source.parent / 'shared/data'))
    return environment


def passes(tree, binary, tests, vectors=''):
    """Whether all these tests pass, in time, without a crash."""
    environment = _environment(tree, vectors)
    for helper in tree.helpers:  # changed as the program is, if it has one
        if (made := Path(binary).parent / helper).exists():
            environment[helper.upper()] = str(made)
    flags = Path(f'{binary}.flags')
    flags.write_text('--gtest_fail_fast\n--gtest_brief=1\n--gtest_filter=' + ':'.join(name for name, *_ in tests))
    limit = int(5 + 4 * sum(seconds for *_, seconds in tests))

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        return subprocess.run([binary, f'--gtest_flagfile={flags}'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=Path(binary).parent,
                              env=environment, preexec_fn=bound, timeout=30 * limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False

"""What the program beside this one reads of files that others wrote, and they of its own."""
import subprocess
import sys

PROGRAM = sys.argv[1]


def read(path):
    """Name -> (dtype, shape, numbers) as heed reads the file."""
    lines = subprocess.run([PROGRAM, 'print', path], capture_output=True, text=True, check=True).stdout
    out = {}
    for line in lines.splitlines():
        name, dtype, shape, numbers = line.split('\t')
        sizes = tuple(int(size) for size in shape.split(',') if size)
        out[name] = dtype, sizes, [float(number) for number in numbers.split()]
    return out


def rewrite(path, to):
    subprocess.run([PROGRAM, 'rewrite', path, to], check=True)


def refusal(path):
    """The message with which heed refuses the file, or '' where it does not."""
    done = subprocess.run([PROGRAM, 'print', path], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode == 1 else ''


class Tally:
    """Counts what agrees; prints one line."""

    def __init__(self, name):
        self.name, self.held, self.missed = name, 0, []

    def check(self, holds, what):
        if holds:
            self.held += 1
        else:
            self.missed.append(what)

    def end(self):
        text = '; missed: ' + ', '.join(self.missed[:5]) if self.missed else ''
        print(f'{self.name:<12} {self.held} of {self.held + len(self.missed)} agree{text}')
        sys.exit(1 if self.missed else 0)

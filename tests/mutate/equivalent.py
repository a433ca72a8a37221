"""The list of changes that no test could find: equivalent.txt."""
import fnmatch


class Equivalent:
    """Entries of four lines, `FILE`, `- BEFORE`, `+ AFTER`, `= WHY`; the first three may be patterns with `*`."""

    def __init__(self, path):
        lines = [line.strip() for line in path.read_text().splitlines()] if path.exists() else []
        lines = [line for line in lines if line and not line.startswith('#')]
        self.entries = [lines[first:first + 4] for first in range(0, len(lines), 4)]
        for entry in self.entries:
            if [line[:2] for line in entry[1:]] != ['- ', '+ ', '= ']:
                raise ValueError(f'{path}: not FILE, - BEFORE, + AFTER, = WHY: {entry}')

    def reason(self, file, before, after):
        """Why this change cannot be found, or '' when it is not in the list."""
        for at, old, new, why in self.entries:
            if _matches(file, at) and _matches(before, old[2:]) and _matches(after, new[2:]):
                return why[2:]
        return ''


def _matches(text, pattern):
    return fnmatch.fnmatchcase(text, pattern.replace('[', '[[]').replace('?', '[?]'))

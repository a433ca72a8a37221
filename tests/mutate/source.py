"""What of a C++ source is code: the text with comments, literals and preprocessor lines blanked out.

Positions stay: what is blanked becomes as many spaces (a literal keeps its quotes, a line its end).
"""
import re

_NOT_CODE = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r'|^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*',
    re.DOTALL | re.MULTILINE)


def _blank(match):
    text = match.group()
    spaces = re.sub(r'[^\n]', ' ', text)
    if text[0] in '"\'' or text.startswith('R"'):
        return '"' + spaces[1:-1] + '"'
    return spaces


def code_of(text):
    """The text, as long as before, without what the compiler does not read as code."""
    return _NOT_CODE.sub(_blank, text)


def closing(code, at):
    """Where the bracket that opens at `at` is closed, or -1."""
    pairs = {'(': ')', '[': ']', '{': '}'}
    depth = 0
    for place in range(at, len(code)):
        if code[place] in pairs:
            depth += 1
        elif code[place] in pairs.values():
            depth -= 1
            if depth == 0:
                return place
    return -1


def split_at_commas(code, begin, end):
    """The spans between begin and end that commas outside of all brackets part, without outer spaces."""
    spans, depth, start = [], 0, begin
    for place in range(begin, end + 1):
        if place == end or (code[place] == ',' and depth == 0):
            part = code[start:place]
            spans.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
            start = place + 1
        elif code[place] in '([{':
            depth += 1
        elif code[place] in ')]}':
            depth -= 1
    return spans


_LAMBDA = re.compile(r'\[[^\[\]]*\]\s*(\([^()]*\))?[\s\w]*(->[^{]*)?$')
_DECLARES = re.compile(r'\b(namespace|class|struct|enum|union|extern)\b')
_CONTROL = re.compile(r'\s*(?:else\b\s*)?(?:if\s+constexpr|if|for|while|switch)\s*(?=\()')
_PREFIX = re.compile(r'\s*(?:else\b|do\b|default:|case [^:]+(?:::[^:]+)*:(?!:))')


def _without_controls(code, begin, end):
    """begin moved behind `if (...)`, `for (...)`, `else`, `case x:`."""
    while True:
        control = _CONTROL.match(code, begin, end)
        if control:
            close = closing(code, control.end())
            if close < 0 or close >= end:
                return end
            begin = close + 1
            continue
        prefix = _PREFIX.match(code, begin, end)
        if not prefix:
            return begin + len(code[begin:end]) - len(code[begin:end].lstrip())
        begin = prefix.end()


def statements(code):
    """The spans of the statements inside functions, each with its semicolon, without what controls it."""
    spans = []
    scopes = []  # of each open brace: its kind, and where the statement around it began
    kind, start, depth = 'declarations', 0, 0
    for place, letter in enumerate(code):
        if letter in '([':
            depth += 1
        elif letter in ')]':
            depth -= 1
        elif letter == '{':
            head = code[start:place]
            scopes.append((kind, start, depth))
            # clang-format puts a space before a block and none before the braces of a value.
            value = not code[place - 1].isspace() or re.search(r'(=|,|\(|\{|\breturn)\s*$', head)
            if value:
                kind = 'value'
            elif _LAMBDA.search(head):
                kind = 'lambda'
            else:
                kind = 'declarations' if _DECLARES.search(head) and '(' not in head else 'block'
            start, depth = place + 1, 0
        elif letter == '}':
            if not scopes:
                return spans
            inner = kind
            kind, start, depth = scopes.pop()
            if inner in ('block', 'declarations'):
                start = place + 1
        elif letter == ';' and depth == 0:
            if kind in ('block', 'lambda'):
                begin = _without_controls(code, start, place)
                if begin < place:
                    spans.append((begin, place + 1))
            start = place + 1
    return spans

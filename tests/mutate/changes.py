"""The changes that can be made to a C++ source: each the fault that a tired author might have written.

The tree is formatted by clang-format, which tells operators apart without a parser: a binary one has a
space or a line's end on both sides; a template's bracket, a pointer's star and a reference's ampersand
have not. What does not compile is no loss: such a change is not counted.
"""
import re
from dataclasses import dataclass

from source import closing, code_of, split_at_commas, statements


@dataclass(frozen=True)
class Change:
    file: str
    line: int
    begin: int
    end: int
    after: str
    kind: str

    def apply(self, text):
        return text[:self.begin] + self.after + text[self.end:]

    def lines(self, text):
        """The lines it touches, before and after, each on one line."""
        first = text.rfind('\n', 0, self.begin) + 1
        last = text.find('\n', self.end)
        before = text[first:last]
        after = text[first:self.begin] + self.after + text[self.end:last]
        return ' '.join(before.split()), ' '.join(after.split())


_TOP_LEVEL = re.compile(r'^(?:(?:struct|class) (\w+)[^;\n]*\{$|(?!//|#)\w[^\n(]*?\b(\w+)\(|\})', re.MULTILINE)


def holder(text, begin):
    """The struct, class or function whose body this place of a header is in, the outermost; '' in none."""
    name = ''
    for found in _TOP_LEVEL.finditer(text[:begin]):
        name = found.group(1) or found.group(2) or ''
    return name


_OPERATORS = {
    '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'],
    '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
    '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['/'], '&': ['|'], '|': ['&'],
    '+=': ['-=', '='], '-=': ['+=', '='], '*=': ['/=', '='], '/=': ['*=', '='],
}
_COMPARISONS = {'<', '<=', '>', '>=', '==', '!='}
_BINARY = re.compile(r'(?<=\s)(%s)(?=\s)' % '|'.join(
    re.escape(key) for key in sorted(_OPERATORS, key=len, reverse=True)))
_UNARY = re.compile(r'!(?=[\w(])|(?<=[\s(\[{])-(?=[a-zA-Z_(])')
_STEP = re.compile(r'\+\+(?=\w)|--(?=\w)')
_NUMBER = re.compile(r"(?<![\w.'])(\d[\d']*)(\.\d*)?([eE][+-]?\d+)?([uUlLfF]*)(?![\w.'])")
_TRUTH = re.compile(r'\b(true|false)\b')
_CALL = re.compile(r'(\w+)(?:<[\w:, ]*>)?\(')
_ACTS = re.compile(r'(throw|break|continue)\b|[*(]|(\+\+|--)|\w+(::\w+)*\s*(\.|->|\(|\[|[-+*/|&]?=|\+\+|--)')
_NO_STATEMENT = re.compile(r'(return|using|typedef|static_assert|delete|template)\b')
_NO_CALL = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'catch', 'decltype', 'requires',
            # these are symmetrical, and Highway's that follow
            'max', 'min', 'swap', 'maximum', 'minimum', 'logical_and', 'logical_or',
            'Mul', 'Add', 'And', 'Or', 'Xor', 'Eq', 'Ne'}
_PRODUCTS = {'MulAdd', 'NegMulAdd', 'MulSub'}  # of their first two arguments
_TURNS = {'transpose'}  # of two axes, their last arguments
_PARAMETER = re.compile(r'(const )?[\w:]+(<.*>)?[&*]* +&?\w+( = .*)?$')


def _number(match):
    whole, fraction, power, suffix = match.groups()
    if fraction is None and power is None and 'f' not in suffix.lower():
        value = int(whole.replace("'", ''), 8 if len(whole) > 1 and whole[0] == '0' else 10)
        return [f'{other}{suffix}' for other in {0: [1], 1: [0, 2]}.get(value, [value + 1, value - 1])]
    value = float(match.group()[:len(match.group()) - len(suffix)].replace("'", ''))
    return [f'{1.0 if value == 0 else 2 * value!r}{suffix}']


def changes_of(file, text):
    """Every change of this file, in the order of their places."""
    code = code_of(text)
    found = []

    def add(begin, end, after, kind):
        found.append(Change(file, text.count('\n', 0, begin) + 1, begin, end, after, kind))

    for match in _BINARY.finditer(code):
        kind = 'comparison' if match.group() in _COMPARISONS else 'operator'
        for other in _OPERATORS[match.group()]:
            add(*match.span(), other, kind)
    for match in _UNARY.finditer(code):
        add(*match.span(), '', 'operator')
    for match in _STEP.finditer(code):
        add(*match.span(), '--' if match.group() == '++' else '++', 'operator')
    for match in _NUMBER.finditer(code):
        for other in _number(match):
            add(*match.span(), other, 'constant')
    for match in _TRUTH.finditer(code):
        add(*match.span(), 'false' if match.group() == 'true' else 'true', 'constant')
    for begin, end in statements(code):
        words = code[begin:end]
        if _ACTS.match(words) and not _NO_STATEMENT.match(words):
            add(begin, end, ';', 'statement')
    for match in _CALL.finditer(code):
        close = closing(code, match.end() - 1)
        if match.group(1) in _NO_CALL or close < 0:
            continue
        spans = split_at_commas(code, match.end(), close)
        parts = [text[begin:end] for begin, end in spans]
        if any(_PARAMETER.match(part) for part in parts):
            continue
        pairs = list(zip(spans, spans[1:]))
        last = len(pairs) - (match.group(1) in _TURNS)
        for (begin, left), (right, end) in pairs[match.group(1) in _PRODUCTS:last]:
            first, second = text[begin:left], text[right:end]
            literals = first.startswith('"') + second.startswith('"')
            if first != second and literals != 1 and end - begin <= 160:
                add(begin, end, second + text[left:right] + first, 'arguments')
    return sorted(found, key=lambda change: (change.begin, change.end, change.after))

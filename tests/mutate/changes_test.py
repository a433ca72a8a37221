"""What is code, where it can be changed, and which survivors are known to be none."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from changes import changes_of, holder  # noqa: E402
from equivalent import Equivalent  # noqa: E402
from source import code_of, statements  # noqa: E402


def after(text, kind=None):
    """Each change of the text, written out."""
    return [change.apply(text) for change in changes_of('x.cpp', text) if kind in (None, change.kind)]


class Code(unittest.TestCase):
    def test_comments_literals_and_directives_are_blank_and_places_stay(self):
        text = '#include <a>\n#define A \\\n  1 + 2\nint a = 1; // b < 2\nauto s = "c < 3";  /* 4\n5 */\n'
        code = code_of(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual(code.count('\n'), text.count('\n'))
        self.assertEqual(code.split(), ['int', 'a', '=', '1;', 'auto', 's', '=', '"', '";'])

    def test_digits_may_be_parted(self):
        self.assertEqual(code_of("100'000 + 'x'").split(), ["100'000", '+', '"', '"'])

    def test_statements_are_those_of_functions(self):
        code = ('struct A {\n  A();\n  int b(int c);\n};\n'
                'void f() {\n  if (a) b();\n  for (int i = 0; i < n; ++i) c(T{1});\n'
                '  each(n, [&](int i) { d(i); });\n  x = {1, 2};\n}\n')
        self.assertEqual([code[begin:end] for begin, end in statements(code)],
                         ['b();', 'c(T{1});', 'd(i);', 'each(n, [&](int i) { d(i); });', 'x = {1, 2};'])


class Holder(unittest.TestCase):
    def test_is_the_outermost_class_or_function_that_a_place_is_in(self):
        text = ('struct A {\n  int a = 0;\n  struct B {\n    int b = 1;\n  };\n  int c = 2;\n};\n'
                'inline int f() {\n  return 3;\n}\nstruct D;\nclass E final : public A {\n  int e = 4;\n};\n'
                'constexpr int g = {5};\ntemplate <class T>\nT h(const T& x,\n    int y = 6) {\n  return x(7);\n}\n')
        self.assertEqual([holder(text, text.index(number)) for number in '01234567'],
                         ['A', 'A', 'A', 'f', 'E', '', 'h', 'h'])


class Changes(unittest.TestCase):
    def test_brackets_of_templates_stars_and_references_are_no_operators(self):
        self.assertEqual(after('std::vector<T>& f(const T* x, T&& y);'), [])

    def test_comparisons_meet_their_neighbour_and_their_opposite(self):
        self.assertEqual(after('return a < b;'), ['return a <= b;', 'return a >= b;'])
        self.assertEqual(after('return a == b;'), ['return a != b;'])

    def test_operators_and_signs(self):
        self.assertEqual(after('y = a + b;', 'operator'), ['y = a - b;'])
        self.assertEqual(after('return -x;'), ['return x;'])
        self.assertEqual(after('return !x;'), ['return x;'])
        self.assertEqual(after('return a && b;'), ['return a || b;'])

    def test_constants(self):
        self.assertEqual(after('return 1;'), ['return 0;', 'return 2;'])
        self.assertEqual(after('return 0.5f;'), ['return 1.0f;'])
        self.assertEqual(after('return true;'), ['return false;'])
        self.assertEqual(after('return x1 ? log2(x) : f64;'), [])

    def test_statements_are_dropped(self):
        self.assertEqual(after('void f() { if (x) g(y); }', 'statement'), ['void f() { if (x) ; }'])
        self.assertEqual(after('void f() { const int x = y; return x; }', 'statement'), [])

    def test_neighbouring_arguments_change_places(self):
        self.assertEqual(after('x = f(a, b, c);', 'arguments'), ['x = f(b, a, c);', 'x = f(a, c, b);'])
        self.assertEqual(after('x = std::max(a, b);', 'arguments'), [])
        self.assertEqual(after('x = logical_and(a, b);', 'arguments'), [])
        self.assertEqual(after('x = transpose(y, -2, -1);', 'arguments'), ['x = transpose(-2, y, -1);'])
        self.assertEqual(after('x = hn::Mul(a, b);', 'arguments'), [])
        self.assertEqual(after('x = hn::MulAdd(a, b, c);', 'arguments'), ['x = hn::MulAdd(a, c, b);'])
        self.assertEqual(after('x = hn::Sub(a, b);', 'arguments'), ['x = hn::Sub(b, a);'])
        self.assertEqual(after('void f(const T& a, int b);', 'arguments'), [])

    def test_lines_are_told_before_and_after(self):
        text = 'a = b;\n  c = d +\n      e;\n'
        change = next(change for change in changes_of('x.cpp', text) if change.kind == 'operator')
        self.assertEqual((change.line, *change.lines(text)), (2, 'c = d +', 'c = d -'))


class Known(unittest.TestCase):
    def test_entries_match_by_file_and_both_lines(self):
        with tempfile.NamedTemporaryFile('w') as file:
            file.write('# why\na/*.cpp\n  - k = 8[i];\n  + *\n  = speed only\n')
            file.flush()
            known = Equivalent(Path(file.name))
        self.assertEqual(known.reason('a/b.cpp', 'k = 8[i];', 'k = 9[i];'), 'speed only')
        self.assertEqual(known.reason('b/b.cpp', 'k = 8[i];', 'k = 9[i];'), '')
        self.assertEqual(known.reason('a/b.cpp', 'k = 7[i];', 'k = 9[i];'), '')


if __name__ == '__main__':
    unittest.main()

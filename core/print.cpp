#include "print.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "error.h"
#include "print_numbers.h"

namespace heed {
namespace {

using Write = std::function<std::string(const Array& element)>;

// Every element that will be shown.
void gather(const Array& array, Index edge, bool cut, std::vector<Array>& to) {
  if (array.rank() == 0) {
    to.push_back(array);
    return;
  }
  const Index size = array.shape()[0];
  for (Index i = 0; i < size; ++i) {
    if (cut && size > 2 * edge && i == edge) i = size - edge;
    if (i < size) gather(array.select(0, i), edge, cut, to);
  }
}

double value_of(const Array& element) { return element.item(); }

Write writer(const Array& array, const std::vector<Array>& shown, int precision) {
  if (array.dtype() == DType::boolean) {
    return [wide = array.rank() > 0](const Array& element) -> std::string {
      return element.item() != 0 ? (wide ? " True" : "True") : "False";
    };
  }
  if (is_floating(array.dtype())) {
    std::vector<double> values(shown.size());
    std::transform(shown.begin(), shown.end(), values.begin(), value_of);
    return [write = detail::float_writer(values, array.dtype() != DType::f64, precision)](
               const Array& element) { return write(element.item()); };
  }
  const auto text = [](const Array& element) {
    return fmt::format("{}", *element.to(DType::i64).data<std::int64_t>());
  };
  std::size_t width = 0;
  for (const Array& element : shown) width = std::max(width, text(element).size());
  return [=](const Array& element) {
    std::string out = text(element);
    out.insert(0, width - out.size(), ' ');
    return out;
  };
}

// The nested brackets of one array.
class Layout {
 public:
  Layout(const Write& write, Index edge, bool cut) : write_(write), edge_(edge), cut_(cut) {}

  // `indent`: before every line but the first. `width`: of all lines.
  std::string text(const Array& array, const std::string& indent, Index width) const {
    if (array.rank() == 0) return write_(array);
    return array.rank() == 1 ? row(array, indent, width) : block(array, indent, width);
  }

 private:
  // Calls item(index) for each that is shown, and item(-1) for the gap.
  template <class Item>
  void each(Index size, const Item& item) const {
    const bool gap = cut_ && size > 2 * edge_;
    for (Index i = 0; i < size; ++i) {
      if (gap && i == edge_) {
        item(Index{-1});
        i = size - edge_;
        if (i == size) break;
      }
      item(i);
    }
  }

  std::string row(const Array& array, const std::string& indent, Index width) const {
    std::string out, line = indent;
    bool first = true;
    each(array.shape()[0], [&](Index i) {
      if (!first) line += ", ";
      first = false;
      const std::string word = i < 0 ? "..." : write_(array.select(0, i));
      const bool fits = static_cast<Index>(line.size() + word.size()) <= width - 1;
      if (!fits && line.size() > indent.size()) {
        while (line.back() == ' ') line.pop_back();
        out += line + "\n";
        line = indent;
      }
      line += word;
    });
    return fmt::format("[{}]", (out + line).substr(indent.size()));
  }

  std::string block(const Array& array, const std::string& indent, Index width) const {
    std::string out;
    std::string between = ",";
    between.append(static_cast<std::size_t>(array.rank() - 1), '\n');
    each(array.shape()[0], [&](Index i) {
      if (!out.empty()) out += between + indent;
      out += i < 0 ? "..." : text(array.select(0, i), indent + " ", width - 1);
    });
    return fmt::format("[{}]", out);
  }

  const Write& write_;
  Index edge_;
  bool cut_;
};

void check(const PrintOptions& options) {
  if (options.precision < 0 || options.precision > 32 || options.edge < 0 ||
      options.threshold < 0 || options.width < 1) {
    throw ValueError(fmt::format(
        "to_string: precision {} must be in [0, 32], edge {} and threshold {} not negative, width "
        "{} positive",
        options.precision, options.edge, options.threshold, options.width));
  }
}

}  // namespace

std::string detail::printed(const std::string& name, const Array& array,
                            const std::vector<std::string>& notes, const PrintOptions& options) {
  check(options);
  if (!array.defined()) return "undefined";
  const bool cut = array.numel() > options.threshold, empty = array.numel() == 0;
  std::string out = name + "(";
  if (empty) {
    out += "[]";
  } else {
    std::vector<Array> shown;
    gather(array, options.edge, cut, shown);
    const Write write = writer(array, shown, options.precision);
    out += Layout(write, options.edge, cut)
               .text(array, std::string(name.size() + 2, ' '), options.width - 1);
  }
  std::vector<std::string> all;
  if (cut || (empty && !(array.shape() == Shape{0}))) {
    all.push_back(fmt::format("shape={}", to_string(array.shape())));
  }
  const bool implied = array.dtype() == DType::i64 || array.dtype() == DType::boolean;
  if (array.dtype() != DType::f32 && (empty || !implied)) {
    all.push_back(fmt::format("dtype={}", heed::name(array.dtype())));
  }
  all.insert(all.end(), notes.begin(), notes.end());
  if (all.empty()) return out + ")";
  std::string tail;
  for (const std::string& note : all) tail += (tail.empty() ? "" : ", ") + note;
  tail += ')';
  const std::size_t last_line = out.size() - (out.rfind('\n') + 1);
  const bool fits = static_cast<Index>(last_line + tail.size() + 2) <= options.width;
  out += ',';
  out += fits ? ' ' : '\n';
  if (!fits) out.append(name.size() + 1, ' ');
  return out + tail;
}

std::string to_string(const Array& array, const PrintOptions& options) {
  return detail::printed("array", array, {}, options);
}
std::string to_string(const Array& array) { return to_string(array, PrintOptions()); }

std::ostream& operator<<(std::ostream& out, const Array& array) { return out << to_string(array); }
std::ostream& operator<<(std::ostream& out, const Dims& dims) { return out << to_string(dims); }

}  // namespace heed

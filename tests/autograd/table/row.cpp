#include "row.h"

#include <algorithm>
#include <numeric>

#include "../../../core/error.h"
#include "../../../core/generator.h"

namespace heed::table {
namespace {

Index count_of(const std::vector<Index>& shape) {
  return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
}

// A seed from a name (FNV-1a), so that a sample's values depend on nothing else.
std::uint64_t seed_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  return hash;
}

double draw(Domain domain, Generator& generator) {
  const double unit = generator.uniform();
  if (domain == Domain::positive) return 0.25 + 2 * unit;
  if (domain == Domain::nonzero) return (0.25 + 2 * unit) * (generator.uniform() < 0.5 ? -1 : 1);
  return 4 * unit - 2;
}

}  // namespace

Sample sample(const std::string& name, const std::vector<Input>& inputs, Call call,
              Reference reference) {
  Generator generator(seed_of(name));
  Index distinct = 0;
  for (const Input& input : inputs) {
    if (input.domain == Domain::distinct) distinct += count_of(input.shape);
  }
  // An even number of rungs on a ladder from -2 to 2 leaves out 0.
  const Index rungs = distinct + distinct % 2;
  const std::vector<Index> order = generator.permutation(rungs);
  std::size_t next = 0;
  Blocks blocks;
  for (const Input& input : inputs) {
    std::vector<double> values;
    for (Index i = count_of(input.shape); i > 0; --i) {
      if (input.domain == Domain::distinct) {
        const double rung = static_cast<double>(order[next++]) + 0.5;
        const double value = 4 * rung / static_cast<double>(rungs) - 2;
        values.push_back(value < 0 ? 0.9 * value : value);  // magnitudes are distinct too
      } else {
        values.push_back(draw(input.domain, generator));
      }
    }
    blocks.emplace_back(input.shape, std::move(values));
  }
  return {name, std::move(blocks), std::move(call), std::move(reference)};
}

std::vector<BadCall> bad_operands(const std::string& op,
                                  const std::function<Tensor(const Tensor&)>& call) {
  return {
      bad<GradError>(op + ": x is undefined", [call] { call(Tensor()); }),
      bad<GradError>(op + ": x is undefined",
                     [call] {
                       Tensor gone = of(3, 5);
                       const Tensor kept = std::move(gone);
                       call(gone);  // NOLINT(bugprone-use-after-move): that is the test
                     }),
      bad<DTypeError>(op + ": takes f32 or f64, not i64", [call] { call(of<DType::i64>(3, 5)); }),
      bad<DTypeError>(op + ": takes f32 or f64, not bool",
                      [call] { call(of<DType::boolean>(3, 5)); }),
  };
}

Row unary(Subject subject, Tensor (*call)(const Tensor&), double (*reference)(double),
          Domain domain) {
  const Call on_first = [call](const Tensors& x) { return call(x[0]); };
  const Reference on_block = [reference](const Blocks& x) { return map(x[0], reference); };
  Row row{subject, {}, bad_operands(subject.name, call)};
  const std::vector<std::pair<std::string, std::vector<Index>>> shapes = {
      {"rank 0", {}},           {"vector", {7}},  {"matrix", {3, 5}}, {"sizes of 1", {1, 3, 1}},
      {"rank 4", {2, 1, 3, 2}}, {"empty", {0, 3}}};
  for (const auto& [title, shape] : shapes) {
    row.samples.push_back(sample(title, {in(shape, domain)}, on_first, on_block));
  }
  return row;
}

Row binary(Subject subject, Tensor (*call)(const Tensor&, const Tensor&),
           double (*reference)(double, double), Domain x, Domain y) {
  const Call on_both = [call](const Tensors& t) { return call(t[0], t[1]); };
  const Reference on_blocks = [reference](const Blocks& b) { return map(b[0], b[1], reference); };
  const std::string title = subject.name;
  Row row{subject,
          {},
          {bad<ShapeError>(title + ": shapes [3, 5] and [3] do not broadcast",
                           [call] { call(of(3, 5), of(3)); }),
           bad<ShapeError>(title + ": shapes [2, 1, 5] and [3, 4] do not broadcast",
                           [call] { call(of(2, 1, 5), of(3, 4)); }),
           bad<DTypeError>(title + ": dtypes differ: x is f32[3], y is f64[3]",
                           [call] { call(of(3), of<DType::f64>(3)); }),
           bad<DTypeError>(title + ": takes f32 or f64, not i64",
                           [call] { call(of<DType::i64>(3), of<DType::i64>(3)); }),
           bad<GradError>(title + ": x is undefined", [call] { call(Tensor(), of(3)); }),
           bad<GradError>(title + ": y is undefined", [call] { call(of(3), Tensor()); })}};
  struct Pair {
    const char* name;
    std::vector<Index> x, y;
  };
  const std::vector<Pair> pairs = {
      {"same shape", {3, 5}, {3, 5}},  {"x broadcast", {5}, {3, 5}},
      {"y broadcast", {3, 5}, {3, 1}}, {"both broadcast", {3, 1, 2}, {5, 1}},
      {"x of rank 0", {}, {2, 3}},     {"y of rank 0", {2, 3}, {}},
      {"both of rank 0", {}, {}},      {"sizes of 1", {1, 3}, {1, 1, 1}},
      {"empty", {0, 3}, {3}},          {"broadcast to empty", {1, 3}, {0, 1}}};
  for (const Pair& pair : pairs) {
    row.samples.push_back(sample(pair.name, {in(pair.x, x), in(pair.y, y)}, on_both, on_blocks));
  }
  return row;
}

Row with(Row row, std::vector<Sample> samples, std::vector<BadCall> bad_calls) {
  for (Sample& more : samples) row.samples.push_back(std::move(more));
  for (BadCall& more : bad_calls) row.bad_calls.push_back(std::move(more));
  return row;
}

Row integers_too(Row row, bool bools) {
  std::erase_if(row.bad_calls, [bools](const BadCall& call) {
    return call.text.find("not i64") != std::string::npos ||
           (bools && call.text.find("not bool") != std::string::npos);
  });
  return row;
}

Tensor ids(const std::vector<Index>& values, const Shape& shape) {
  return Array::from(values, shape);
}

Tensor flags(const std::vector<double>& values, const Shape& shape) {
  return Array::from(values, shape).to(DType::boolean);
}

Tensor to_tensor(const Block& block, DType dtype) {
  return Array::from(block.values(), Shape(block.shape())).to(dtype);
}

Tensors values_of(const Sample& sample) {
  Tensors inputs;
  for (const Block& block : sample.inputs) inputs.push_back(to_tensor(block, DType::f64));
  return inputs;
}

}  // namespace heed::table

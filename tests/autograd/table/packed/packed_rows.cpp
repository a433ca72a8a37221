#include "../../../../autograd/ops/packed/packed.h"

#include <cmath>
#include <limits>

#include "../../../../autograd/ops/packed/segment.h"
#include "../../../../core/error.h"
#include "../moved.h"
#include "../table.h"

namespace heed::table {
namespace {

using X = const Tensors&;
using B = const Blocks&;
using Sizes = std::vector<Index>;

// The sequence of token n, and its step there.
struct At {
  At(const Sizes& lengths, Index n) : step(n) {
    while (step >= lengths[static_cast<std::size_t>(sequence)]) {
      step -= lengths[static_cast<std::size_t>(sequence++)];
    }
  }
  Index sequence = 0, step;
};

// The first sizes of `shape` replaced by others.
Sizes with_front(const Sizes& front, const Sizes& shape, std::ptrdiff_t gone) {
  Sizes out = front;
  out.insert(out.end(), shape.begin() + gone, shape.end());
  return out;
}

Row pack_row() {
  const auto form = [](const std::string& name, const Sizes& shape, const Sizes& lengths) {
    const Sizes real =
        lengths.empty() ? Sizes(static_cast<std::size_t>(shape[0]), shape[1]) : lengths;
    return moved(
        name, shape, with_front({offsets_of(real).back()}, shape, 2),
        [=](X x) { return pack(x[0], lengths).tokens; },
        [=](const Place& p) {
          const At at(real, p[0]);
          return with_front({at.sequence, at.step}, p, 1);
        });
  };
  return {Op::pack,
          {form("padded", {3, 5, 2}, {2, 5, 3}), form("a row of nothing", {3, 2, 3}, {1, 0, 2}),
           form("numbers", {2, 3}, {3, 1}), form("blocks", {2, 3, 2, 5}, {1, 2}),
           form("no padding", {2, 3, 5}, {3, 3}), form("no lengths", {3, 2, 5}, {}),
           form("steps of no width", {2, 3, 0}, {3, 1}), form("no rows", {0, 3, 2}, {})},
          {BAD(ShapeError, "pack: x must be [B, T, ..], not f32[3]", pack(of(3), {})),
           BAD(ShapeError, "pack: 3 lengths for x f32[2, 5]", pack(of(2, 5), {1, 2, 3})),
           BAD(ValueError, "pack: length 6 at 1 is not in [0, 5]", pack(of(2, 5, 3), {5, 6})),
           BAD(ValueError, "pack: length -1 at 0 is not in [0, 5]", pack(of(2, 5, 3), {-1, 2})),
           BAD(ValueError, "offsets_of: length -2 at 1 is negative", offsets_of({3, -2})),
           BAD(ShapeError, "offsets_of: there are too many tokens to count",
               offsets_of({2, std::numeric_limits<Index>::max()})),
           BAD(GradError, "pack: x is undefined", pack(Tensor(), {}))}};
}

// Bad offsets that every function of packed batches must refuse.
std::vector<BadCall> bad_offsets(const std::string& op, Tensor (*call)(const Packed&)) {
  const auto wrong = [&]<class E>(E*, const std::string& text, const Tensor& tokens,
                                  const Sizes& offsets) {
    return BAD(E, op + ": " + text, call({tokens, offsets}));
  };
  ShapeError* const shape = nullptr;
  ValueError* const value = nullptr;
  GradError* const grad = nullptr;
  return {wrong(value, "offsets must begin at 0; none came", of(5, 3), {}),
          wrong(value, "offsets must begin at 0, not 1", of(5, 3), {1, 5}),
          wrong(value, "offsets fall from 4 to 2 at 2", of(5, 3), {0, 4, 2, 5}),
          wrong(shape, "offsets end at 4, tokens are f32[5, 3]", of(5, 3), {0, 2, 4}),
          wrong(shape, "offsets end at 7, tokens are f32[5, 3]", of(5, 3), {0, 7}),
          wrong(shape, "tokens must be [N, ..], not f32[]", of(), {0, 1}),
          wrong(grad, "tokens is undefined", Tensor(), {0})};
}

Row unpack_row() {
  const auto form = [](const std::string& name, const Sizes& lengths, const Sizes& tail,
                       Index steps, Index real_steps) {
    const Sizes offsets = offsets_of(lengths);
    const Sizes from = with_front({offsets.back()}, tail, 0);
    const Sizes to = with_front({static_cast<Index>(lengths.size()), real_steps}, tail, 0);
    return sample(
        name, {in(from)},
        [=](X x) {
          return unpack({x[0], offsets}, steps);
        },
        [=](B x) {
          return Block(to, [&](const Place& p) {
            const auto b = static_cast<std::size_t>(p[0]);
            return p[1] < lengths[b] ? x[0](with_front({offsets[b] + p[1]}, p, 2)) : 0;
          });
        });
  };
  Row row = {
      Op::unpack,
      {form("the longest's steps", {2, 5, 3}, {2}, -1, 5), form("more steps", {2, 0, 3}, {5}, 7, 7),
       form("numbers", {3, 1}, {}, -1, 3), form("blocks", {1, 2}, {2, 3}, 3, 3),
       form("no padding", {3, 3}, {2}, 3, 3), form("sequences of nothing", {0, 0}, {2}, -1, 0),
       form("no sequences", {}, {3}, 2, 2), form("tokens of no width", {2, 1}, {0}, -1, 2)},
      bad_offsets("unpack", [](const Packed& x) { return unpack(x); })};
  row.bad_calls.push_back(
      BAD(ValueError, "unpack: 2 steps for a sequence of 3", unpack({of(5, 2), {0, 3, 5}}, 2)));
  row.bad_calls.push_back(
      BAD(ValueError, "unpack: -2 steps for a sequence of 3", unpack({of(5, 2), {0, 3, 5}}, -2)));
  return row;
}

// Of a function of each sequence's numbers of one feature: [N, ..] -> [B, ..].
Row reduced(Subject subject, Tensor (*call)(const Packed&),
            double (*reference)(const std::vector<double>&), Domain domain = Domain::any) {
  const auto form = [=](const std::string& name, const Sizes& lengths, const Sizes& tail) {
    const Sizes offsets = offsets_of(lengths);
    return sample(
        name, {in(with_front({offsets.back()}, tail, 0), domain)},
        [=](X x) {
          return call({x[0], offsets});
        },
        [=](B x) {
          const Sizes to = with_front({static_cast<Index>(lengths.size())}, tail, 0);
          return Block(to, [&](const Place& p) {
            const auto b = static_cast<std::size_t>(p[0]);
            std::vector<double> numbers;
            for (Index n = offsets[b]; n < offsets[b + 1]; ++n) {
              numbers.push_back(x[0](replaced(p, 0, n)));
            }
            return numbers.empty() ? 0 : reference(numbers);
          });
        });
  };
  Row row = {subject,
             {form("rows", {2, 5, 3}, {2}), form("a sequence of nothing", {3, 0, 2}, {3}),
              form("numbers", {3, 1, 2}, {}), form("blocks", {1, 2}, {2, 3}),
              form("one sequence", {7}, {2}), form("no sequences", {}, {3}),
              form("sequences of nothing", {0, 0}, {2})},
             bad_offsets(subject.name, call)};
  row.bad_calls.push_back(bad<DTypeError>(subject.name + ": takes f32 or f64, not i64", [call] {
    call({ids(1, 2, 3), {0, 3}});
  }));
  return row;
}

double sum_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

Row repeat_segments_row() {
  const auto form = [](const std::string& name, const Sizes& lengths, const Sizes& tail) {
    const Sizes offsets = offsets_of(lengths);
    return moved(
        name, with_front({static_cast<Index>(lengths.size())}, tail, 0),
        with_front({offsets.back()}, tail, 0), [=](X x) { return repeat_segments(x[0], offsets); },
        [=](const Place& p) { return replaced(p, 0, At(lengths, p[0]).sequence); });
  };
  return {Op::repeat_segments,
          {form("rows", {2, 5, 3}, {2}), form("a sequence of nothing", {3, 0, 2}, {3}),
           form("numbers", {3, 1, 2}, {}), form("blocks", {1, 2}, {2, 3}),
           form("one sequence", {7}, {2}), form("no sequences", {}, {3})},
          {BAD(ShapeError, "repeat_segments: x is f32[3, 2], for 2 sequences",
               repeat_segments(of(3, 2), {0, 1, 5})),
           BAD(ShapeError, "repeat_segments: x is f32[], for 1 sequences",
               repeat_segments(of(), {0, 1})),
           BAD(ValueError, "repeat_segments: offsets fall from 4 to 3 at 2",
               repeat_segments(of(2, 2), {0, 4, 3})),
           BAD(ValueError, "repeat_segments: offsets must begin at 0, not 1",
               repeat_segments(of(2, 2), {1, 4, 7})),
           BAD(ValueError, "repeat_segments: offsets must begin at 0; none came",
               repeat_segments(of(0, 2), {})),
           BAD(GradError, "repeat_segments: x is undefined", repeat_segments(Tensor(), {0, 1}))}};
}

Row segment_softmax_row() {
  const auto form = [](const std::string& name, const Sizes& lengths, const Sizes& tail) {
    const Sizes offsets = offsets_of(lengths);
    const Sizes shape = with_front({offsets.back()}, tail, 0);
    return sample(
        name, {in(shape)},
        [=](X x) {
          return segment_softmax({x[0], offsets});
        },
        [=](B x) {
          return Block(shape, [&](const Place& p) {
            const auto b = static_cast<std::size_t>(At(lengths, p[0]).sequence);
            double sum = 0;
            for (Index n = offsets[b]; n < offsets[b + 1]; ++n) {
              sum += std::exp(x[0](replaced(p, 0, n)) - x[0](p));
            }
            return 1 / sum;
          });
        });
  };
  Row row = {Op::segment_softmax,
             {form("rows", {2, 5, 3}, {2}), form("a sequence of nothing", {3, 0, 2}, {3}),
              form("numbers", {3, 1, 2}, {}), form("blocks", {2, 3}, {2, 3}),
              form("one sequence", {7}, {2}), form("no sequences", {}, {3})},
             bad_offsets("segment_softmax", segment_softmax)};
  row.bad_calls.push_back(BAD(DTypeError, "segment_softmax: takes f32 or f64, not i64",
                              segment_softmax({ids(1, 2, 3), {0, 3}})));
  return row;
}

}  // namespace

std::vector<Row> packed_rows() {
  const auto mean = [](const std::vector<double>& numbers) {
    return sum_of(numbers) / static_cast<double>(numbers.size());
  };
  const auto max = [](const std::vector<double>& numbers) {
    double top = numbers[0];
    for (const double number : numbers) top = std::fmax(top, number);
    return top;
  };
  return {pack_row(),
          unpack_row(),
          reduced(Op::segment_sum, segment_sum, sum_of),
          reduced(Op::segment_max, segment_max, max, Domain::distinct),
          repeat_segments_row(),
          reduced("segment_mean", segment_mean, mean),
          segment_softmax_row()};
}

}  // namespace heed::table

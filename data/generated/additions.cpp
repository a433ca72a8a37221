#include "additions.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "../../core/error.h"
#include "../../core/quoted.h"

namespace heed::data {
namespace {

Index power_of_ten(Index digits) {
  Index out = 1;
  for (Index i = 0; i < digits; ++i) out *= kDecimals;
  return out;
}

void check_digits(Index digits) {
  if (digits < 1 || digits > 9) {
    throw ValueError(fmt::format("additions: {} digits, not 1 to 9", digits));
  }
}

}  // namespace

Addends draw_addends(Index count, Index digits, Generator& generator) {
  check_digits(digits);
  if (count < 1) throw ValueError(fmt::format("additions: {} numbers", count));
  Addends out;
  for (Index i = 0; i < count; ++i) {
    const Index own = 1 + generator.below(digits);
    out.push_back(generator.below(power_of_ten(own)));
  }
  return out;
}

Addends read_addends(const std::string& line, Index digits, Index most) {
  check_digits(digits);
  std::istringstream in(line);
  Addends out;
  for (std::string word; in >> word;) {
    if (static_cast<Index>(word.size()) > digits ||
        word.find_first_not_of("0123456789") != std::string::npos) {
      throw ValueError(
          fmt::format("additions: {} is no number of up to {} digits", in_quotes(word), digits));
    }
    out.push_back(std::stoll(word));
  }
  if (out.empty() || static_cast<Index>(out.size()) > most) {
    throw ValueError(fmt::format("additions: {} numbers, not 1 to {}", out.size(), most));
  }
  return out;
}

AnsweredSteps additions(const std::vector<Addends>& problems, Index digits) {
  check_digits(digits);
  if (problems.empty()) throw ValueError("additions: no problems");
  const auto B = static_cast<Index>(problems.size());
  Index T = 0;
  AnsweredSteps out;
  for (const Addends& problem : problems) {
    out.lengths.push_back(static_cast<Index>(problem.size()));
    T = std::max(T, out.lengths.back());
  }
  const Index width = digits * kDecimals, sums = digits + 1;
  out.x = Array::zeros({B, T, width}, DType::f32);
  out.y = Array::full({B, T, sums}, -1, DType::i64);
  for (Index b = 0; b < B; ++b) {
    Index sum = 0;
    for (std::size_t t = 0; t < problems[static_cast<std::size_t>(b)].size(); ++t) {
      Index number = problems[static_cast<std::size_t>(b)][t];
      if (number < 0 || number >= power_of_ten(digits)) {
        throw ValueError(fmt::format("additions: {} is not of {} digits", number, digits));
      }
      sum += number;
      const Index row = b * T + static_cast<Index>(t);
      for (Index place = 0; place < digits && (number > 0 || place == 0); ++place) {
        out.x.mutable_data<float>()[row * width + place * kDecimals + number % kDecimals] = 1;
        number /= kDecimals;
      }
      if (t == 0) continue;
      Index left = sum;
      for (Index place = 0; place < sums; ++place) {
        const bool said = left > 0 || place == 0;
        out.y.mutable_data<Index>()[row * sums + place] = said ? left % kDecimals : kNoDigit;
        left /= kDecimals;
      }
    }
  }
  return out;
}

AnsweredSteps draw_additions(Index batch, const Lengths& lengths, Index digits,
                             Generator& generator) {
  std::vector<Addends> problems;
  for (Index b = 0; b < batch; ++b) {
    const Index count = lengths.draw(generator);
    problems.push_back(draw_addends(count, digits, generator));
  }
  return additions(problems, digits);
}

std::string sum_in_text(const Index* begin, const Index* end) {
  std::string out;
  while (end != begin) {
    if (*--end != kNoDigit) out += std::to_string(*end);
  }
  return out.empty() ? "-" : out;
}

}  // namespace heed::data

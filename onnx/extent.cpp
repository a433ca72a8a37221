#include "extent.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "../core/error.h"

namespace heed::onnx {
namespace {

constexpr Index kSteepest = 4, kWidest = 3, kDivisors = 16;

bool is_prime(Index number) {
  for (Index divisor = 2; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) return false;
  }
  return number >= 2;
}

Index floor_of(Index a, Index b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

bool explains(const Extent& extent, const std::vector<Index>& numbers, const Sizes& sizes) {
  for (std::size_t pass = 0; pass < numbers.size(); ++pass) {
    if (extent.at(sizes.passes[pass]) != numbers[pass]) return false;
  }
  return true;
}

// Every choice of small slopes, flat ones first; the constant follows from the first pass.
std::optional<Extent> sum_of(const std::vector<Index>& numbers, const Sizes& sizes) {
  std::optional<Extent> best;
  Index cost = 0;
  Extent tried;
  tried.slopes.assign(sizes.names.size(), 0);
  const std::function<void(std::size_t, Index)> choose = [&](std::size_t size, Index steep) {
    if (best && steep >= cost) return;
    if (size == tried.slopes.size()) {
      tried.constant = 0;
      tried.constant = numbers[0] - tried.at(sizes.passes[0]);
      if (!explains(tried, numbers, sizes)) return;
      best = tried;
      cost = steep;
      return;
    }
    for (Index slope = -kSteepest; slope <= kSteepest; ++slope) {
      tried.slopes[size] = slope;
      choose(size + 1, steep + std::abs(slope));
    }
    tried.slopes[size] = 0;
  };
  choose(0, 0);
  if (best) return best;
  // A multiple of one size, as heads times width may be.
  for (std::size_t size = 0; size < sizes.names.size(); ++size) {
    const Index by = sizes.passes[1][size] - sizes.passes[0][size];
    if (by == 0 || (numbers[1] - numbers[0]) % by != 0) continue;
    Extent one;
    one.slopes.assign(sizes.names.size(), 0);
    one.slopes[size] = (numbers[1] - numbers[0]) / by;
    one.constant = numbers[0] - one.at(sizes.passes[0]);
    if (explains(one, numbers, sizes)) return one;
  }
  return std::nullopt;
}

std::optional<Extent> product_of(const std::vector<Index>& numbers, const Sizes& sizes) {
  std::optional<Extent> best;
  Index cost = 0;
  Extent tried;
  const std::function<void(std::size_t, Index)> choose = [&](std::size_t size, Index far) {
    if (best && far >= cost) return;
    if (tried.factors.size() >= 2) {
      tried.scale = 1;
      const Index product = tried.at(sizes.passes[0]);
      if (product != 0 && numbers[0] % product == 0) {
        tried.scale = numbers[0] / product;
        if (tried.scale != 0 && explains(tried, numbers, sizes)) {
          best = tried;
          cost = far;
        }
      }
    }
    if (size == sizes.names.size()) return;
    choose(size + 1, far);
    for (Index offset = -kWidest; offset <= kWidest; ++offset) {
      tried.factors.push_back({static_cast<Index>(size), offset});
      choose(size + 1, far + 1 + std::abs(offset));
      // One size may come twice.
      tried.factors.push_back({static_cast<Index>(size), 0});
      choose(size + 1, far + 3 + std::abs(offset));
      tried.factors.pop_back();
      tried.factors.pop_back();
    }
  };
  choose(0, 0);
  return best;
}

// scale floor((s + c) / d) of one size, as strides, pyramids and whole blocks have it.
std::vector<Extent> quotients_of(const std::vector<Index>& numbers, const Sizes& sizes) {
  std::vector<Extent> found;
  for (Index divisor = 2; divisor <= kDivisors; ++divisor) {
    for (const Index scale : {Index{1}, divisor}) {
      if (numbers[0] % scale != 0) continue;
      for (std::size_t size = 0; size < sizes.names.size(); ++size) {
        Extent tried{.divisor = divisor, .scale = scale};
        tried.slopes.assign(sizes.names.size(), 0);
        tried.slopes[size] = 1;
        const Index least = numbers[0] / scale * divisor - sizes.passes[0][size];
        for (Index more = 0; more < divisor; ++more) {
          tried.constant = least + more;
          if (explains(tried, numbers, sizes)) found.push_back(tried);
        }
      }
    }
  }
  return found;
}

// The smallest size at which a and b, of one size each, differ.
std::optional<FurtherPass> told_at(const Extent& a, const Extent& b, const Sizes& sizes) {
  std::vector<Index> tried = sizes.passes[0];
  for (std::size_t size = 0; size < tried.size(); ++size) {
    if (a.slopes[size] == 0 && b.slopes[size] == 0) continue;
    const Index first = tried[size];
    Index last = first;
    for (const auto& pass : sizes.passes) last = std::max(last, pass[size]);
    last = std::min(last + 2 * kDivisors, sizes.most[size]);
    for (Index& at = tried[size]; at <= last; ++at) {
      if (a.at(tried) != b.at(tried)) return FurtherPass{size, at};
    }
    tried[size] = first;
  }
  return std::nullopt;
}

std::optional<Extent> quotient_of(const std::vector<Index>& numbers, const Sizes& sizes) {
  std::vector<Extent> found = quotients_of(numbers, sizes);
  if (found.empty()) return std::nullopt;
  for (std::size_t other = 1; other < found.size() && !found[0].doubt; ++other) {
    found[0].doubt = told_at(found[0], found[other], sizes);
  }
  return found[0];
}

// min(s + c, most): the bound must show in two passes, and c be 0 where a single one is below it.
std::optional<Extent> bounded_of(const std::vector<Index>& numbers, const Sizes& sizes) {
  const Index most = *std::max_element(numbers.begin(), numbers.end());
  if (std::count(numbers.begin(), numbers.end(), most) < 2) return std::nullopt;
  const auto below =
      std::find_if(numbers.begin(), numbers.end(), [most](Index number) { return number < most; });
  const auto pass = static_cast<std::size_t>(below - numbers.begin());
  const bool one = std::count_if(numbers.begin(), numbers.end(),
                                 [most](Index number) { return number < most; }) == 1;
  for (std::size_t size = 0; size < sizes.names.size(); ++size) {
    Extent tried{.constant = *below - sizes.passes[pass][size]};
    if (one && tried.constant != 0) continue;
    tried.slopes.assign(sizes.names.size(), 0);
    tried.slopes[size] = 1;
    tried.most = most;
    if (explains(tried, numbers, sizes)) return tried;
  }
  return std::nullopt;
}

std::string signed_text(Index number) {
  return number < 0 ? fmt::format(" - {}", -number) : fmt::format(" + {}", number);
}

}  // namespace

Sizes Sizes::choose(std::vector<std::string> names, const std::vector<Index>& least,
                    const std::vector<Index>& most) {
  Sizes out{std::move(names), {}, most};
  const std::size_t passes = out.names.empty() ? 2 : out.names.size() + 3;
  out.passes.assign(passes, std::vector<Index>(out.names.size()));
  std::set<Index> used;
  for (const Index size : least) used.insert(std::max<Index>(size, 2));
  for (std::size_t s = 0; s < out.names.size(); ++s) {
    const Index first = std::max<Index>(least[s], 2);
    std::vector<Index> sizes = {first};
    Index next = first + 1;
    while (sizes.size() < passes && next <= most[s]) {
      // Odd sizes alone would not tell s - 1 from s - s % 2.
      const bool even = sizes.size() == 1 && first % 2 == 1;
      while (!(even ? next % 2 == 0 && is_prime(next / 2) : is_prime(next)) ||
             used.contains(next)) {
        ++next;
      }
      if (next > most[s]) break;
      sizes.push_back(next);
      // Each size grows from pass to pass, by other steps than the others do.
      next += 1 + static_cast<Index>((sizes.size() * (s + 1)) % 4);
    }
    if (sizes.size() < passes) {
      sizes.clear();
      const auto room = static_cast<std::size_t>(std::max<Index>(most[s] - first + 1, 0));
      if (room < passes) {
        throw ValueError(fmt::format(
            "onnx: {} sizes of axis {} from {} to {}: following it takes {}: begin with a smaller "
            "example",
            room, out.names[s], first, most[s], passes));
      }
      for (std::size_t pass = 0; pass < passes; ++pass) {
        sizes.push_back(first + static_cast<Index>(pass * room / passes));
      }
      const bool alike = std::all_of(sizes.begin(), sizes.end(),
                                     [&](Index size) { return (size - first) % 2 == 0; });
      if (alike) ++sizes.back();
    }
    for (std::size_t pass = 0; pass < passes; ++pass) out.passes[pass][s] = sizes[pass];
    used.insert(sizes.begin(), sizes.end());
  }
  return out;
}

std::size_t Sizes::add(const FurtherPass& pass) {
  std::vector<Index> one = passes[0];
  one[pass.size] = pass.at;
  passes.insert(passes.end() - 1, std::move(one));
  return passes.size() - 2;
}

bool Extent::is_constant() const {
  return factors.empty() &&
         std::all_of(slopes.begin(), slopes.end(), [](Index slope) { return slope == 0; });
}

Index Extent::at(const std::vector<Index>& sizes) const {
  const auto bounded = [this](Index number) { return most ? std::min(*most, number) : number; };
  if (!factors.empty()) {
    Index product = scale;
    for (const Factor& factor : factors) {
      product *= sizes[static_cast<std::size_t>(factor.size)] + factor.offset;
    }
    return bounded(product);
  }
  Index sum = constant;
  for (std::size_t i = 0; i < slopes.size(); ++i) sum += slopes[i] * sizes[i];
  return bounded(scale * floor_of(sum, divisor));
}

std::string Extent::text(const Sizes& sizes) const {
  if (most) {
    Extent open = *this;
    open.most.reset();
    return fmt::format("min({}, {})", open.text(sizes), *most);
  }
  std::string out;
  if (!factors.empty()) {
    out = scale == 1 ? "" : fmt::format("{} ", scale);
    for (const Factor& factor : factors) {
      const std::string& name = sizes.names[static_cast<std::size_t>(factor.size)];
      if (&factor != &factors.front()) out += " ";
      out += factor.offset == 0 ? name : fmt::format("({}{})", name, signed_text(factor.offset));
    }
    return out;
  }
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (slopes[i] == 0) continue;
    const Index steep = std::abs(slopes[i]);
    const std::string term =
        steep == 1 ? sizes.names[i] : fmt::format("{} {}", steep, sizes.names[i]);
    const bool falls = slopes[i] < 0;
    out += out.empty() ? (falls ? "-" : "") + term : (falls ? " - " : " + ") + term;
  }
  if (out.empty()) return std::to_string(floor_of(constant, divisor));
  if (constant != 0) out += signed_text(constant);
  if (divisor != 1) {
    if (constant != 0) out = fmt::format("({})", out);
    out = fmt::format("floor({} / {})", out, divisor);
  }
  return scale == 1 ? out : fmt::format("{} {}", scale, out);
}

std::optional<Extent> extent_of(const std::vector<Index>& numbers, const Sizes& sizes) {
  const bool same = std::all_of(numbers.begin(), numbers.end(),
                                [&](Index number) { return number == numbers[0]; });
  if (same) return Extent{.constant = numbers[0], .slopes = std::vector<Index>(sizes.names.size())};
  if (sizes.names.empty()) return std::nullopt;
  if (auto sum = sum_of(numbers, sizes)) return sum;
  if (auto product = product_of(numbers, sizes)) return product;
  if (auto quotient = quotient_of(numbers, sizes)) return quotient;
  return bounded_of(numbers, sizes);
}

}  // namespace heed::onnx

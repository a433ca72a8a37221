#include "print_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace heed::detail {
namespace {

// A decimal number: the digits d0 d1 d2 ... of d0.d1d2... times 10^exponent.
struct Decimal {
  bool negative;
  std::string digits;
  int exponent;
};

Decimal parsed(const std::string& scientific) {
  const bool negative = scientific.front() == '-';
  const std::size_t e = scientific.find('e');
  std::string digits = scientific.substr(negative, e - negative);
  std::erase(digits, '.');
  return {negative, digits, std::atoi(scientific.c_str() + e + 1)};
}

// The fewest digits that are read back as the same number.
Decimal shortest(double x, bool single) {
  char text[64];
  const std::to_chars_result end =
      single ? std::to_chars(text, text + sizeof text, static_cast<float>(x),
                             std::chars_format::scientific)
             : std::to_chars(text, text + sizeof text, x, std::chars_format::scientific);
  return parsed(std::string(text, end.ptr));
}

struct Parts {
  std::string whole, fraction, exponent;
};

void drop_zeros(std::string& fraction) {
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
}

Parts positional(double x, bool single, int precision) {
  const Decimal number = shortest(x, single);
  const int behind = static_cast<int>(number.digits.size()) - 1 - number.exponent;
  Parts parts;
  if (behind < 0) {  // all digits of what is a whole number
    parts.whole = fmt::format("{:.0f}", x);
  } else if (behind > precision) {
    const std::string text = fmt::format("{:.{}f}", x, precision);
    const std::size_t point = std::min(text.find('.'), text.size());
    parts.whole = text.substr(0, point);
    parts.fraction = point < text.size() ? text.substr(point + 1) : "";
  } else {
    std::string digits = number.digits;
    if (number.exponent < 0) digits.insert(0, static_cast<std::size_t>(-number.exponent), '0');
    const auto whole = static_cast<std::size_t>(std::max(number.exponent, 0)) + 1;
    parts.whole = fmt::format("{}{}", number.negative ? "-" : "", digits.substr(0, whole));
    parts.fraction = digits.substr(whole);
  }
  drop_zeros(parts.fraction);
  return parts;
}

Parts scientific(double x, bool single, int precision) {
  Decimal number = shortest(x, single);
  if (static_cast<int>(number.digits.size()) - 1 > precision) {
    number = parsed(fmt::format("{:.{}e}", x, precision));
  }
  Parts parts{fmt::format("{}{}", number.negative ? "-" : "", number.digits.front()),
              number.digits.substr(1), fmt::format("{:+03d}", number.exponent)};
  drop_zeros(parts.fraction);
  return parts;
}

bool wants_exponents(const std::vector<double>& finite) {
  double most = 0, least = 0;
  for (const double x : finite) {
    const double size = std::fabs(x);
    if (size == 0) continue;
    most = std::max(most, size);
    least = least == 0 ? size : std::min(least, size);
  }
  if (most == 0) return false;
  return most >= 1e8 || least < 1e-4 || most / least > 1000;
}

std::string right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string not_finite(double x) { return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"; }

}  // namespace

WriteNumber float_writer(const std::vector<double>& values, bool single, int precision) {
  std::vector<double> finite;
  std::size_t longest_odd = 0;  // of "nan", "inf", "-inf"
  for (const double x : values) {
    if (std::isfinite(x)) {
      finite.push_back(x);
    } else {
      longest_odd = std::max(longest_odd, not_finite(x).size());
    }
  }
  const bool exponents = wants_exponents(finite);
  std::size_t whole = 0, fraction = 0, exponent = 0;
  for (const double x : finite) {
    const Parts parts =
        exponents ? scientific(x, single, precision) : positional(x, single, precision);
    whole = std::max(whole, parts.whole.size());
    fraction = std::max(fraction, parts.fraction.size());
    exponent = std::max(exponent, parts.exponent.size());
  }
  // "1.5e+00" has all of its digits, "1.5 " stands above "2.25".
  const std::size_t behind = fraction + (exponents ? 1 + exponent : 0);
  if (longest_odd > behind + 1) whole = std::max(whole, longest_odd - behind - 1);
  return [=](double x) {
    if (!std::isfinite(x)) return right(not_finite(x), whole + 1 + behind);
    if (!exponents) {
      const Parts parts = positional(x, single, precision);
      return right(parts.whole, whole) + "." + parts.fraction +
             std::string(fraction - parts.fraction.size(), ' ');
    }
    Parts parts = scientific(x, single, precision);
    parts.fraction.resize(fraction, '0');
    parts.exponent.insert(1, exponent - parts.exponent.size(), '0');
    return right(fmt::format("{}.{}e{}", parts.whole, parts.fraction, parts.exponent),
                 whole + 1 + behind);
  };
}

}  // namespace heed::detail

#include "answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../core/error.h"
#include "../../data/utf8.h"
#include "../../train/page_data.h"
#include "demonstration.h"

namespace show {

std::string json_of(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value + 0.0) : "0";
}
std::string json_of(std::string_view text) {
  std::string out;
  train::append_string(out, text);
  return out;
}
std::string json_of(const Answer& answer) { return answer.json(); }
std::string json_of(const Array& numbers) {
  if (numbers.rank() == 1) return json_of(numbers.to(DType::f64).to_vector<double>());
  std::vector<Array> parts;
  for (Index i = 0; i < numbers.size(0); ++i) parts.push_back(numbers.select(0, i));
  return json_of(parts);
}

double entropy(const std::vector<double>& probabilities) {
  double out = 0;
  for (const double p : probabilities) {
    if (p > 0) out -= p * std::log2(p);
  }
  return out;
}

std::vector<double> softmax(const Array& scores) {
  std::vector<double> out = scores.to(DType::f64).to_vector<double>();
  const double top = out.empty() ? 0 : *std::max_element(out.begin(), out.end());
  for (double& x : out) x = std::exp(x - top);
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& x : out) x /= sum;
  return out;
}

std::vector<Answer> likeliest(const std::vector<double>& probabilities,
                              const std::vector<std::string>& names, std::size_t count) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return probabilities[a] > probabilities[b];
  });
  std::vector<Answer> out;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) {
    out.push_back(
        Answer().set("name", names[order[i]]).set("probability", probabilities[order[i]]));
  }
  return out;
}

void append_heads(std::vector<Answer>& looks, const std::string& name,
                  const std::vector<Array>& layers) {
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    for (Index head = 0; head < layers[layer].size(0); ++head) {
      looks.push_back(Answer()
                          .set("name", fmt::format("{} {} head {}", name, layer + 1, head + 1))
                          .set("rows", layers[layer].select(0, head)));
    }
  }
}

void check_text(std::string_view text) {
  if (text.size() > kLongest) {
    throw ValueError(
        fmt::format("the text has {} bytes; {} are read at most", text.size(), kLongest));
  }
  if (!data::is_valid_utf8(text)) throw ValueError("the text is not UTF-8");
}

}  // namespace show

// An answer as JSON, member by member, and what all answers say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../../core/array.h"

namespace show {

using namespace heed;  // an application speaks the library's language

class Answer;
std::string json_of(double value);  ///< four digits, which serve for what becomes a shade
std::string json_of(std::string_view text);
std::string json_of(const Answer& answer);
std::string json_of(const Array& numbers);  ///< of one axis or more, a list each
template <class T>
std::string json_of(const std::vector<T>& values) {
  std::string out = "[";
  for (const T& value : values) out += (out.size() > 1 ? "," : "") + json_of(value);
  return out + ']';
}

/// {"name": value, ..}; names are ours and hold nothing that would need quoting.
class Answer {
 public:
  template <class T>
  Answer& set(const std::string& name, const T& value) {
    members_ += (members_.empty() ? "\"" : ",\"") + name + "\":" + json_of(value);
    return *this;
  }
  std::string json() const { return '{' + members_ + '}'; }

 private:
  std::string members_;
};

/// Of probabilities that sum to 1, in bits; what is not positive counts nothing.
double entropy(const std::vector<double>& probabilities);
/// exp(x) / sum exp(x), of f32 or f64 [n].
std::vector<double> softmax(const Array& scores);
/// The likeliest, best first: [{"name", "probability"}].
std::vector<Answer> likeliest(const std::vector<double>& probabilities,
                              const std::vector<std::string>& names, std::size_t count);
/// Appends "NAME 2 head 3" with the weights [T, K] of each head of layers [heads, T, K].
void append_heads(std::vector<Answer>& looks, const std::string& name,
                  const std::vector<Array>& layers);
/// Throws ValueError for what is no UTF-8, and for more than kLongest bytes.
void check_text(std::string_view text);

}  // namespace show

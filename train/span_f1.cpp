#include "span_f1.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "../core/quoted.h"
#include "../data/iob.h"

namespace heed::train {
namespace {

std::string type_of(const std::string& tag) { return tag.size() > 2 ? tag.substr(2) : ""; }

double ratio(Index part, Index whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

std::vector<Span> spans_of(const std::vector<std::string>& tags) {
  std::vector<Span> out;
  bool within = false;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const std::string& tag = tags[i];
    if (!data::is_iob_tag(tag)) {
      throw ValueError("spans: " + in_quotes(tag) + " is no tag: B, I or O");
    }
    if (tag == "O") {
      within = false;
      continue;
    }
    if (within && tag[0] == 'I' && out.back().type == type_of(tag)) {
      out.back().end = i + 1;
    } else {
      out.push_back({i, i + 1, type_of(tag)});
    }
    within = true;
  }
  return out;
}

void SpanF1::add(const std::vector<std::string>& truth,
                 const std::vector<std::string>& prediction) {
  if (truth.size() != prediction.size()) {
    throw ValueError(
        fmt::format("spans: {} tags predicted for {} words", prediction.size(), truth.size()));
  }
  const std::vector<Span> wanted = spans_of(truth), found = spans_of(prediction);
  for (const Span& span : found) {
    right_ += std::find(wanted.begin(), wanted.end(), span) != wanted.end();
  }
  truths_ += static_cast<Index>(wanted.size());
  predicted_ += static_cast<Index>(found.size());
}

double SpanF1::precision() const { return ratio(right_, predicted_); }
double SpanF1::recall() const { return ratio(right_, truths_); }
double SpanF1::f1() const { return ratio(2 * right_, predicted_ + truths_); }

}  // namespace heed::train

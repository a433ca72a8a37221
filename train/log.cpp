#include "log.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "../core/quoted.h"
#include "names.h"

namespace heed::train {

void Log::check(const char* what, std::int64_t step, const std::string& name) {
  if (step < 0) {
    throw ValueError(fmt::format("{} {}: step {} is negative", what, in_quotes(name), step));
  }
  if (!is_name(name)) {
    throw ValueError(fmt::format("{}: {} is no name: {}", what, in_quotes(name), kNameRule));
  }
  begun_ = true;
}

void Log::scalar(std::int64_t step, const std::string& name, double value) {
  check("scalar", step, name);
  write_scalar(step, name, value);
}

void Log::text(std::int64_t step, const std::string& name, const std::string& text) {
  check("text", step, name);
  if (!is_utf8(text)) throw ValueError(fmt::format("text {}: it is not UTF-8", in_quotes(name)));
  write_text(step, name, text);
}

void Log::histogram(std::int64_t step, const std::string& name, const Tensor& values) {
  check("histogram", step, name);
  const Spread spread = spread_of(values.array());
  if (spread.count > 0) write_histogram(step, name, spread);
}

void Log::image(std::int64_t step, const std::string& name, const Picture& picture) {
  check("image", step, name);
  if (picture.bytes().empty()) {
    throw ValueError(fmt::format("image {}: the picture has no dots", in_quotes(name)));
  }
  write_image(step, name, picture);
}

void Log::resume(std::int64_t step) {
  if (step < 0) throw ValueError(fmt::format("resume: step {} is negative", step));
  if (begun_) throw ValueError("resume: something was logged already");
  begun_ = true;
  go_on_after(step);
}

}  // namespace heed::train

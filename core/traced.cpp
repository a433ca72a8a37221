#include "traced.h"

#include <utility>

namespace heed {
namespace {

thread_local std::vector<Said> t_said;  // for the next call

}  // namespace

Tracer::Installed::Installed(Tracer& tracer) : observer_(tracer) {
  t_said.clear();
  detail::t_tracer = &tracer;
}

Tracer::Installed::~Installed() {
  detail::t_tracer = nullptr;
  t_said.clear();
}

std::vector<Said> Tracer::take_said() { return std::exchange(t_said, {}); }

namespace detail {
void tell_said(const char* name, Said::Value value) { t_said.push_back({name, std::move(value)}); }
}  // namespace detail
}  // namespace heed

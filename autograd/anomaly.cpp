#include "anomaly.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <cmath>
#include <map>

#include "../core/scope.h"
#include "record.h"

namespace heed {
namespace {

constinit thread_local bool t_infinities = true;
constinit thread_local const AnomalyScope* t_scope = nullptr;

// Of everything worth an error in an array, the first in row-major order.
struct Fault {
  const char* kind = nullptr;  // "nan", "inf", "-inf"; null where all is well
  std::string place;
};

template <class T>
Fault find_in(const Array& array, bool infinities) {
  const Array dense = array.contiguous();
  const T* x = dense.data<T>();
  for (Index i = 0; i < dense.numel(); ++i) {
    if (std::isfinite(x[i]) || (!infinities && !std::isnan(x[i]))) continue;
    Shape place = Shape::filled(array.rank(), 0);
    for (Index axis = array.rank() - 1, rest = i; axis >= 0; --axis) {
      place[axis] = rest % array.shape()[axis];
      rest /= array.shape()[axis];
    }
    return {std::isnan(x[i]) ? "nan" : x[i] > 0 ? "inf" : "-inf", to_string(place)};
  }
  return {};
}

Fault find(const Array& array, bool infinities) {
  if (!array.defined()) return {};
  if (array.dtype() == DType::f32) return find_in<float>(array, infinities);
  if (array.dtype() == DType::f64) return find_in<double>(array, infinities);
  return {};
}

std::string list(const InputRef* begin, const InputRef* end) {
  std::string out;
  constexpr std::ptrdiff_t kMost = 8;
  for (const InputRef* input = begin; input != end; ++input) {
    if (input - begin == kMost) {
      return out + fmt::format(", ... ({} inputs)", end - begin);
    }
    out += (out.empty() ? "" : ", ") + describe(**input);
  }
  return out.empty() ? "nothing" : out;
}

std::vector<void*> frames_here() {
  std::vector<void*> frames(48);
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  frames.resize(static_cast<std::size_t>(count));
  return frames;
}

// One addr2line command for each program or library but the system's. A return address lies behind
// its call, so the byte before it is named; addresses count from the load address unless the
// program was linked for a fixed one.
std::string command(const std::vector<void*>& frames) {
  std::map<std::string, std::string> addresses;
  for (void* frame : frames) {
    Dl_info info{};
    if (!dladdr(frame, &info) || !info.dli_fname) continue;
    const std::string_view file = info.dli_fname;
    if (file.starts_with("/lib") || file.starts_with("/usr/lib")) continue;
    const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    const bool fixed = static_cast<const ElfW(Ehdr)*>(info.dli_fbase)->e_type == ET_EXEC;
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(frame) - 1 - (fixed ? 0 : base);
    addresses[info.dli_fname] += fmt::format(" {:#x}", at);
  }
  std::string out;
  for (const auto& [file, at] : addresses) {
    out += fmt::format("{}addr2line -Cfpe {}{}", out.empty() ? "" : "; ", file, at);
  }
  return out;
}

std::string where(const std::string& scopes, const std::vector<void*>& frames) {
  std::string out;
  if (!scopes.empty()) out += ", in " + scopes;
  const std::string stack = command(frames);
  if (!stack.empty()) out += ", frames: " + stack;
  return out;
}

std::string made_at(const TapeNode& node) {
  const Origin* origin = node.origin();
  if (!origin) return fmt::format("; {} was recorded outside of DetectAnomaly", node.name());
  return fmt::format("; forward: {} of {}{}", node.name(), origin->inputs,
                     where(origin->scopes, origin->frames));
}

Fault find_in_gradient(const Tensor& gradient) {
  if (!gradient.defined()) return {};
  // Reading the array of a sparse gradient would make it dense.
  return find(gradient.is_sparse() ? gradient.sparse_rows().to_dense() : gradient.array(),
              t_infinities);
}

}  // namespace

DetectAnomaly::DetectAnomaly(bool infinities)
    : before_(detail::t_anomaly), infinities_before_(t_infinities) {
  detail::t_anomaly = true;
  t_infinities = infinities;
}
DetectAnomaly::~DetectAnomaly() {
  detail::t_anomaly = before_;
  t_infinities = infinities_before_;
}

AnomalyScope::AnomalyScope(std::string_view label, const char* file, int line)
    : outer_(t_scope), file_(file), line_(line) {
  if (detail::t_anomaly) label_ = label;
  t_scope = this;
}
AnomalyScope::~AnomalyScope() { t_scope = outer_; }

std::string AnomalyScope::path() {
  std::string out;
  for (const AnomalyScope* scope = t_scope; scope; scope = scope->outer_) {
    const std::string_view file = scope->file_;
    out = fmt::format("{} ({}:{}){}{}", scope->label_, file.substr(file.rfind('/') + 1),
                      scope->line_, out.empty() ? "" : " > ", out);
  }
  return out;
}

void detail::inspect_result(const Label& label, const Array& out, const InputRef* begin,
                            const InputRef* end) {
  // A derivative may pass through infinities that it masks; what it gives is looked at instead.
  if (t_current) return;
  Fault fault = find(out, t_infinities);
  if (!fault.kind) return;
  const bool only_nan = *fault.kind != 'n';
  std::string source;
  for (const InputRef* input = begin; input != end; ++input) {
    if (!(**input).defined()) continue;
    const Fault given = find((**input).array(), true);
    if (!given.kind) continue;
    source = fmt::format("; input {} holds {} at {}", input - begin, given.kind, given.place);
    if (*given.kind == 'n') break;
  }
  if (only_nan && !source.empty()) {  // infinities that came in may go out; NaN may not
    fault = find(out, false);
    if (!fault.kind) return;
  }
  throw AnomalyError(fmt::format("anomaly: {} made {} at {} of {} from {}{}{}", label.name(),
                                 fault.kind, fault.place, describe(out), list(begin, end), source,
                                 where(AnomalyScope::path(), frames_here())));
}

void detail::note_origin(TapeNode& node, const InputRef* begin, const InputRef* end) {
  auto origin = std::make_unique<Origin>();
  origin->inputs = list(begin, end);
  origin->scopes = AnomalyScope::path();
  if (const std::string module = Scope::path(); !module.empty()) {
    origin->scopes += (origin->scopes.empty() ? "" : " > ") + module;
  }
  if (t_current) {
    origin->scopes += fmt::format("{}the derivative of {}", origin->scopes.empty() ? "" : " > ",
                                  t_current->name());
  }
  origin->frames = frames_here();
  node.set_origin(std::move(origin));
}

void detail::inspect_gradient(const TapeNode& node, std::size_t input, const Tensor& gradient) {
  const Fault fault = find_in_gradient(gradient);
  if (!fault.kind) return;
  throw AnomalyError(fmt::format("anomaly: the derivative of {} gave {} at {} of {} for input {}{}",
                                 node.name(), fault.kind, fault.place, describe(gradient), input,
                                 made_at(node)));
}

void detail::inspect_gradient(const char* what, const Tensor& gradient) {
  const Fault fault = find_in_gradient(gradient);
  if (!fault.kind) return;
  throw AnomalyError(fmt::format("anomaly: {} gave {} at {} of {}", what, fault.kind, fault.place,
                                 describe(gradient)));
}

}  // namespace heed

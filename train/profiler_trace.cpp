// The trace of a Profiler, in the format of Chrome's about:tracing, which Perfetto reads too.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "../core/json_events.h"
#include "../core/utf8.h"
#include "../io/file.h"
#include "profile_counts.h"
#include "profiler.h"

namespace heed::train {
namespace {

// A literal, whatever bytes the text has.
std::string quote(const std::string& text) {
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded read = decode_utf8(text, at);
    valid += read.valid ? text.substr(at, read.length) : "?";
    at += read.length;
  }
  return json_quote(valid);
}

}  // namespace

std::string Profiler::trace() const {
  using Kind = ProfileCounts::Event::Kind;
  const int process = ::getpid();
  std::string out =
      fmt::format(R"({{"displayTimeUnit":"ms","otherData":{{"droppedEvents":{}}},"traceEvents":[)"
                  "\n"
                  R"({{"name":"process_name","ph":"M","pid":{},"tid":1,"args":{{"name":"heed"}}}})",
                  counts_->dropped(), process);
  for (const ProfileCounts::Event& event : counts_->events()) {
    const bool module = event.kind == Kind::module;
    const ProfileCounts::Row* row = module ? nullptr : &counts_->all_rows()[event.of];
    const ProfileCounts::Place& place = counts_->places()[module ? event.of : row->place];
    const std::string path = counts_->shown(place);
    const char* kind = module ? "module" : event.kind == Kind::forward ? "forward" : "backward";
    out += fmt::format(
        ",\n"
        R"({{"name":{},"cat":"{}","ph":"X","ts":{:.3f},"dur":{:.3f},"pid":{},"tid":{},)"
        R"("args":{{"{}":{})",
        quote(module ? path : row->op), kind, 1e6 * (event.begin - begun_), 1e6 * event.seconds,
        process, event.thread, module ? "class" : "module",
        quote(module ? place.class_name : path));
    if (event.shapes != 0)
      out += fmt::format(R"(,"shapes":{})", quote(counts_->text(event.shapes)));
    if (!module) out += fmt::format(R"(,"flop":{:.0f})", event.flops);
    out += "}}";
  }
  return out + "\n]}\n";
}

void Profiler::save_trace(const std::string& path) const {
  io::write_file_atomically(path, trace());
}

}  // namespace heed::train

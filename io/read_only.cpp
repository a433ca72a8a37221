#include "read_only.h"

#include <atomic>

namespace heed::io {
namespace {

std::atomic<bool> no_writing{false};

}  // namespace

void set_read_only(bool on) { no_writing = on; }
bool read_only() { return no_writing; }

}  // namespace heed::io

// A process that may write no file: one of several that do the same work, of which another writes.
#pragma once

namespace heed::io {

/// From here on save_directory(), write_file_atomically() and AppendFile do nothing.
void set_read_only(bool on);
bool read_only();

}  // namespace heed::io

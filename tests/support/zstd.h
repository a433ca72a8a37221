// Files packed by zstd, for tests.
#pragma once

#include <zstd.h>

#include <string>
#include <string_view>

namespace heed {

/// `content` as a zstd file's bytes: one frame with a sum over its content, of that window.
inline std::string zstd(std::string_view content, int window_log = 17) {
  ZSTD_CCtx* const pack = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(pack, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(pack, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(content.size()) + 32, '\0');
  ZSTD_inBuffer from{content.data(), content.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  // Where it knows how much comes it takes no window larger than that.
  ZSTD_compressStream2(pack, &to, &from, ZSTD_e_continue);
  ZSTD_compressStream2(pack, &to, &from, ZSTD_e_end);
  ZSTD_freeCCtx(pack);
  out.resize(to.pos);
  return out;
}

}  // namespace heed

#include "shards.h"

#include <fmt/format.h>

namespace heed::data {

void check_shards(const ShardOptions& options) {
  if (options.open < 1 || options.open > 1024) {
    throw ValueError(fmt::format("shards: open {} must be in [1, 1024]", options.open));
  }
  if (options.threads < 0 || options.threads > 64) {
    throw ValueError(fmt::format("shards: threads {} must be in [0, 64]", options.threads));
  }
}

void check_deal(const Deal& deal, std::size_t files) {
  if (deal.parts > static_cast<Index>(files)) {
    throw ValueError(
        fmt::format("shards: {} files cannot be dealt in {} parts", files, deal.parts));
  }
}

Shards<std::string> text_shards(std::vector<std::string> files, const ShardOptions& options) {
  return {std::move(files),
          [](const std::string& path) { return std::make_unique<TextFile>(path); }, options};
}

Shards<std::string> text_shards(const std::string& pattern, const ShardOptions& options) {
  return text_shards(files_like(pattern), options);
}

Shards<LabelledText> labelled_shards(std::vector<std::string> files, LabelledTextOptions columns,
                                     const ShardOptions& options) {
  return {std::move(files),
          [columns = std::move(columns)](const std::string& path) {
            return open_labelled_text(path, columns);
          },
          options};
}

Shards<LabelledText> labelled_shards(const std::string& pattern, LabelledTextOptions columns,
                                     const ShardOptions& options) {
  return labelled_shards(files_like(pattern), std::move(columns), options);
}

}  // namespace heed::data

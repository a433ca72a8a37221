#include "places.h"

#include <cstdlib>

namespace heed {

std::filesystem::path source_root() { return HEED_SOURCE_DIR; }

std::string data_folder() {
  const char* folder = std::getenv("HEED_DATA");
  return folder != nullptr ? folder : HEED_SOURCE_DIR "/../shared/data";
}

}  // namespace heed

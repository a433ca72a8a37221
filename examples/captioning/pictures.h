// Where a model looked: a strip of pictures a scene, the image itself and then, for each word, the
// image under the heat of what was looked at.
#pragma once

#include "../../train/picture.h"
#include "writing.h"

namespace captioning {

/// One strip below the other. The heat of hard attention is one bright cell.
heed::train::Picture looks_of(const std::vector<Scene>& scenes,
                              const std::vector<Caption>& captions, bool smooth);

}  // namespace captioning

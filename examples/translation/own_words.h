// Scheduled sampling: the model's own words among those before each.
#pragma once

#include "batches.h"

namespace translation {

/// The batch, in which each word before another is the model's own with probability `share`. Throws
/// ValueError for packed batches and a share above zero.
Batch with_own_words(const Translator& model, const Batch& batch, double share);
PackedBatch with_own_words(const Translator& model, const PackedBatch& batch, double share);

}  // namespace translation

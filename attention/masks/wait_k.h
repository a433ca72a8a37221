// Wait-k (Ma et al. 2019, "STACL: Simultaneous Translation with Implicit Anticipation and
// Controllable Latency using Prefix-to-Prefix Framework", section 3.2): word t of the target is
// written when
//
//   g(t) = min(k + t - 1 - floor(c t), |x|)
//
// words of the source are read, and sees these alone. The paper's k is `wait`; its catch-up c, for
// targets longer than their sources, is 1 / `catch_up`: after so many words one is written without
// one being read before.
//
// As a mask of the queries over a source it trains a model that reads as it goes; one that writes
// step by step gives `first`, or a memory of what it has read (decoders/simultaneous.h).
#pragma once

#include "mask.h"

namespace heed::attention {

struct WaitKOptions {
  Index wait = 1;      ///< k
  Index catch_up = 0;  ///< 1 / c; 0: never
  Index first = 0;     ///< how many words were written before the first query
};

/// g of the word that follows `written` words, of a source without an end, or the largest Index
/// where g is beyond it. Throws ValueError unless wait is positive and the others are not negative.
Index wait_k_reads(const WaitKOptions& options, Index written);

namespace masks {

/// Query i of [.., Q, K], counted from 0, is word first + i; keys are the source from its
/// beginning: unlike other rules this one does not align ends. Throws ValueError as above.
Mask wait_k(const WaitKOptions& options);

}  // namespace masks
}  // namespace heed::attention

// Memory that others may write to, past the version counter: numbers of theirs (Array::around), and
// numbers of ours while they are lent out, as to NumPy. What the tape keeps of these is sealed by a
// fingerprint, so that a derivative that finds other numbers than it kept can say so.
//
//   Loan loan(x);      // somebody else holds x's numbers now, and may write to them
//
// Of memory that nobody else holds nothing is read.
#pragma once

#include <cstdint>

#include "array.h"

namespace heed {

/// A hash of an array's numbers, bit by bit; never 0. The same for any number of threads. O(numel).
std::uint32_t fingerprint(const Array& x);

class Loan {
 public:
  /// `kept`: somebody may have kept the numbers already. Then they are hashed, now and when it is
  /// looked at what was written; else what was kept before is not watched.
  explicit Loan(const Array& x, bool kept = true);
  /// What was written until now counts as a write in place.
  ~Loan();
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  const Array& array() const { return array_; }

  /// Where numbers that are lent are no longer those that were lent, this counts as a write in
  /// place: of all that share the storage. Any thread may call it.
  static void notice_writes(Storage& storage);

 private:
  void look();
  Array array_;
  std::uint32_t seal_;     // 0: not watched
  std::uint32_t version_;  // that the seal is of
  Loan* next_ = nullptr;
};

}  // namespace heed

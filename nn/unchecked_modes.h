// While it lives, Module::train() on this thread sets modes without asking whether forward hooks
// were passed by: for who puts back what was there. Internal to heed.
#pragma once

namespace heed::nn {

class UncheckedModes {
 public:
  UncheckedModes();
  ~UncheckedModes();
  UncheckedModes(const UncheckedModes&) = delete;
  UncheckedModes& operator=(const UncheckedModes&) = delete;

  static bool now();

 private:
  const bool outer_;
};

}  // namespace heed::nn

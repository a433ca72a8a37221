#include "unchecked_modes.h"

#include <utility>

namespace heed::nn {
namespace {

thread_local bool t_unchecked = false;

}  // namespace

UncheckedModes::UncheckedModes() : outer_(std::exchange(t_unchecked, true)) {}
UncheckedModes::~UncheckedModes() { t_unchecked = outer_; }
bool UncheckedModes::now() { return t_unchecked; }

}  // namespace heed::nn

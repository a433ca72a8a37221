// Modules that are nobody's child, by their addresses: what stands inside of another module's
// object is held by value, and in none of its lists.
#pragma once

#include <cstddef>
#include <vector>

namespace heed::nn {

class Module;

namespace detail {

/// Any thread's. Of a module that is being made, and that is adopted or goes.
void enter_unowned(const Module* module);
void leave_unowned(const Module* module) noexcept;

/// The size of the whole object of which `module` is the base.
std::size_t size_of_object(const Module& module);
/// The modules without owner that stand inside of `module`'s object.
std::vector<const Module*> held_by_value(const Module& module);

}  // namespace detail
}  // namespace heed::nn

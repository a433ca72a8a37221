// Arrays as NumPy's repr() prints them: a row a line, columns aligned, commas, as many digits as it
// takes to tell the numbers apart, e+XX where they differ by a thousand times or are very large or
// small, long axes cut once there are too many elements:
//
//   std::cout << x;   tensor([[ 1.  ,  2.25],
//                             [-3.  ,  0.5 ]], dtype=f64)
//
// The dtype stands there unless it is f32, or shows in the elements (i64, bool); the shape where
// elements are left out, or there are none; what torch would say of gradients for tensors.
#pragma once

#include <string>
#include <vector>

#include "array.h"

namespace heed {

/// NumPy's own values.
struct PrintOptions {
  int precision = 8;       ///< most digits behind the point
  Index threshold = 1000;  ///< elements above which long axes are cut
  Index edge = 3;          ///< elements shown at either end of a cut axis
  Index width = 75;        ///< of a line, where an element can go on the next
};

/// Throws ValueError unless precision is in [0, 32], edge and threshold are not negative, and width
/// is positive.
std::string to_string(const Array& array, const PrintOptions& options);

namespace detail {
/// "NAME(elements, notes)", the shape and dtype among the notes where they are due.
std::string printed(const std::string& name, const Array& array,
                    const std::vector<std::string>& notes, const PrintOptions& options = {});
}  // namespace detail

}  // namespace heed

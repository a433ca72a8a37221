// How far a translation that is written while its source comes in lags behind, from how many source
// words were read before each word of it:
//
//   average lagging      AL = 1/tau sum over i = 1 .. tau of g(i) - (i - 1) / gamma,  gamma = |y| / |x|
//                        tau the first word for which the whole source was read
//                        (Ma et al. 2019, section 4)
//   average proportion   AP = sum_i g(i) / (|x| |y|)     (Cho and Esipova 2016)
//   differentiable AL    DAL = 1/|y| sum_i g'(i) - (i - 1) / gamma,
//                        g'(i) = max(g(i), g'(i - 1) + 1 / gamma)      (Arivazhagan et al. 2019)
//
// A policy that waits for k words has AL k where source and target are of one length.
#pragma once

#include <vector>

#include "../core/shape.h"

namespace heed::train {

/// `read`[i] words of a source of `source` were read before word i was written. `target` in the
/// place of |y|: the reference's length, where what was written is not to gain by being long; 0:
/// as many as were written. NaN without a word. All throw ValueError for a source without words and
/// numbers that fall, or are not in [0, source].
double average_lagging(const std::vector<Index>& read, Index source, Index target = 0);
double average_proportion(const std::vector<Index>& read, Index source);
double differentiable_average_lagging(const std::vector<Index>& read, Index source);

}  // namespace heed::train

// A text for the terminal, its words shaded by the attention they got: backgrounds in 24-bit or 256
// colours, or plain marks ([word] from a third of the largest share, [[word]] from two thirds)
// elsewhere.
#pragma once

#include <cstdio>
#include <string>

#include "attended_text.h"

namespace heed::train {

enum class ShadeStyle { marks, colours256, true_colour };

/// Whether `out` is a terminal that can move its cursor (TERM is set and not "dumb").
bool is_terminal(std::FILE* out);
/// What `out` can show, by isatty, TERM, COLORTERM and NO_COLOR.
ShadeStyle detect_shade_style(std::FILE* out);

/// One line a sentence, headed by its weight. Control characters within words are dropped and what
/// is not UTF-8 becomes U+FFFD: a text cannot send commands to the terminal.
std::string shade(const AttendedText& text, ShadeStyle style);

/// The words of one sentence, without its weight; `largest` is the full shade.
std::string shade(const AttendedSentence& sentence, double largest, ShadeStyle style);

}  // namespace heed::train

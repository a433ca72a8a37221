// Where sentences end: after . ! ? and a space (but not after "Mr.", "e.g.", an initial), after the
// full-width 。！？ of Chinese and Japanese, at a line's end and at `<br />`. Closing quotes and
// brackets stay with the sentence they close; what goes on in small letters after them ("Why?" she
// asked) is the same sentence.
#pragma once

#include <string_view>
#include <vector>

namespace heed::data {

/// The sentences in order, without the spaces around them; views into `text`, none of them empty.
/// Takes time linear in the text.
std::vector<std::string_view> split_sentences(std::string_view text);

}  // namespace heed::data

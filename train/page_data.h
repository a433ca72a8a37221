// Pages of ours that are drawn by a script of their own, from data that stand in them as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::train {

/// A JSON string that is also safe inside a script element: nothing in it can end the element or
/// open a comment.
void append_string(std::string& out, std::string_view text);
/// A JSON array of them.
void append_words(std::string& out, const std::vector<std::string>& words);
/// A JSON array of three digits each; what would not be seen is 0, which keeps the page small.
void append_weights(std::string& out, const std::vector<double>& weights);

/// A page that needs no network and asks for none: the report's style and this one, a note, the
/// articles (markup of ours), and `data`, JSON, as the element of id "data" that `script` reads.
std::string drawn_page(const std::string& title, const char* style, const char* note,
                       const std::string& articles, const std::string& data, const char* script);

}  // namespace heed::train

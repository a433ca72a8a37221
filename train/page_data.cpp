#include "page_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "../data/utf8.h"
#include "report.h"

namespace heed::train {
namespace {

// Below this part of the largest weight no shade is seen.
constexpr double kFaintest = 1e-4;

constexpr const char* kHead =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"><style>{}</style>";
constexpr const char* kBody =
    "<p class=\"note\">{}</p>\n<noscript><p class=\"note\">The words and matrices are drawn by a "
    "script of this page, which needs JavaScript.</p></noscript>\n{}"
    "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n";

}  // namespace

// A JSON string that is also safe inside a script element: nothing in it can end the element or
// open a comment.
void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const data::Decoded c = data::decode_utf8(text, at);
    at += c.length;
    if (c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0)) continue;
    constexpr std::u32string_view kEscaped = U"\"\\<>&\u2028\u2029\uFFFE\uFFFF";
    if (kEscaped.find(c.code) != std::u32string_view::npos) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c.code));
    } else {
      data::append_utf8(out, c.code);
    }
  }
  out += '"';
}

void append_words(std::string& out, const std::vector<std::string>& words) {
  out += '[';
  for (const std::string& word : words) {
    if (out.back() != '[') out += ',';
    append_string(out, word);
  }
  out += ']';
}

void append_weights(std::string& out, const std::vector<double>& weights) {
  const double seen = kFaintest * *std::max_element(weights.begin(), weights.end());
  out += '[';
  for (const double weight : weights) {
    if (out.back() != '[') out += ',';
    out += weight < seen ? "0" : fmt::format("{:.3g}", weight);
  }
  out += ']';
}

std::string drawn_page(const std::string& title, const char* style, const char* note,
                       const std::string& articles, const std::string& data, const char* script) {
  // The report's page, empty, with this in it.
  std::string page = Report(title).html();
  page.insert(page.find("</head>"), fmt::format(kHead, style));
  page.insert(page.rfind("</main>"), fmt::format(kBody, note, articles, data, script));
  return page;
}

}  // namespace heed::train

#include "../../train/alignment.h"

#include <nlohmann/json.hpp>

#include "../../train/self_attention.h"
#include "checks.h"
#include "pieces.h"
#include "targets.h"
#include "well_formed.h"

namespace heed::fuzz {
namespace {

struct Drawn {
  train::Alignment it;
  std::string name;  // of a matrix
};

Drawn drawn(std::string_view input) {
  Pieces pieces(input);
  Drawn out;
  out.it.title = pieces.text();
  out.it.columns = pieces.texts(4);
  out.it.rows = pieces.texts(3);
  out.name = pieces.text();
  if (out.it.columns.empty()) out.it.columns.emplace_back();
  if (out.it.rows.empty()) out.it.rows.emplace_back();
  std::vector<double> weights(out.it.columns.size() * out.it.rows.size());
  for (double& weight : weights) weight = pieces.number();
  out.it.weights = Array::from(
      weights, {static_cast<Index>(out.it.rows.size()), static_cast<Index>(out.it.columns.size())});
  return out;
}

Drawn harmless(Drawn from) {
  const auto change = [](std::string& text) { text = "x"; };
  change(from.it.title);
  change(from.name);
  std::for_each(from.it.rows.begin(), from.it.rows.end(), change);
  std::for_each(from.it.columns.begin(), from.it.columns.end(), change);
  return from;
}

std::string page_of(const Drawn& from) {
  const train::AlignedSentence sentence = {.source = from.it.columns,
                                           .target = from.it.rows,
                                           .matrices = {{from.name, from.it.weights}}};
  return train::alignment_page(from.it.title, {sentence, sentence});
}

void require_page(const Drawn& from) {
  const Markup page = read_html(page_of(from)), plain = read_html(page_of(harmless(from)));
  require(page.tags == plain.tags, "texts change no element of a page");
  require(page.scripts.size() == 2 && page.scripts[1] == plain.scripts[1],
          "texts change no script");
  const auto data = nlohmann::json::parse(page.scripts[0]);
  require(
      data.size() == 2 && data[0]["source"].size() == from.it.columns.size() &&
          data[0]["target"].size() == from.it.rows.size() &&
          data[0]["matrices"][0]["weights"].size() == from.it.columns.size() * from.it.rows.size(),
      "a page's data are whole");
}

std::string self_page_of(const Drawn& from) {
  const auto words = static_cast<Index>(from.it.columns.size());
  return train::self_attention_page(
      from.it.title, {{from.it.columns, {Array::full({1, words, words}, 0.5, DType::f64)}}});
}

void require_self_page(const Drawn& from) {
  const Markup page = read_html(self_page_of(from)),
               plain = read_html(self_page_of(harmless(from)));
  require(
      page.tags == plain.tags && page.scripts.size() == 2 && page.scripts[1] == plain.scripts[1],
      "texts change neither element nor script of a page of self-attention");
  const auto data = nlohmann::json::parse(page.scripts[0]);
  require(data.size() == 1 && data[0]["words"].size() == from.it.columns.size(),
          "a page's words are whole");
}

void require_text(const train::Alignment& from) {
  for (const auto style :
       {train::ShadeStyle::marks, train::ShadeStyle::colours256, train::ShadeStyle::true_colour}) {
    const std::string text = train::alignment_text(from, style);
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto c = static_cast<unsigned char>(text[at]);
      const bool ours =
          c == '\n' ||
          (c == 0x1B && style != train::ShadeStyle::marks &&
           (text.compare(at, 4, "\x1b[0m") == 0 || text.compare(at, 8, "\x1b[30;48;") == 0));
      require((c >= 0x20 && c != 0x7F) || ours, "a text sends the terminal no commands");
    }
  }
}

}  // namespace

void alignment(std::string_view input) {
  const Drawn from = drawn(input);
  require(read_xml(train::alignment_svg(from.it)).tags ==
              read_xml(train::alignment_svg(harmless(from).it)).tags,
          "texts change no element of a picture");
  require_page(from);
  require_self_page(from);
  require_text(from.it);
}

}  // namespace heed::fuzz

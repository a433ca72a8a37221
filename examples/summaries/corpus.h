// Articles with titles and summaries: the BBC's, or generated reports.
#pragma once

#include "../../data/articles.h"
#include "../../data/parts.h"
#include "../../io/fields.h"

namespace summaries {

using namespace heed;  // an application speaks the library's language
using Articles = std::vector<data::Article>;

struct CorpusOptions {
  std::string data = {};  ///< JSON lines, or their folder; empty: generated
  Index reports = 4000;   ///< generated ones to learn from
  std::uint64_t seed = 1;
  void fields(io::Fields& f) {
    f.text("data", data,
           "articles: JSON lines, or the folder of bbc.jsonl.gz; left out: generated");
    f.size("reports", reports, 10, 1 << 24, "generated ones to learn from");
  }
};

using Corpus = data::Parts<data::Article>;
/// Of a file a tenth, drawn by the seed, is to test, and a tenth to validate. Throws IoError,
/// FormatError.
Corpus load_corpus(const CorpusOptions& options);

}  // namespace summaries

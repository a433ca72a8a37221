// Texts as sentencepiece's trainer wants to be given them. For subwords.cpp and sentencepiece.cpp
// only.
#pragma once

#include <sentencepiece_trainer.h>

#include <string>
#include <vector>

namespace heed::data::detail {

class Texts : public sentencepiece::SentenceIterator {
 public:
  explicit Texts(const std::vector<std::string>& texts) : at_(texts.begin()), end_(texts.end()) {}
  bool done() const override { return at_ == end_; }
  void Next() override { ++at_; }
  const std::string& value() const override { return *at_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string>::const_iterator at_, end_;
};

}  // namespace heed::data::detail

// Options that name each of their fields once. From that come a program's flags, the model's
// config.json, the checks and the reading back:
//
//   struct ModelOptions {
//     Index width = 128;
//     double dropout = 0.3;
//     Kind kind = Kind::global;
//     void fields(io::Fields& f) {
//       f.size("width", width, 1, 1 << 14, "of words");
//       f.number("dropout", dropout, 0, 0.99, "probability");
//       f.choice("kind", kind, {{"global", Kind::global}, {"local", Kind::local}}, "of attention");
//     }
//   };
//
//   io::write_fields(config, options);     options = io::read_fields<ModelOptions>(config);
//   io::check_fields(options);             // ValueError: dropout 1.5 must be in [0, 0.99]
//
// A name is that of the key; a flag is written with dashes for its underscores.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../core/shape.h"
#include "config.h"

namespace heed::io {

/// What walks over the fields of options. The references must hold as long as it works with them.
class Fields {
 public:
  virtual ~Fields() = default;
  virtual void size(const std::string& name, Index& value, Index least, Index most,
                    const std::string& help) = 0;
  virtual void number(const std::string& name, double& value, double least, double most,
                      const std::string& help) = 0;
  virtual void flag(const std::string& name, bool& value, const std::string& help) = 0;
  virtual void text(const std::string& name, std::string& value, const std::string& help) = 0;
  /// One of these words.
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& words,
              const std::string& help);
  /// One of these values, each with its word.
  template <class T>
  void choice(const std::string& name, T& value, const std::vector<std::pair<std::string, T>>& all,
              const std::string& help);

 protected:
  struct Word {
    std::vector<std::string> words;
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;  ///< called with one of the words
  };
  virtual void word(const std::string& name, const Word& word, const std::string& help) = 0;
};

template <class T>
concept HasFields = requires(T& options, Fields& fields) {
  options.fields(fields);
};

template <class T>
void Fields::choice(const std::string& name, T& value,
                    const std::vector<std::pair<std::string, T>>& all, const std::string& help) {
  Word made;
  for (const auto& each : all) made.words.push_back(each.first);
  made.get = [&value, all] {
    for (const auto& [text, each] : all) {
      if (each == value) return text;
    }
    return std::string();
  };
  made.set = [&value, all](const std::string& text) {
    for (const auto& [word, each] : all) {
      if (word == text) value = each;
    }
  };
  word(name, made, help);
}

namespace detail {

/// Visitors, to be used once.
class FieldWriter : public Fields {
 public:
  explicit FieldWriter(Config& config) : config_(config) {}
  void size(const std::string& name, Index& value, Index, Index, const std::string&) override;
  void number(const std::string& name, double& value, double, double, const std::string&) override;
  void flag(const std::string& name, bool& value, const std::string&) override;
  void text(const std::string& name, std::string& value, const std::string&) override;
  void word(const std::string& name, const Word& word, const std::string&) override;

 private:
  Config& config_;
};

class FieldReader : public Fields {
 public:
  /// `lenient`: what is missing is passed over.
  explicit FieldReader(const Config& config, bool lenient = false)
      : config_(config), lenient_(lenient) {}
  void size(const std::string& name, Index& value, Index, Index, const std::string&) override;
  void number(const std::string& name, double& value, double, double, const std::string&) override;
  void flag(const std::string& name, bool& value, const std::string&) override;
  void text(const std::string& name, std::string& value, const std::string&) override;
  void word(const std::string& name, const Word& word, const std::string&) override;

 private:
  bool skips(const std::string& name) const { return lenient_ && !config_.has(name); }

  const Config& config_;
  bool lenient_;
};

class FieldCheck : public Fields {
 public:
  void size(const std::string& name, Index& value, Index, Index, const std::string&) override;
  void number(const std::string& name, double& value, double, double, const std::string&) override;
  void flag(const std::string&, bool&, const std::string&) override {}
  void text(const std::string&, std::string&, const std::string&) override {}
  void word(const std::string& name, const Word& word, const std::string&) override;
};

}  // namespace detail

/// Throws ValueError for a number that is not finite, and a value that has no word.
template <HasFields Options>
void write_fields(Config& config, Options options) {
  detail::FieldWriter writer(config);
  options.fields(writer);
}

/// Throws FormatError for what is missing, of another kind or out of range.
template <HasFields Options>
Options read_fields(const Config& config, Options options = {}) {
  detail::FieldReader reader(config);
  options.fields(reader);
  return options;
}

/// The same, but what is missing stays as it is in `options`: of a field that came later than some
/// of the files that are read.
template <HasFields Options>
Options read_known_fields(const Config& config, Options options = {}) {
  detail::FieldReader reader(config, true);
  options.fields(reader);
  return options;
}

/// Throws ValueError for the first field that is out of range.
template <HasFields Options>
void check_fields(Options options) {
  detail::FieldCheck check;
  options.fields(check);
}
/// The options themselves, where none is: for a constructor's list.
template <HasFields Options>
const Options& checked_fields(const Options& options) {
  check_fields(options);
  return options;
}

}  // namespace heed::io

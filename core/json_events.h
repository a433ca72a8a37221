// Reads JSON as a stream of events and builds nothing, so that a hostile text (deep nesting,
// millions of elements) costs no memory and no stack. Every event that a reader does not override
// is an error: a reader states what its format allows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

class JsonEvents {
 public:
  /// Errors are FormatErrors at `offset` of `path`, where the text begins.
  JsonEvents(const std::string& path, std::uint64_t offset) : path_(path), offset_(offset) {}
  virtual ~JsonEvents() = default;
  JsonEvents(const JsonEvents&) = delete;
  JsonEvents& operator=(const JsonEvents&) = delete;

  virtual void on_null() { unexpected("null"); }
  virtual void on_bool(bool) { unexpected("a boolean"); }
  /// Integers of 64 bits; larger ones are errors before they come here.
  virtual void on_int(std::int64_t) { unexpected("an integer"); }
  virtual void on_double(double) { unexpected("a number with a fraction"); }
  virtual void on_string(const std::string&) { unexpected("a string"); }
  virtual void on_key(const std::string&) { unexpected("a key"); }
  virtual void on_object_begin() { unexpected("an object"); }
  virtual void on_object_end() {}
  virtual void on_array_begin() { unexpected("an array"); }
  virtual void on_array_end() {}

  const std::string& path() const { return path_; }
  std::uint64_t offset() const { return offset_; }
  /// Throws FormatError.
  [[noreturn]] void fail(const std::string& what) const;

 protected:
  /// Throws FormatError; an override may add what was being read.
  virtual void unexpected(const char* what) const;

 private:
  std::string path_;
  std::uint64_t offset_;
};

/// One JSON object, strictly: it is valid UTF-8 and JSON, and only blanks surround it.
/// Throws FormatError (at the byte for broken JSON) and whatever the events throw.
void read_json_object(std::string_view text, JsonEvents& events);

/// The string as a JSON literal, quotes included. Throws ValueError for invalid UTF-8.
std::string json_quote(std::string_view text);

}  // namespace heed

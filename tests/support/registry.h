// Factories by name.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace heed {

/// Goes through its names in the order in which they were given, for testing::ValuesIn() too;
/// called with one, it makes what has that name.
template <class Made, class... From>
class Registry {
 public:
  using Factory = std::function<Made(From...)>;
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Registry(std::initializer_list<std::pair<const char*, Factory>> rows) {
    for (const auto& [name, factory] : rows) add(name, factory);
  }
  /// And all of `more`, behind.
  Registry& add(const Registry& more) {
    for (const std::string& name : more) add(name, more.factories_.at(name));
    return *this;
  }

  const_iterator begin() const { return names_.begin(); }
  const_iterator end() const { return names_.end(); }
  Made operator()(const std::string& name, From... from) const {
    if (!factories_.contains(name)) throw std::invalid_argument(name + " is none");
    return factories_.at(name)(from...);
  }

 private:
  void add(const std::string& name, const Factory& factory) {
    names_.push_back(name);
    factories_[name] = factory;
  }
  std::vector<std::string> names_;
  std::map<std::string, Factory> factories_;
};

}  // namespace heed

// What a call refuses, and in which words.
//
//   EXPECT_ERROR(ShapeError, "attend: query must be [.., Q, dq], not f32[3]", attend(q, k, v));
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace heed {

/// How a call ended: `message` of what it threw, if that was of the wanted type.
struct Ending {
  bool wanted;
  std::string message;  ///< or what happened instead
};
using OfType = bool (*)(const std::exception&);
Ending ending(OfType wanted, const std::function<void()>& call);
testing::AssertionResult says(const Ending& ending, std::string_view text);
testing::AssertionResult says_with(const Ending& ending, std::string_view part);
std::string message_of(const Ending& ending);

template <class E>
bool is(const std::exception& error) {
  return dynamic_cast<const E*>(&error) != nullptr;
}

/// The call throws an E, and `text` is its whole message.
template <class E>
testing::AssertionResult throws(std::string_view text, const std::function<void()>& call) {
  return says(ending(is<E>, call), text);
}

/// The call throws an E, and `part` stands in its message.
template <class E>
testing::AssertionResult throws_with(std::string_view part, const std::function<void()>& call) {
  return says_with(ending(is<E>, call), part);
}

/// The message of the E that the call throws; the test fails where it throws nothing or another.
template <class E>
std::string message_of(const std::function<void()>& call) {
  return message_of(ending(is<E>, call));
}

}  // namespace heed

/// Of a statement: the error's type, its whole message, or a part of it, and the statement.
#define EXPECT_ERROR(E, text, ...) EXPECT_TRUE(::heed::throws<E>(text, [&] { __VA_ARGS__; }))
#define EXPECT_ERROR_WITH(E, part, ...) \
  EXPECT_TRUE(::heed::throws_with<E>(part, [&] { __VA_ARGS__; }))

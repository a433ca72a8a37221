#include "throws.h"

namespace heed {

Ending ending(OfType wanted, const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    if (wanted(error)) return {true, error.what()};
    return {false, std::string("another error: ") + error.what()};
  }
  return {false, "no error"};
}

testing::AssertionResult says(const Ending& ending, std::string_view text) {
  if (ending.wanted && ending.message == text) return testing::AssertionSuccess();
  return testing::AssertionFailure() << ending.message << "\nand not: " << text;
}

testing::AssertionResult says_with(const Ending& ending, std::string_view part) {
  if (ending.wanted && ending.message.find(part) != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << ending.message << "\nand not with: " << part;
}

std::string message_of(const Ending& ending) {
  EXPECT_TRUE(ending.wanted) << ending.message;
  return ending.wanted ? ending.message : "";
}

}  // namespace heed

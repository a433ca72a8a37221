// cmake/joined.py: which files are compiled as one, and what is written for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../io/temporary_folder.h"
#include "../support/places.h"

namespace heed {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

using Words = std::vector<std::string>;

class Joined : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  }

  std::string write(const std::string& name, const std::string& text) {
    return folder_.write(name, text);
  }

  // What is to be compiled for these files, `size` together.
  Words joined(const Words& files, int size = 8) {
    std::string command = "python3 '" + (source_root() / "cmake/joined.py").string() + "' '" +
                          out() + "' " + std::to_string(size);
    for (const std::string& file : files) command += " '" + file + "'";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string line;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) line += static_cast<char>(c);
    EXPECT_EQ(::pclose(pipe), 0);
    Words names;
    std::stringstream all(line);
    for (std::string name; std::getline(all, name, ';');) names.push_back(name);
    return names;
  }

  std::string out() const { return folder_ / "out"; }

  static std::string text_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Joined, FilesWithNamesOfTheirOwnAreOne) {
  const Words files = {write("a.cpp", "#include <vector>\nint left(int x) { return x; }\n"),
                       write("b.cpp", "int right(int x) { return x; }\n"),
                       write("c.cpp", "int up(int x) { return x; }\n")};
  const Words together = joined(files);
  ASSERT_EQ(together, Words{out() + "/0.cpp"});
  const std::string text = text_of(together[0]);
  EXPECT_EQ(text, "#include <vector>\n#include \"" + files[0] + "\"\n#include \"" + files[1] +
                      "\"\n#include \"" + files[2] + "\"\n");
  EXPECT_EQ(joined(files, 2), (Words{out() + "/0.cpp", files[2]}));
}

TEST_F(Joined, NoneMeansWhatAnotherDeclares) {
  const std::string a = write("a.cpp", "int rows(int x) { return x; }\n");
  EXPECT_THAT(joined({a, write("b.cpp", "double rows(double x) { return x; }\n")}), SizeIs(2));
  EXPECT_THAT(joined({a, write("c.cpp", "int lines(int x) {\n  return rows(x);\n}\n")}), SizeIs(2));
  EXPECT_THAT(joined({a, write("d.cpp", "// rows\nint lines(int) { return sizeof(\"rows\"); }\n")}),
              SizeIs(1));
  EXPECT_THAT(
      joined(
          {a, write("e.cpp", "template <typename T, int rows = 2>\nclass Table : public T {};\n")}),
      SizeIs(2));
  EXPECT_THAT(
      joined({write("f.cpp", "class Table : public Base {\n"), write("g.cpp", "Table of();\n")}),
      SizeIs(2));
}

TEST_F(Joined, NorWhatAnotherReads) {
  write("names.h", "#pragma once\n#include \"other.h\"\n");
  write("other.h", "#pragma once\n#include \"names.h\"\nint places(long);\n");
  const std::string a = write("a.cpp", "#include \"names.h\"\nint first() { return places(1); }\n");
  EXPECT_THAT(joined({a, write("b.cpp", "int places(int x) { return x; }\n")}), SizeIs(2));
  EXPECT_THAT(
      joined({a, write("c.cpp", "#include \"other.h\"\nint places(int x) { return x; }\n")}),
      SizeIs(2));
  const std::string d = write("d.cpp", "#include \"other.h\"\nint second() { return 2; }\n");
  const Words one = joined({a, d});
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_THAT(text_of(one[0]),
              HasSubstr("names.h\"\n#include \"" +
                        std::filesystem::path(d).replace_filename("other.h").string()));
}

TEST_F(Joined, NorATypeThatAnotherHides) {
  write("outer.h", "#pragma once\nnamespace heed {\nclass Tensor;\nusing Place = int;\n}\n");
  write(
      "inner.h",
      "#pragma once\nnamespace heed::masks {\nclass Tensor;\nstruct Place {\n  int row;\n};\n}\n");
  write("beside.h", "#pragma once\nnamespace heed::data {\nstruct Place {\n};\n}\n");
  write("user.h",
        "#pragma once\n#include \"outer.h\"\nnamespace heed::masks {\nPlace next();\n}\n");
  const std::string a = write("a.cpp", "#include \"inner.h\"\nint row(const Tensor& x);\n");
  const std::string says = "#include \"outer.h\"\nnamespace heed::masks {\nPlace last();\n}\n";
  EXPECT_THAT(joined({a, write("b.cpp", says)}), SizeIs(2));
  EXPECT_THAT(joined({a, write("c.cpp", "#include \"user.h\"\nint column();\n")}), SizeIs(2));
  // Whoever does not say its name, or says it elsewhere, means what he meant.
  EXPECT_THAT(joined({a, write("d.cpp", "#include \"outer.h\"\nint other(const Tensor& x);\n")}),
              SizeIs(1));
  EXPECT_THAT(
      joined({a, write("e.cpp", "#include \"outer.h\"\nnamespace heed::io {\nPlace it();\n}\n")}),
      SizeIs(1));
  EXPECT_THAT(joined({a, write("f.cpp", "#include \"beside.h\"\nPlace first();\n")}), SizeIs(1));
}

TEST_F(Joined, EachHasItsOwnConstants) {
  const std::string a =
      write("a.cpp", "constexpr int kWide = 3, kHigh = 5;\nint area = kWide * kHigh;\n");
  const Words one = joined({a, write("b.cpp", "const int kWide{7};\nint line = kWide;\n")});
  ASSERT_THAT(one, SizeIs(1));
  const std::string text = text_of(one[0]);
  EXPECT_THAT(text, HasSubstr("#define kHigh kHigh_0\n#define kWide kWide_0\n"));
  EXPECT_THAT(text, HasSubstr("#undef kHigh\n#undef kWide\n#define kWide kWide_1\n"));
  // A header's has one name everywhere.
  write("wide.h", "#pragma once\nextern const int kWide;\n");
  const std::string text_of_one =
      text_of(joined({write("d.cpp", "#include \"wide.h\"\nconst int kWide = 3;\n"),
                      write("e.cpp", "int line = 2;\n")})
                  .at(0));
  EXPECT_THAT(text_of_one, Not(HasSubstr("kWide")));
  // One that is also a member's cannot have another name.
  const Words two =
      joined({a, write("c.cpp", "constexpr int kWide = 3;\nint d = Options::kWide;\n")});
  ASSERT_THAT(two, SizeIs(1));
  EXPECT_THAT(text_of(two[0]), Not(HasSubstr("kWide_1")));
}

TEST_F(Joined, AndWhatItsUnnamedNamespaceDeclares) {
  write("area.h", "#pragma once\nint area(int wide);\n");
  const std::string a = write("a.cpp",
                              "namespace {\nint twice(int x) { return 2 * x; }\nstruct Side {\n"
                              "  int wide;\n};\n}\nint left() { return twice(2); }\n");
  const std::string b =
      write("b.cpp", "namespace {\ndouble twice(double x) { return x + x; }\n}\n");
  const Words one = joined({a, b});
  ASSERT_THAT(one, SizeIs(1));
  const std::string text = text_of(one[0]);
  EXPECT_THAT(text, HasSubstr("#define Side Side_0\n#define twice twice_0\n#include \"" + a));
  EXPECT_THAT(text, HasSubstr("#undef Side\n#undef twice\n#define twice twice_1\n"));
  EXPECT_THAT(text, Not(HasSubstr("#define left")));
  // Outside of one it is everybody's.
  EXPECT_THAT(joined({a, write("c.cpp", "double twice(double x) { return x + x; }\n")}), SizeIs(1));
  EXPECT_THAT(
      joined({write("d.cpp", "int twice(int x);\n"), write("e.cpp", "long twice(long x);\n")}),
      SizeIs(2));
  // What others have, too, keeps its name: a header's, a member's, a test's, GoogleTest's own.
  for (const char* kept :
       {"#include \"area.h\"\nnamespace {\nint area(long x);\n}\n",
        "namespace {\nint area(long x);\n}\nint it(Side s) { return s.area(); }\n",
        "namespace {\nstruct area {};\n}\nint it() { return other::area(); }\n",
        "namespace {\nstruct area {};\n}\nTEST(Sides, area) {}\n",
        "namespace {\nclass area : public Test {};\n}\nTEST_F(area, Is) {}\n",
        "namespace {\nclass area : public Module {};\n}\nconst char* name = \"an area\";\n"})
    EXPECT_THAT(text_of(joined({a, write("f.cpp", kept)}).at(0)), Not(HasSubstr("#define area")))
        << kept;
  EXPECT_THAT(text_of(joined({a, write("g.cpp",
                                       "namespace {\nvoid PrintTo(int x);\n"
                                       "static_assert(true);\n}\n")})
                          .at(0)),
              Not(testing::AnyOf(HasSubstr("#define PrintTo"), HasSubstr("static_assert"))));
}

TEST_F(Joined, TheSameWordsOfOthersMayBeUsed) {
  const std::string a =
      write("a.cpp", "using testing::Each;\nusing Rows = std::vector<int>;\nTEST(A, Is) {}\n");
  EXPECT_THAT(joined({a, write("b.cpp", "using testing::Each;\nTEST(B, Is) {}\n")}), SizeIs(1));
  EXPECT_THAT(joined({a, write("c.cpp", "using Rows = std::vector<long>;\n")}), SizeIs(2));
}

TEST_F(Joined, WhatLeavesSomethingBehindStaysAlone) {
  const std::string a = write("a.cpp", "int left();\n");
  EXPECT_THAT(joined({a, write("b.cpp", "#define DOWN 1\n")}), SizeIs(2));
  write("x_simd-inl.h", "int right();\n");
  EXPECT_THAT(joined({a, write("c.cpp", "#include \"x_simd-inl.h\"\n")}), SizeIs(2));
  EXPECT_THAT(joined({a, write("d.cpp", "using namespace other;\n")}), SizeIs(2));
}

TEST_F(Joined, WhatIsTheSameIsNotWrittenAgain) {
  const Words files = {write("a.cpp", "int left();\n"), write("b.cpp", "int right();\n")};
  const std::string one = joined(files).at(0);
  const auto then = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(one, then);
  joined(files);
  EXPECT_EQ(std::filesystem::last_write_time(one), then);
  write("a.cpp", "#include <map>\nint left();\n");
  joined(files);
  EXPECT_NE(std::filesystem::last_write_time(one), then);
}

}  // namespace
}  // namespace heed

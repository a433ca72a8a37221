#include "../../io/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "../../core/error.h"
#include "../support/throws.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

// As NumPy writes it.
std::string npy(const std::string& head, const std::string& data, char version = 1) {
  std::string out("\x93NUMPY", 6);
  out += {version, '\0'};
  const auto length = static_cast<std::uint32_t>(head.size());
  out.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return out + head + data;
}
std::string head(const std::string& descr, const std::string& shape,
                 const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape +
         ", }    \n";
}
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

TEST(Npy, ComesBackAsItWas) {
  const TemporaryFolder folder;
  std::vector<double> numbers(30);
  std::iota(numbers.begin(), numbers.end(), -3.5);
  const Array doubles = Array::from(numbers, Shape{2, 3, 5});
  for (const Array& array :
       {doubles, doubles.permute({2, 0, 1}), doubles.to(DType::f32), doubles.to(DType::i64),
        Array::from(std::vector<bool>{true, false, true}),
        Array::from(std::vector<float>{7}, Shape{}), Array::empty(Shape{0, 3}, DType::f32)}) {
    const std::string path = folder / "x.npy";
    write_npy(path, array);
    const Array back = read_npy(path);
    EXPECT_EQ(back.shape(), array.shape());
    ASSERT_EQ(back.dtype(), array.dtype());
    EXPECT_EQ(back.to(DType::f64).to_vector<double>(), array.to(DType::f64).to_vector<double>());
  }
}

TEST(Npy, IsLaidOutAsNumPyDoes) {
  const std::string bytes = encode_npy(Array::from(std::vector<float>{1, 2, 3}));
  EXPECT_EQ(bytes.size(), 128u + 12u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\1\0v\0", 10));
  EXPECT_EQ(bytes.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  ");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_NE(encode_npy(Array::empty(Shape{2, 7}, DType::i64))
                .find("'<i8', 'fortran_order': False, 'shape': (2, 7), }"),
            std::string::npos);
  EXPECT_NE(encode_npy(Array::full(Shape{}, 1, DType::boolean))
                .find("'|b1', 'fortran_order': False, 'shape': (), }"),
            std::string::npos);
}

TEST(Npy, ReadsEveryWidthAndOrder) {
  const auto read = [](const std::string& descr, const std::string& data) {
    return decode_npy(npy(head(descr, "(2,)"), data), "f").to(DType::f64).to_vector<double>();
  };
  const auto turned = [](std::string data, std::size_t width) {
    for (std::size_t i = 0; i < data.size(); i += width) {
      std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i),
                   data.begin() + static_cast<std::ptrdiff_t>(i + width));
    }
    return data;
  };
  const auto both = [&](const std::string& kind, const std::string& data, std::size_t width,
                        const std::vector<double>& wanted) {
    EXPECT_EQ(read("<" + kind, data), wanted) << kind;
    EXPECT_EQ(read(">" + kind, turned(data, width)), wanted) << kind;
    if (width == 1) {
      EXPECT_EQ(read("|" + kind, data), wanted) << kind;
    }
  };
  both("i1", bytes_of<std::int8_t>({-5, 7}), 1, {-5, 7});
  both("u1", bytes_of<std::uint8_t>({5, 251}), 1, {5, 251});
  both("b1", bytes_of<std::uint8_t>({1, 0}), 1, {1, 0});
  both("i2", bytes_of<std::int16_t>({-500, 7}), 2, {-500, 7});
  both("u2", bytes_of<std::uint16_t>({5, 65521}), 2, {5, 65521});
  both("f2", bytes_of<std::uint16_t>({0x3C00, 0xC000}), 2, {1, -2});
  both("i4", bytes_of<std::int32_t>({-70001, 7}), 4, {-70001, 7});
  both("u4", bytes_of<std::uint32_t>({5, 4294967291}), 4, {5, 4294967291});
  both("f4", bytes_of<float>({-0.75F, 3e30F}), 4, {-0.75, 3e30F});
  both("i8", bytes_of<std::int64_t>({-70000000001, 7}), 8, {-70000000001, 7});
  both("u8", bytes_of<std::uint64_t>({5, 1ULL << 52}), 8, {5, 4503599627370496});
  both("f8", bytes_of<double>({-0.1, 3e300}), 8, {-0.1, 3e300});
}

TEST(Npy, ColumnsMayComeFirst) {
  // [[1, 2, 3], [4, 5, 6]] by columns; three axes of which the first runs fastest.
  const std::string data = bytes_of<float>({1, 4, 2, 5, 3, 6});
  const Array array = decode_npy(npy(head("<f4", "(2, 3)", "True"), data, 2), "f");
  EXPECT_EQ(array.shape(), (Shape{2, 3}));
  EXPECT_EQ(array.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const Array cube = decode_npy(npy(head("<f4", "(2, 1, 3)", "True"), data, 3), "f");
  EXPECT_EQ(cube.shape(), (Shape{2, 1, 3}));
  EXPECT_EQ(cube.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, NumbersBeginAtTheNextMultipleOf64) {
  for (Index rank = 1; rank <= 8; ++rank) {
    Shape shape;
    for (Index axis = 0; axis < rank; ++axis) shape.push_back(axis == 0 ? 0 : 1000003);
    const std::string bytes = encode_npy(Array::empty(shape, DType::f32));
    const std::size_t brace = bytes.find('}');
    EXPECT_EQ(bytes.size(), (brace + 2 + 63) / 64 * 64) << "the brace, and a line's end";
    EXPECT_EQ(bytes.back(), '\n');
    EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(bytes[8])) +
                  256 * static_cast<std::size_t>(bytes[9]),
              bytes.size() - 10);
    EXPECT_EQ(decode_npy(bytes, "f").shape(), shape);
  }
}

TEST(Npy, OfBf16IsF32) {
  const Array back =
      decode_npy(encode_npy(Array::from(std::vector<float>{1, -2.5F, 3}).to(DType::bf16)), "f");
  EXPECT_EQ(back.dtype(), DType::f32);
  EXPECT_EQ(back.to_vector<float>(), (std::vector<float>{1, -2.5F, 3}));
}

TEST(Npy, HeadsMayBeWrittenInOtherWays) {
  const std::string four = bytes_of<float>({7});
  const auto read = [&](const std::string& text) {
    return decode_npy(npy(text, four), "f").to_vector<float>();
  };
  const std::vector<float> seven = {7};
  EXPECT_EQ(read(R"({"descr": "<f4", "fortran_order": True, "shape": (1,)})"), seven);
  EXPECT_EQ(read("{'shape':(1,1,),'fortran_order':False,'descr':'<f4'}\n"), seven);
  EXPECT_EQ(read("  {\n'shape' : ( 1 , 1 ) , 'fortran_order' : True , 'descr' : '<f4' , } "),
            seven);
  EXPECT_EQ(read("{'descr':'<f4','fortran_order':False,'shape':(1,1,1,1,1,1,1,1)}"), seven);
  EXPECT_EQ(read(head("<f4", "()", "True")), seven);
}

TEST(Npy, SaysWhere) {
  const auto refuses = [](const std::string& bytes, const std::string& text) {
    EXPECT_ERROR(FormatError, "f: at byte " + text, decode_npy(bytes, "f"));
  };
  const std::string four(4, '\0'), good = npy(head("<f4", "()"), four);
  refuses(good.substr(0, 5), "0: does not begin as .npy does");
  refuses(good.substr(0, 7), "7: the file ends before its version");
  refuses(good.substr(0, 8), "8: the file ends before the head's length");
  refuses(good.substr(0, 9), "9: the file ends before the head's length");
  refuses(good.substr(0, 10), "8: a head of 60 bytes is claimed, in a file of 10");
  refuses(npy(head("<f4", "()"), four, 2).substr(0, 11),
          "11: the file ends before the head's length");
  refuses(npy(head("<f4", "()"), four, 0), "6: version 0.0 is not known; 1.0, 2.0 and 3.0 are");
  std::string minor = good;
  minor[7] = 1;
  refuses(minor, "6: version 1.1 is not known; 1.0, 2.0 and 3.0 are");
  refuses(good.substr(0, 20), "8: a head of 60 bytes is claimed, in a file of 20");
  refuses(npy(head("<f4", "(2,)"), four), "72: 4 bytes for [2] of F32");
  refuses(npy("{'descr': '<f4' 'shape'", four), "26: the head has no '}' here");
  refuses(npy("{'shape': (1,), 'shape': (1,)}", four),
          "34: \"shape\" does not belong into the head, or is there twice");
  refuses(npy("{'fortran_order': True, 'fortran_order'}", four), "49: the head has no ':' here");
  refuses(npy("{'fortran_order': True, 'fortran_order':", four),
          "50: \"fortran_order\" does not belong into the head, or is there twice");
}

TEST(Npy, IsReadStrictly) {
  const auto refuses = [](const std::string& bytes, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, decode_npy(bytes, "f")) << bytes;
  };
  const std::string four(4, '\0');
  refuses("", "does not begin as .npy does");
  refuses("\x93NUMPY", "ends before its version");
  refuses(npy(head("<f4", "()"), four, 4), "version 4.0 is not known");
  refuses(npy(head("<f4", "()"), four).substr(0, 30), "a head of");
  for (const char* descr :
       {"<c8", "|O", "<U7", "|S3", "<M8[ns]", "|V4", "=f4", "f4", "", "<f16", "|f4", "\\x"}) {
    const std::string text = descr;
    refuses(npy(head(text, "()"), four), text == "\\x" ? "a backslash" : "cannot be read");
  }
  refuses(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }", four), "records");
  refuses(npy(head("<f4", "(1)"), four), "no tuple");
  refuses(npy(head("<f4", "(-1,)"), four), "no number");
  refuses(npy(head("<f4", "(9223372036854775808,)"), four), "no number");
  refuses(npy(head("<f4", "(4294967296, 4294967296)"), four), "overflows");
  refuses(npy(head("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), four), "more than 8 axes");
  refuses(npy(head("<f4", "(2,)"), four), "4 bytes for [2] of F32");
  refuses(npy(head("<f4", "(1,)"), four + "x"), "5 bytes for [1] of F32");
  refuses(npy(head("<f4", "(4611686018427387904,)"), four), "4 bytes for");
  refuses(npy(head("|b1", "(1,)"), "\2"), "other than 0 and 1");
  refuses(npy(head("<f4", "()", "false"), four), "neither True nor False");
  refuses(npy("{'descr': '<f4', 'shape': ()}", four), "the head lacks");
  refuses(npy("{'descr': '<f4', 'fortran_order': True}", four), "the head lacks");
  refuses(npy("{'fortran_order': True, 'shape': ()}", four), "the head lacks");
  refuses(npy("{'descr': '<f4', 'descr': '<f4'}", four), "\"descr\" does not belong");
  refuses(npy("{'x': '<f4'}", four), "\"x\" does not belong");
  refuses(npy("{'descr: ", four), "no end");
  refuses(npy(head("<f4", "()") + "1", four), "behind the head");
  EXPECT_THROW(encode_npy(Array()), ValueError);
  EXPECT_THROW(read_npy("/nowhere/x.npy"), IoError);
}

}  // namespace
}  // namespace heed::io

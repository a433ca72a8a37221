#include "utf8.h"

#include <algorithm>
#include <iterator>

namespace heed::data {
namespace {

// The ranges that are not words, in ascending order.
struct Range {
  char32_t first, last;
  CharClass kind;
};
constexpr CharClass kSpace = CharClass::space;
constexpr CharClass kSymbol = CharClass::symbol;
constexpr CharClass kAlone = CharClass::alone;
constexpr Range kRanges[] = {
    {0x00, 0x20, kSpace},           {0x21, 0x2F, kSymbol},       {0x3A, 0x40, kSymbol},
    {0x5B, 0x60, kSymbol},          {0x7B, 0x7E, kSymbol},       {0x7F, 0xA0, kSpace},
    {0xA1, 0xA9, kSymbol},          {0xAB, 0xAC, kSymbol},       {0xAD, 0xAD, kSpace},
    {0xAE, 0xB1, kSymbol},          {0xB4, 0xB4, kSymbol},       {0xB6, 0xB8, kSymbol},
    {0xBB, 0xBF, kSymbol},          {0xD7, 0xD7, kSymbol},       {0xF7, 0xF7, kSymbol},
    {0x37E, 0x37E, kSymbol},        {0x387, 0x387, kSymbol},     {0x55A, 0x55F, kSymbol},
    {0x589, 0x58A, kSymbol},        {0x5BE, 0x5BE, kSymbol},     {0x5C0, 0x5C0, kSymbol},
    {0x5C3, 0x5C3, kSymbol},        {0x5F3, 0x5F4, kSymbol},     {0x60C, 0x60D, kSymbol},
    {0x61B, 0x61F, kSymbol},        {0x66A, 0x66D, kSymbol},     {0x6D4, 0x6D4, kSymbol},
    {0x964, 0x965, kSymbol},        {0xE4F, 0xE4F, kSymbol},     {0xE5A, 0xE5B, kSymbol},
    {0x104A, 0x104F, kSymbol},      {0x1361, 0x1368, kSymbol},   {0x1680, 0x1680, kSpace},
    {0x17D4, 0x17DA, kSymbol},      {0x1800, 0x180A, kSymbol},   {0x2000, 0x200F, kSpace},
    {0x2010, 0x2027, kSymbol},      {0x2028, 0x202F, kSpace},    {0x2030, 0x205E, kSymbol},
    {0x205F, 0x206F, kSpace},       {0x207A, 0x207E, kSymbol},   {0x208A, 0x208E, kSymbol},
    {0x20A0, 0x20CF, kSymbol},      {0x2100, 0x2BFF, kSymbol},   {0x2E00, 0x2E7F, kSymbol},
    {0x2E80, 0x2FDF, kAlone},       {0x2FE0, 0x2FFF, kSymbol},   {0x3000, 0x3000, kSpace},
    {0x3001, 0x3004, kSymbol},      {0x3005, 0x3007, kAlone},    {0x3008, 0x3020, kSymbol},
    {0x3021, 0x3029, kAlone},       {0x3030, 0x3030, kSymbol},   {0x3031, 0x303C, kAlone},
    {0x303D, 0x3040, kSymbol},      {0x3041, 0x309F, kAlone},    {0x30A0, 0x30A0, kSymbol},
    {0x30A1, 0x30FA, kAlone},       {0x30FB, 0x30FB, kSymbol},   {0x30FC, 0x312F, kAlone},
    {0x3190, 0x319F, kSymbol},      {0x31A0, 0x31FF, kAlone},    {0x3200, 0x33FF, kSymbol},
    {0x3400, 0x4DBF, kAlone},       {0x4DC0, 0x4DFF, kSymbol},   {0x4E00, 0x9FFF, kAlone},
    {0xD800, 0xF8FF, kSymbol},      {0xF900, 0xFAFF, kAlone},    {0xFD3E, 0xFD3F, kSymbol},
    {0xFE00, 0xFE0F, kSpace},       {0xFE10, 0xFE1F, kSymbol},   {0xFE30, 0xFE6F, kSymbol},
    {0xFEFF, 0xFEFF, kSpace},       {0xFF01, 0xFF0F, kSymbol},   {0xFF1A, 0xFF20, kSymbol},
    {0xFF3B, 0xFF40, kSymbol},      {0xFF5B, 0xFF65, kSymbol},   {0xFF66, 0xFF9F, kAlone},
    {0xFFE0, 0xFFFF, kSymbol},      {0x1D000, 0x1D3FF, kSymbol}, {0x1F000, 0x1FAFF, kSymbol},
    {0x20000, 0x3FFFF, kAlone},     {0x40000, 0xDFFFF, kSymbol}, {0xE0000, 0xE0FFF, kSpace},
    {0xE1000, 0xFFFFFFFF, kSymbol},
};

// Alphabets in which capital and small letters take turns.
bool is_even_capital(char32_t c) {
  return (c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177) || (c >= 0x460 && c <= 0x481) ||
         (c >= 0x48A && c <= 0x4BF) || (c >= 0x4D0 && c <= 0x52F) || (c >= 0x1E00 && c <= 0x1E95) ||
         (c >= 0x1EA0 && c <= 0x1EFF);
}
bool is_odd_capital(char32_t c) {
  return (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E) || (c >= 0x4C1 && c <= 0x4CE);
}

}  // namespace

void append_utf8(std::string& to, char32_t code) {
  const auto put = [&to](char32_t byte) { to.push_back(static_cast<char>(byte)); };
  const auto put_tail = [&put, code](unsigned shift) { put(0x80 | ((code >> shift) & 0x3F)); };
  if ((code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return append_utf8(to, kReplacement);
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put_tail(0);
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put_tail(6);
    put_tail(0);
  } else {
    put(0xF0 | (code >> 18));
    put_tail(12);
    put_tail(6);
    put_tail(0);
  }
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded c = decode_utf8(text, at);
    if (!c.valid) return false;
    at += c.length;
  }
  return true;
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded c = decode_utf8(text, at);
    if (c.valid) {
      out.append(text.substr(at, c.length));
    } else {
      append_utf8(out, kReplacement);
    }
    at += c.length;
  }
  return out;
}

CharClass classify(char32_t code) {
  const Range* found = std::lower_bound(std::begin(kRanges), std::end(kRanges), code,
                                        [](const Range& r, char32_t c) { return r.last < c; });
  return found != std::end(kRanges) && found->first <= code ? found->kind : CharClass::word;
}

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded c = decode_utf8(text, at);
    if (classify(c.code) != CharClass::space) return false;
    at += c.length;
  }
  return true;
}

char32_t to_lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if (c >= 0xC0 && c <= 0xDE) return c == 0xD7 ? c : c + 32;
  if (c == 0x130) return 'i';   // dotted capital I
  if (c == 0x178) return 0xFF;  // Y with diaeresis
  if (is_even_capital(c)) return c | 1;
  if (is_odd_capital(c)) return c + (c & 1);
  if (c >= 0x391 && c <= 0x3AB) return c == 0x3A2 ? c : c + 32;
  if (c == 0x386) return 0x3AC;
  if (c >= 0x388 && c <= 0x38A) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 63;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  if (c >= 0x410 && c <= 0x42F) return c + 32;
  if (c == 0x4C0) return 0x4CF;
  if (c >= 0xFF21 && c <= 0xFF3A) return c + 32;
  return c;
}

}  // namespace heed::data

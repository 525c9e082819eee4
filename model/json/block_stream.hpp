#pragma once

#include "model/json/rapidjson.hpp"

#include <bit>
#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace matchcloud::model {

namespace block {

#ifdef __SSE2__

inline constexpr std::size_t bytes_at_once = sizeof(__m128i);

/// The first byte from `at` on whose bit is set in `bits` of it and the 15 bytes after it.
template <class Bits>
char* first_of(char* at, Bits bits) noexcept {
  for (;; at += bytes_at_once) {
    const auto found = bits(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    if (found != 0) return at + std::countr_zero(static_cast<unsigned>(found));
  }
}

/// The first byte that is not white space.
inline char* white_space_end(char* at) noexcept {
  return first_of(at, [](__m128i bytes) {
    const auto blanks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                     _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    const auto others = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')),
                                     _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')));
    return _mm_movemask_epi8(_mm_or_si128(blanks, others)) ^ 0xFFFF;
  });
}

/// The first byte that a string cannot contain unescaped: a quote, a backslash, a control
/// character.
inline char* plain_text_end(char* at) noexcept {
  return first_of(at, [](__m128i bytes) {
    const auto last_control = _mm_set1_epi8(0x1F);
    const auto controls = _mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control);
    const auto others = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                     _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    return _mm_movemask_epi8(_mm_or_si128(controls, others));
  });
}

#else

inline constexpr std::size_t bytes_at_once = 1;

inline char* white_space_end(char* at) noexcept {
  while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
    ++at;
  return at;
}

inline char* plain_text_end(char* at) noexcept {
  while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) > 0x1F)
    ++at;
  return at;
}

#endif

} // namespace block

/// A text that ends with NUL, which RapidJSON reads and unescapes in place. It looks at
/// several bytes at once, some of which may be beyond the end. RapidJSON's own search with SSE2
/// accepts unescaped control characters from U+001A on.
class block_stream {
public:
  /// The most bytes after the NUL that are read, regardless of their values.
  static constexpr std::size_t read_ahead_bytes = block::bytes_at_once - 1;

  using Ch = char;

  explicit block_stream(char* text) noexcept : at_{text}, begin_{text} {}

  // RapidJSON requires these names.
  char Peek() const noexcept { return *at_; }
  char Take() noexcept { return *at_++; }
  std::size_t Tell() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  void Put(char c) noexcept { *to_++ = c; }
  /// Begins a string whose opening quote was read. Text that needs no unescaping stays in place.
  /// RapidJSON also calls this for numbers. They must not start a scan, because every number could
  /// scan the whole rest of the text.
  char* PutBegin() noexcept {
    auto* const begin = at_;
    if (at_ != begin_ && at_[-1] == '"') at_ = block::plain_text_end(at_);
    to_ = at_;
    return begin;
  }
  std::size_t PutEnd(const char* begin) const noexcept {
    return static_cast<std::size_t>(to_ - begin);
  }

private:
  /// Called by RapidJSON in place of its own.
  friend void SkipWhitespace(block_stream& stream) noexcept {
    // Usually there is none, or one space.
    if (static_cast<unsigned char>(*stream.at_) > ' ') return;
    if (*stream.at_ == ' ' && static_cast<unsigned char>(stream.at_[1]) > ' ')
      ++stream.at_;
    else
      stream.at_ = block::white_space_end(stream.at_);
  }

  char* at_;
  char* begin_;
  /// Where the current string is written.
  char* to_ = nullptr;
};

} // namespace matchcloud::model

template <>
struct rapidjson::StreamTraits<matchcloud::model::block_stream> {
  /// Reading is faster from a copy of the stream that the compiler keeps in registers.
  enum { copyOptimization = 1 };
};

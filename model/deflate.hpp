#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Deflate (RFC 1951) for a writer who knows where its text repeats itself: one block with the
/// fixed Huffman codes of section 3.2.6, whose symbols go to a sink bit by bit.
namespace matchcloud::model::deflate {

inline constexpr std::size_t shortest_match = 3;
inline constexpr std::size_t longest_match = 258;
inline constexpr std::size_t longest_distance = 32'768;

/// What stands for a symbol, its first bit lowest.
struct code {
  std::uint32_t bits = 0;
  std::uint32_t count = 0;
};

constexpr std::uint32_t reversed(std::uint32_t bits, std::uint32_t count) noexcept {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    result |= (bits >> i & 1U) << (count - 1 - i);
  return result;
}

/// Of the literal and length alphabet, 0 to 285.
constexpr code symbol_code(std::uint32_t symbol) noexcept {
  if (symbol < 144) return {reversed(0x30 + symbol, 8), 8};
  if (symbol < 256) return {reversed(0x190 + symbol - 144, 9), 9};
  if (symbol < 280) return {reversed(symbol - 256, 7), 7};
  return {reversed(0xC0 + symbol - 280, 8), 8};
}

/// `extra` after `first`.
constexpr code joined(code first, code extra) noexcept {
  return {first.bits | extra.bits << first.count, first.count + extra.count};
}

/// `length` is 3 to 258.
constexpr code length_code(std::uint32_t length) noexcept {
  if (length == longest_match) return symbol_code(285);
  const auto over = length - static_cast<std::uint32_t>(shortest_match);
  if (over < 8) return symbol_code(257 + over);
  // Four symbols for each power of two; what is left of the length follows as it is.
  const auto extra = static_cast<std::uint32_t>(std::bit_width(over)) - 3;
  const auto symbol = 257 + 4 * extra + (over >> extra);
  return joined(symbol_code(symbol), {over & ((1U << extra) - 1), extra});
}

inline constexpr auto literal_codes = [] {
  std::array<code, 256> codes;
  for (std::uint32_t i = 0; i < codes.size(); ++i)
    codes[i] = symbol_code(i);
  return codes;
}();

inline constexpr auto length_codes = [] {
  std::array<code, longest_match + 1> codes;
  for (auto i = static_cast<std::uint32_t>(shortest_match); i < codes.size(); ++i)
    codes[i] = length_code(i);
  return codes;
}();

/// `distance` is 1 to 32768.
constexpr code distance_code(std::size_t distance) noexcept {
  const auto over = static_cast<std::uint32_t>(distance - 1);
  if (over < 4) return {reversed(over, 5), 5};
  // Two symbols for each power of two.
  const auto extra = static_cast<std::uint32_t>(std::bit_width(over)) - 2;
  const auto symbol = 2 * extra + (over >> extra);
  return joined({reversed(symbol, 5), 5}, {over & ((1U << extra) - 1), extra});
}

/// Only counts, to know how long a stream will be.
class bit_counter {
public:
  void put(code next) noexcept { bits_ += next.count; }
  std::size_t bytes() const noexcept { return (bits_ + 7) / 8; }

private:
  std::size_t bits_ = 0;
};

/// Writes to memory that is large enough.
class bit_writer {
public:
  explicit bit_writer(char* to) noexcept : at_{to} {}

  /// At most 32 bits.
  void put(code next) noexcept {
    held_ |= std::uint64_t{next.bits} << count_;
    count_ += next.count;
    if (count_ < 32) return;
    for (unsigned i = 0; i < 4; ++i)
      at_[i] = static_cast<char>(held_ >> (8 * i));
    at_ += 4;
    held_ >>= 32U;
    count_ -= 32;
  }

  /// Writes what is held, filled up with zeros to whole bytes. The end of what was written.
  char* finish() noexcept {
    for (; count_ > 0; count_ -= std::min(count_, 8U)) {
      *at_++ = static_cast<char>(held_);
      held_ >>= 8U;
    }
    return at_;
  }

private:
  char* at_;
  std::uint64_t held_ = 0;
  std::uint32_t count_ = 0;
};

/// Begins the stream with its one and last block.
template <class Sink>
void begin(Sink& sink) noexcept {
  sink.put({0b011, 3});
}

template <class Sink>
void literals(Sink& sink, std::string_view text) noexcept {
  for (const char c : text)
    sink.put(literal_codes[static_cast<unsigned char>(c)]);
}

/// `text`, which also stands `distance` bytes before.
template <class Sink>
void repeat(Sink& sink, std::string_view text, std::size_t distance) noexcept {
  if (distance > longest_distance) return literals(sink, text);
  while (text.size() >= shortest_match) {
    const auto length = std::min(text.size(), longest_match);
    sink.put(joined(length_codes[length], distance_code(distance)));
    text.remove_prefix(length);
  }
  literals(sink, text);
}

template <class Sink>
void end(Sink& sink) noexcept {
  sink.put(symbol_code(256));
}

} // namespace matchcloud::model::deflate

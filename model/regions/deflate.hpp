#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

/// Deflate (RFC 1951) for a writer that knows where its text repeats: one block with the fixed
/// Huffman codes of section 3.2.6, whose codes go to a sink one after the other.
namespace matchcloud::model::deflate {

inline constexpr std::size_t shortest_match = 3;
inline constexpr std::size_t longest_match = 258;
inline constexpr std::size_t longest_distance = 32'768;

/// The bits of one or several symbols; the first bit is the lowest.
struct code {
  std::uint64_t bits = 0;
  std::uint32_t count = 0;
};

/// A compact code of one symbol, for tables.
struct short_code {
  std::uint16_t bits = 0;
  std::uint16_t count = 0;

  constexpr short_code() = default;
  constexpr explicit short_code(code wide) noexcept
      : bits{static_cast<std::uint16_t>(wide.bits)},
        count{static_cast<std::uint16_t>(wide.count)} {}
  constexpr operator code() const noexcept { return {bits, count}; }
};

constexpr std::uint32_t reversed(std::uint32_t bits, std::uint32_t count) noexcept {
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    result |= (bits >> i & 1U) << (count - 1 - i);
  return result;
}

/// The code of a literal or length symbol, 0 to 285.
constexpr code symbol_code(std::uint32_t symbol) noexcept {
  if (symbol < 144) return {reversed(0x30 + symbol, 8), 8};
  if (symbol < 256) return {reversed(0x190 + symbol - 144, 9), 9};
  if (symbol < 280) return {reversed(symbol - 256, 7), 7};
  return {reversed(0xC0 + symbol - 280, 8), 8};
}

/// The bits of `first` followed by those of `extra`.
constexpr code joined(code first, code extra) noexcept {
  return {first.bits | extra.bits << first.count, first.count + extra.count};
}

/// The code of a match length from 3 to 258.
constexpr code length_code(std::uint32_t length) noexcept {
  if (length == longest_match) return symbol_code(285);
  const auto over = length - static_cast<std::uint32_t>(shortest_match);
  if (over < 8) return symbol_code(257 + over);
  // Four symbols for each power of two; the low bits of the length follow unencoded.
  const auto extra = static_cast<std::uint32_t>(std::bit_width(over)) - 3;
  const auto symbol = 257 + 4 * extra + (over >> extra);
  return joined(symbol_code(symbol), {over & ((1U << extra) - 1), extra});
}

inline constexpr auto literal_codes = [] {
  std::array<short_code, 256> codes;
  for (std::uint32_t i = 0; i < codes.size(); ++i)
    codes[i] = short_code{symbol_code(i)};
  return codes;
}();

inline constexpr auto length_codes = [] {
  std::array<short_code, longest_match + 1> codes;
  for (auto i = static_cast<std::uint32_t>(shortest_match); i < codes.size(); ++i)
    codes[i] = short_code{length_code(i)};
  return codes;
}();

/// The codes of the distance alphabet.
inline constexpr auto distance_symbol_codes = [] {
  std::array<short_code, 30> codes;
  for (std::uint32_t i = 0; i < codes.size(); ++i)
    codes[i] = short_code{{reversed(i, 5), 5}};
  return codes;
}();

/// The code of a match distance from 1 to 32768.
constexpr code make_distance_code(std::size_t distance) noexcept {
  const auto over = static_cast<std::uint32_t>(distance - 1);
  if (over < 4) return distance_symbol_codes[over];
  // Two symbols for each power of two.
  const auto extra = static_cast<std::uint32_t>(std::bit_width(over)) - 2;
  const auto symbol = 2 * extra + (over >> extra);
  return joined(distance_symbol_codes[symbol], {over & ((1U << extra) - 1), extra});
}

/// The codes of short distances, their counts in the upper half.
inline constexpr auto near_distance_codes = [] {
  std::array<std::uint32_t, 1024> codes{};
  for (std::size_t distance = 1; distance < codes.size(); ++distance) {
    const auto wide = make_distance_code(distance);
    codes[distance] = static_cast<std::uint32_t>(wide.bits) | wide.count << 16U;
  }
  return codes;
}();

/// The most bits that the codes of a length and of a short distance have together.
inline constexpr std::uint32_t most_near_match_bits = [] {
  const auto longest =
      std::ranges::max(length_codes, {}, [](const auto& each) { return each.count; });
  const auto furthest =
      std::ranges::max(near_distance_codes, {}, [](auto packed) { return packed >> 16U; });
  return longest.count + (furthest >> 16U);
}();

constexpr code distance_code(std::size_t distance) noexcept {
  if (distance >= near_distance_codes.size()) return make_distance_code(distance);
  const auto packed = near_distance_codes[distance];
  return {packed & 0xFFFFU, packed >> 16U};
}

// Writing to sinks is what takes the time of a stream, so they are kept in registers: everything
// that is called for each code is inlined, and nothing takes a sink's address.

/// A sink that only counts bits, to determine the length of a stream.
class bit_counter {
public:
  [[gnu::always_inline]] void put(code next) noexcept { bits_ += next.count; }
  std::size_t bytes() const noexcept { return (bits_ + 7) / 8; }

private:
  std::size_t bits_ = 0;
};

/// The most bits that a sink accepts at once.
inline constexpr std::uint32_t most_bits = 56;

/// A sink that keeps codes to put them into other sinks, joined up to what these accept at once.
class code_recorder {
public:
  void put(code next) {
    if (codes_.empty() || codes_.back().count + next.count > most_bits)
      codes_.push_back(next);
    else
      codes_.back() = joined(codes_.back(), next);
  }
  std::vector<code> take() noexcept { return std::move(codes_); }

private:
  std::vector<code> codes_;
};

/// A sink that writes to memory, which must have room for the stream and 8 more bytes.
class bit_writer {
public:
  explicit bit_writer(char* to) noexcept : at_{to} {}

  /// Writes at most `most_bits`.
  [[gnu::always_inline]] void put(code next) noexcept {
    held_ |= next.bits << count_;
    count_ += next.count;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(at_, &held_, sizeof held_);
    const auto whole_bytes = count_ / 8;
    at_ += whole_bytes;
    held_ >>= 8 * whole_bytes;
    count_ %= 8;
  }

  /// Pads the last byte with zeros and returns the end of the stream.
  char* finish() noexcept { return count_ > 0 ? at_ + 1 : at_; }

private:
  char* at_;
  /// The bits of an incomplete byte, which are in memory already.
  std::uint64_t held_ = 0;
  std::uint32_t count_ = 0;
};

/// Begins the stream with a single, final block.
template <class Sink>
void begin(Sink& sink) noexcept {
  sink.put({0b011, 3});
}

/// How many literals are put at once with a near match.
inline constexpr std::size_t literals_beside_match = 3;
static_assert(most_near_match_bits + 9 * literals_beside_match <= most_bits);

/// The literal codes of at most 16 bytes, all below 144, so that each code is a byte, too.
class low_literals {
public:
  /// Reads 16 bytes.
  [[gnu::always_inline]] explicit low_literals(const char* from) noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&bits_, from, sizeof bits_);
    bits_ += 0x3030'3030'3030'3030U; // no sum reaches the next byte
    bits_ = (bits_ >> 1U & 0x5555'5555'5555'5555U) | (bits_ & 0x5555'5555'5555'5555U) << 1U;
    bits_ = (bits_ >> 2U & 0x3333'3333'3333'3333U) | (bits_ & 0x3333'3333'3333'3333U) << 2U;
    bits_ = (bits_ >> 4U & 0x0F0F'0F0F'0F0F'0F0FU) | (bits_ & 0x0F0F'0F0F'0F0F'0F0FU) << 4U;
  }
  /// The codes of the first `count` bytes, at most 7.
  [[gnu::always_inline]] code first(std::size_t count) const noexcept {
    return cut(bits_[0], count);
  }
  /// The codes of `count` bytes, at most 7, after the first `literals_beside_match`.
  [[gnu::always_inline]] code further(std::size_t count) const noexcept {
    constexpr auto bits_before = 8 * literals_beside_match;
    return cut(bits_[0] >> bits_before | bits_[1] << (64 - bits_before), count);
  }

private:
  static code cut(std::uint64_t bits, std::size_t count) noexcept {
    return {bits & ((std::uint64_t{1} << 8 * count) - 1), static_cast<std::uint32_t>(8 * count)};
  }

  using two_words = std::uint64_t __attribute__((vector_size(16)));
  two_words bits_;
};

/// The codes of a text, one after the other: at most `most_bits`.
constexpr code codes_of(std::string_view text) noexcept {
  code codes;
  for (const char c : text)
    codes = joined(codes, literal_codes[static_cast<unsigned char>(c)]);
  return codes;
}

/// Appends `text` to `sink` as literals, and returns the sink.
template <class Sink>
[[gnu::noinline]] Sink with_literals(Sink sink, std::string_view text) {
  constexpr std::size_t at_once = most_bits / 9; // no literal has more bits
  while (!text.empty()) {
    const auto part = text.substr(0, at_once);
    sink.put(codes_of(part));
    text.remove_prefix(part.size());
  }
  return sink;
}

template <class Sink>
[[gnu::always_inline]] inline void literals(Sink& sink, std::string_view text) {
  sink = with_literals(std::move(sink), text);
}

/// Appends a repeated `text` of any length to `sink`, and returns the sink.
template <class Sink>
[[gnu::noinline]] Sink with_repeated(Sink sink, std::string_view text, std::size_t distance) {
  if (distance <= longest_distance) {
    while (text.size() >= shortest_match) {
      const auto length = std::min(text.size(), longest_match);
      sink.put(joined(length_codes[length], distance_code(distance)));
      text.remove_prefix(length);
    }
  }
  return with_literals(sink, text);
}

/// Encodes the `length` bytes at `text`, which also occur `distance` bytes earlier, and then at
/// most `literals_beside_match` literals.
template <class Sink>
[[gnu::always_inline]] inline void repeat(Sink& sink, const char* text, std::size_t length,
                                          std::size_t distance, code then) {
  const bool is_one_match = length >= shortest_match && length <= longest_match;
  if (is_one_match && distance < near_distance_codes.size()) [[likely]] {
    sink.put(joined(joined(length_codes[length], distance_code(distance)), then));
  } else {
    sink = with_repeated(std::move(sink), {text, length}, distance);
    sink.put(then);
  }
}

template <class Sink>
void end(Sink& sink) noexcept {
  sink.put(symbol_code(256));
}

} // namespace matchcloud::model::deflate

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

/// Deflate (RFC 1951) for a writer that knows where its text repeats: one block with the fixed
/// Huffman codes of section 3.2.6.
namespace matchcloud::model::deflate {

inline constexpr std::size_t shortest_match = 3;
inline constexpr std::size_t longest_match = 258;
inline constexpr std::size_t longest_distance = 32'768;
/// Or more: the distance of a text that did not occur earlier.
inline constexpr std::size_t nowhere = longest_distance + 1;
/// The most bits that are put at once.
inline constexpr std::uint32_t most_bits = 56;

/// The bits of one or several symbols; the first bit is the lowest.
struct code {
  std::uint64_t bits = 0;
  std::uint32_t count = 0;
};

/// The bits of `first` followed by those of `then`.
constexpr code joined(code first, code then) noexcept {
  return {first.bits | then.bits << first.count, first.count + then.count};
}

/// A code whose bits are sent from the highest.
constexpr code reversed(std::size_t bits, std::uint32_t count) noexcept {
  code made{0, count};
  for (std::uint32_t i = 0; i < count; ++i)
    made.bits |= (bits >> i & 1U) << (count - 1 - i);
  return made;
}

/// The code of a literal or length symbol, 0 to 285.
constexpr code symbol_code(std::size_t symbol) noexcept {
  if (symbol < 144) return reversed(0x30 + symbol, 8);
  if (symbol < 256) return reversed(0x190 + symbol - 144, 9);
  if (symbol < 280) return reversed(symbol - 256, 7);
  return reversed(0xC0 + symbol - 280, 8);
}

/// The code of a match length from 3 to 258.
constexpr code length_code(std::size_t length) noexcept {
  if (length == longest_match) return symbol_code(285);
  const auto over = length - shortest_match;
  if (over < 8) return symbol_code(257 + over);
  // Four symbols for each power of two; the low bits of the length follow unencoded.
  const auto extra = static_cast<std::uint32_t>(std::bit_width(over)) - 3;
  return joined(symbol_code(257 + std::size_t{4} * extra + (over >> extra)),
                {over & ((1U << extra) - 1), extra});
}

/// The code of a match distance from 1 to 32768.
constexpr code distance_code(std::size_t distance) noexcept {
  const auto over = distance - 1;
  if (over < 4) return reversed(over, 5);
  // Two symbols for each power of two.
  const auto extra = static_cast<std::uint32_t>(std::bit_width(over)) - 2;
  return joined(reversed(std::size_t{2} * extra + (over >> extra), 5),
                {over & ((1U << extra) - 1), extra});
}

/// A compact code, for tables.
struct short_code {
  std::uint16_t bits = 0;
  std::uint16_t count = 0;

  constexpr operator code() const noexcept { return {bits, count}; }
};

/// The codes of the numbers from `First` to `Last`, by number.
template <std::size_t First, std::size_t Last>
constexpr auto table_of(code (*of)(std::size_t) noexcept) noexcept {
  std::array<short_code, Last + 1> codes;
  for (auto i = First; i <= Last; ++i)
    codes[i] = {static_cast<std::uint16_t>(of(i).bits), static_cast<std::uint16_t>(of(i).count)};
  return codes;
}

/// Distances of fewer bytes are near.
inline constexpr std::size_t near_limit = 1'024;
inline constexpr auto literal_codes = table_of<0, 255>(symbol_code);
inline constexpr auto length_codes = table_of<shortest_match, longest_match>(length_code);
inline constexpr auto near_distance_codes = table_of<1, near_limit - 1>(distance_code);

/// Removes from `text` the characters that are put at once, and returns their codes.
constexpr code take_literals(std::string_view& text) noexcept {
  code codes;
  while (!text.empty()) {
    const code next = literal_codes[static_cast<unsigned char>(text.front())];
    if (codes.count + next.count > most_bits) break;
    codes = joined(codes, next);
    text.remove_prefix(1);
  }
  return codes;
}

/// The codes of `text` as literals.
inline std::vector<code> literals_of(std::string_view text) {
  std::vector<code> codes;
  while (!text.empty())
    codes.push_back(take_literals(text));
  return codes;
}

/// How many literals are put at once with a near match.
inline constexpr std::size_t literals_beside_match = 3;
static_assert(length_code(longest_match - 1).count + distance_code(near_limit - 1).count +
                  9 * literals_beside_match <=
              most_bits);

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

/// Writes a stream to memory, which must have room for it and 8 more bytes. Writing takes the time
/// of a stream, so a writer is kept in registers: what is called for each code is inlined, and
/// nothing takes the writer's address. The other functions get and return a copy.
class writer {
public:
  /// Begins the stream with a single, final block.
  explicit writer(char* to) noexcept : at_{to} { put({0b011, 3}); }

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

  [[gnu::always_inline]] void put_literals(std::string_view text) noexcept {
    *this = with_text(*this, text, nowhere);
  }

  /// Encodes the `length` bytes at `text`, which also occur `distance` bytes earlier, and then at
  /// most `literals_beside_match` literals.
  [[gnu::always_inline]] void repeat(const char* text, std::size_t length, std::size_t distance,
                                     code then) noexcept {
    const bool is_one_match = length >= shortest_match && length <= longest_match;
    if (is_one_match && distance < near_limit) [[likely]] {
      put(joined(joined(length_codes[length], near_distance_codes[distance]), then));
    } else {
      *this = with_text(*this, {text, length}, distance);
      put(then);
    }
  }

  /// Ends the stream, and pads its last byte with zeros. Returns the end.
  [[gnu::always_inline]] char* finish() noexcept {
    put(symbol_code(256));
    return count_ > 0 ? at_ + 1 : at_;
  }

private:
  [[gnu::noinline]] static writer with_text(writer to, std::string_view text,
                                            std::size_t distance) noexcept {
    while (distance <= longest_distance && text.size() >= shortest_match) {
      const auto length = std::min(text.size(), longest_match);
      to.put(joined(length_codes[length], distance_code(distance)));
      text.remove_prefix(length);
    }
    while (!text.empty())
      to.put(take_literals(text));
    return to;
  }

  char* at_;
  /// The bits of an incomplete byte, which are in memory already.
  std::uint64_t held_ = 0;
  std::uint32_t count_ = 0;
};

} // namespace matchcloud::model::deflate

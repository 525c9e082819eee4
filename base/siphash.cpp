#include "base/siphash.hpp"

#include "base/randomness.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace matchcloud::base {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

static_assert(std::endian::native == std::endian::little,
              "SipHash reads its input as little-endian words");

std::uint64_t word_at(const std::uint8_t* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, word_bytes);
  return word;
}

/// The bytes after the last whole word, with the total number of bytes in the top byte.
std::uint64_t last_word(std::span<const std::uint8_t> bytes) noexcept {
  const auto left = bytes.size() % word_bytes;
  std::uint64_t word = std::uint64_t{bytes.size()} << 56;
  if (left == 0) return word;
  // One load that reaches back into the previous word costs less than a loop over up to seven
  // bytes.
  if (bytes.size() >= word_bytes)
    return word | word_at(bytes.data() + bytes.size() - word_bytes) >> 8 * (word_bytes - left);
  for (std::size_t i = 0; i < left; ++i)
    word |= std::uint64_t{bytes[i]} << 8 * i;
  return word;
}

/// The four words of state, named as in the paper.
struct sip_state {
  std::uint64_t v0, v1, v2, v3;

  void round() noexcept {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32) + v3;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void take(std::uint64_t word) noexcept {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

} // namespace

siphash_key random_siphash_key() {
  std::array<std::uint8_t, sizeof(siphash_key)> bytes{};
  fill_random(bytes);
  return std::bit_cast<siphash_key>(bytes);
}

std::uint64_t siphash(const siphash_key& key, std::span<const std::uint8_t> bytes) noexcept {
  // The paper's constants: "somepseudorandomlygeneratedbytes".
  sip_state state{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d,
                  key.k0 ^ 0x6c7967656e657261, key.k1 ^ 0x7465646279746573};
  for (std::size_t at = 0; at + word_bytes <= bytes.size(); at += word_bytes)
    state.take(word_at(bytes.data() + at));
  state.take(last_word(bytes));
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i)
    state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

} // namespace matchcloud::base

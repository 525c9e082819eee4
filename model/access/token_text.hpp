#pragma once

#include "model/access/token_kind.hpp"

#include <tl/expected.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// A token is `mc_<kind>_`, 43 characters of 0-9, A-Z and a-z (256 random bits), and six more with
/// the CRC-32 of everything before them. A double click selects it, scanners recognise it, and a
/// typing error is found without a lookup.
inline constexpr std::size_t token_secret_length = 43;
inline constexpr std::size_t token_check_length = 6;
inline constexpr std::string_view token_prefix = "mc_";
/// Longer than any token of any kind.
inline constexpr std::size_t token_length_limit = 64;

/// SHA-256 of a token's text, which is stored instead of the text.
using token_digest = std::array<std::uint8_t, 32>;

/// Makes the text of a token from 32 unpredictable bytes.
std::string make_token_text(token_kind kind, const std::array<std::uint8_t, 32>& random);

enum class token_defect : std::uint8_t {
  /// The prefix, length or a character is wrong: it is not one of this service's tokens.
  form,
  /// The last six characters do not match the rest: it was mistyped or cut and joined.
  checksum,
};

/// The kind of a well-formed token. Any thread; no allocation.
tl::expected<token_kind, token_defect> check_token_text(std::string_view text) noexcept;

/// Whether `text` has anything that `redact_tokens` replaces.
bool has_token(std::string_view text) noexcept;

/// `text` with everything after each `mc_<kind>_` replaced by three asterisks, so that a message
/// that repeats what a client sent never repeats a token, whether whole, cut or mistyped.
std::string redact_tokens(std::string text);

} // namespace matchcloud::model

#pragma once

#include <cstddef>
#include <string_view>

namespace matchcloud::model {

/// The longest display name, provider, namespace or version name, or game mode, in code points.
inline constexpr std::size_t catalog_name_limit = 128;
/// The longest region id or tier.
inline constexpr std::size_t catalog_id_limit_bytes = 32;

/// Whether `text` can be a region id or a tier.
bool is_identifier(std::string_view text) noexcept;
/// What `is_identifier` allows, for an error message.
inline constexpr std::string_view identifier_allowed =
    "1 to 32 of a-z, 0-9 and -, no - at either end";

/// Whether `text` can be a name: printable, not blank, not too long. Accepts any bytes.
bool is_name(std::string_view text) noexcept;
/// What `is_name` allows, for an error message.
inline constexpr std::string_view name_allowed =
    "a string of 1 to 128 characters, not blank, without control characters, invisible characters "
    "or line separators";

} // namespace matchcloud::model

#pragma once

#include "model/latency/cell.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::model {

/// The names of kinds, by their numbers from 1.
inline constexpr std::array<std::string_view, 2> cell_kind_names{"network", "place"};
/// Kinds that files of earlier versions have.
inline constexpr std::array<std::string_view, 2> former_kind_names{"asn", "country"};

std::string_view name_of(cell_kind which) noexcept;

/// What a cell groups by, as people read it: `81.2.69.0/24`, `2001:db8::/48`, `51.625,-0.125` (the
/// middle of a place).
std::string to_string(latency_cell cell);

/// Reads such a text and its kind: `network` and `81.2.69.0/24` or any address of the network,
/// `place` and `51.5,-0.12`. Nothing for other texts.
std::optional<latency_cell> parse_latency_cell(std::string_view kind, std::string_view text);

} // namespace matchcloud::model

#pragma once

#include "app/config/rules_file.hpp"
#include "model/json/json_document.hpp"
#include "model/validation/validation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// What a file holds: a request body, or the `config` of a game version alone.
enum class file_kind : std::uint8_t { version, game, group, config };

/// `version`.
std::string_view name_of(file_kind kind) noexcept;

/// A finding and where it is in the file.
struct placed_finding {
  model::finding found;
  model::text_position at;
};

/// Why nothing can be said of a file.
struct unusable_file {
  base::errc code;
  std::string message;
  /// Absent where the whole file is meant.
  std::optional<std::size_t> offset;
  model::text_position at;
};

/// A file and what validation says of it.
struct validated_file {
  /// As people call it; any bytes.
  std::string name;
  file_kind kind = file_kind::version;
  std::string text;
  std::vector<placed_finding> findings;
  std::optional<unusable_file> error;
  /// It says something about regions.
  bool names_regions = false;
};

/// Reads and validates one file, `-` is stdin, as a service with these rules would do with a body
/// of that kind. A `config` alone is taken for that of a version: paths begin in it.
validated_file judge(const std::string& file, model::payload_kind kind, const payload_rules& rules);

/// The same for a text.
validated_file judge_text(std::string name, std::string text, model::payload_kind kind,
                          const payload_rules& rules);

} // namespace matchcloud::app

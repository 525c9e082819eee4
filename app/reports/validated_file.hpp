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

/// The content of a file: a request body, or only the `config` of a game version.
enum class file_kind : std::uint8_t { version, game, group, config };

/// The kind as printed: `version`.
std::string_view name_of(file_kind kind) noexcept;

/// A finding and its position in the file.
struct placed_finding {
  model::finding found;
  model::text_position at;
};

/// Why a file could not be validated.
struct unusable_file {
  base::errc code;
  std::string message;
  /// Absent if the error concerns the whole file.
  std::optional<std::size_t> offset;
  model::text_position at;
};

/// A file and the result of its validation.
struct validated_file {
  /// The name as the user gave it; any bytes.
  std::string name;
  file_kind kind = file_kind::version;
  std::string text;
  std::vector<placed_finding> findings;
  std::optional<unusable_file> error;
};

/// Reads one file (`-` is stdin) and validates it as a service with these rules would validate a
/// body of that kind. A bare `config` is validated as the `config` of a version, and paths begin
/// inside it.
validated_file validate_file(const std::string& file, model::payload_kind kind,
                             const payload_rules& rules);

/// Validates a text like `judge` validates the content of a file.
validated_file validate_text(std::string name, std::string text, model::payload_kind kind,
                             const payload_rules& rules);

} // namespace matchcloud::app

#pragma once

#include "base/expected.hpp"
#include "model/catalog.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// What a payload proposes to create.
enum class payload_kind : std::uint8_t { version, game, group };

enum class unknown_members : std::uint8_t { reject, ignore };

/// A key that configuration accepts in place of a neutral key of the specification, besides the
/// built-in aliases.
struct configured_alias {
  std::string neutral;
  std::string alias;
};

/// What the verdicts depend on besides the payload. Immutable while it is used.
struct validation_rules {
  model::unknown_members unknown_members = model::unknown_members::reject;
  /// Unicode code points.
  std::size_t version_display_name_limit = 128;
  std::size_t game_display_name_limit = 24;
  std::size_t group_display_name_limit = 24;
  /// Findings beyond this are replaced by one `too-many-errors`.
  std::size_t finding_limit = 1'000;
  /// The same, for the findings as `render_findings` writes them.
  std::size_t findings_limit_bytes = 1024 * 1024;
  /// Only the first findings may say "did you mean": guessing costs more than finding.
  std::size_t suggestion_limit = 32;
  /// Objects and arrays within one another.
  std::size_t depth_limit = 64;
  std::vector<configured_alias> further_aliases;
};

/// One thing that is wrong with a payload, and where.
struct finding {
  /// The way to the member, in the client's spelling; array indices as decimal strings.
  std::vector<std::string> path;
  /// Stable kebab-case code of VALIDATION.md.
  std::string code;
  /// What was found, what is allowed and what to write instead.
  std::string message;
  /// Byte offset of the value (a missing member: of its object) in the body.
  std::size_t offset = 0;

  friend bool operator==(const finding&, const finding&) = default;
};

/// Every finding of `body`, in document order. Fails with `body_malformed`, `body_too_deep` or
/// `body_not_object`, the detail naming line, column and byte offset. Deterministic; any thread.
/// O(body), n log n in the members of one object.
base::expected<std::vector<finding>> validate(payload_kind kind, std::string_view body,
                                              const validation_rules& rules);

/// The response `{"errors":[{"path":[..],"code":"..","message":".."}]}`.
std::string render_findings(const std::vector<finding>& findings);

/// Bytes that `found` takes in that response, with the comma after it.
std::size_t rendered_bytes(const finding& found) noexcept;

} // namespace matchcloud::model

#pragma once

#include "base/expected.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/validation_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// One thing that is wrong with a payload, and where.
struct finding {
  /// The way to the member, in the client's spelling; array indices as decimal strings.
  std::vector<std::string> path;
  /// Stable kebab-case code of docs/validation.md.
  std::string_view code;
  /// What was found, what is allowed and what to write instead.
  std::string message;
  /// Byte offset in the body: of the value, of a member's name where that is what is wrong, of the
  /// object where a member is missing.
  std::size_t offset = 0;

  friend bool operator==(const finding&, const finding&) = default;
};

/// Every finding of `body`, in document order. Fails with `body_malformed`, `body_too_deep` or
/// `body_not_object`, the detail naming line, column and byte offset. Deterministic; any thread.
/// O(body), n log n in the members of one object.
base::expected<std::vector<finding>> validate(payload_kind kind, std::string_view body,
                                              const validation_rules& rules,
                                              const reference_names& names);

/// The response `{"errors":[{"path":[..],"code":"..","message":".."}]}`.
std::string render_findings(const std::vector<finding>& findings);

/// Bytes that `found` takes in that response, with the comma after it.
std::size_t rendered_bytes(const finding& found) noexcept;

} // namespace matchcloud::model

#pragma once

#include "base/expected.hpp"
#include "model/validation/schema.hpp"
#include "model/validation/validation_rules.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// A finding in a payload: a violation and where it is.
struct finding {
  /// The path to the member, in the client's spelling; array indices as decimal strings.
  std::vector<std::string> path;
  /// One of `finding_codes`.
  std::string_view code;
  /// What is wrong, what is allowed and what to write instead.
  std::string message;
  /// Byte offset, in the body, of the value; of the member's name if the name is wrong; or of the
  /// object if a member is missing.
  std::size_t offset = 0;

  friend bool operator==(const finding&, const finding&) = default;
};

/// All findings in `body`, in document order. Fails with `body_malformed`, `body_too_deep` or
/// `body_not_object`; the detail names line, column and byte offset. Deterministic; any thread.
/// O(body), n log n in the members of one object.
base::expected<std::vector<finding>> validate(payload_kind kind, std::string_view body,
                                              const validation_rules& rules,
                                              const reference_names& names);

/// The same, but returns nothing if there are more than `most` findings, because composing their
/// messages takes long, and counting them does not.
base::expected<std::optional<std::vector<finding>>>
validate_briefly(payload_kind kind, std::string_view body, const validation_rules& rules,
                 const reference_names& names, std::size_t most);

/// The response `{"errors":[{"path":[..],"code":"..","message":".."}]}`.
std::string render_findings(const std::vector<finding>& findings);

/// The number of bytes of `found` in that response, including the comma after it.
std::size_t rendered_bytes(const finding& found) noexcept;

} // namespace matchcloud::model

#pragma once

#include <string>
#include <string_view>

namespace matchcloud::model {

/// The rule that a value breaks.
struct violation {
  /// The stable kebab-case code of docs/validation.md.
  std::string_view code;
  /// What was found, what is allowed and what to write: sentences that continue the value's name,
  /// such as `is empty. Write 1 to 24 characters.`
  std::string predicate;
};

} // namespace matchcloud::model

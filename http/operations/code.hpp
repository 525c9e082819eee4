#pragma once

#include "http/operations/reference.hpp"

#include <array>
#include <cstddef>

namespace matchcloud::http {

class request_context;

/// The half of an operation that is code; the other half is its row.
struct operation_code {
  using asking = void (*)(const request_context&);

  constexpr operation_code(operation_reference (*its_reference)(), asking its_code)
      : reference{its_reference}, ask{its_code} {}
  constexpr operation_code(operation_references (*its_references)(), asking its_code)
      : references{its_references}, ask{its_code} {}

  /// Its documentation: one entry, or one for each kind that its path stands for.
  operation_reference (*reference)() = nullptr;
  operation_references (*references)() = nullptr;
  /// Its code in the front: reads the request, and then answers it, refuses it or forwards it to an
  /// owner, exactly once.
  asking ask;
};

/// The code of each operation, under its name.
struct codes {
#define MATCHCLOUD_CODE(name) static const operation_code name;
  MATCHCLOUD_OPERATIONS(MATCHCLOUD_CODE)
#undef MATCHCLOUD_CODE
};

/// `which` is not `unmatched`.
inline const operation_code& code_of(operation which) noexcept {
  static constexpr std::array all{
#define MATCHCLOUD_CODE(name) &codes::name,
      MATCHCLOUD_OPERATIONS(MATCHCLOUD_CODE)
#undef MATCHCLOUD_CODE
  };
  return *all[static_cast<std::size_t>(which)];
}

} // namespace matchcloud::http

#pragma once

#include "http/operations/reference.hpp"

namespace matchcloud::http {

class request_context;

/// The half of an operation that is code; the other half is its row.
struct operation_code {
  /// Its documentation: one entry, or one for each kind that its path stands for.
  operation_references (*references)();
  /// Its code in the front: reads the request, and then answers it, refuses it or forwards it to an
  /// owner, exactly once.
  void (*ask)(const request_context&);
};

/// The code of each operation, under its name.
struct codes {
#define MATCHCLOUD_CODE(name) static const operation_code name;
  MATCHCLOUD_OPERATIONS(MATCHCLOUD_CODE)
#undef MATCHCLOUD_CODE
};

/// `which` is not `unmatched`.
const operation_code& code_of(operation which) noexcept;

} // namespace matchcloud::http

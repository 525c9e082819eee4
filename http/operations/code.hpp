#pragma once

#include "http/operations/reference.hpp"

namespace matchcloud::http {

class request_context;

/// The half of an operation that is code; the other half is its row.
struct operation_code {
  /// How it is documented: once, or once for each kind of what its path stands for.
  operation_references (*references)();
  /// Its way through the front: reads the request, and then once answers it, refuses it or sends it
  /// on to an owner.
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

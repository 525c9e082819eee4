#pragma once

#include "http/operations/list.hpp"
#include "model/validation/validation_rules.hpp"

#include <string>

namespace matchcloud::http {

/// What a document depends on besides the tables.
struct openapi_settings {
  /// The limits and the edition that payloads are validated by.
  model::validation_rules rules;
  /// The prefix of the data plane's paths: empty, or `/x` without a slash at the end.
  std::string base_path;
};

/// The OpenAPI 3.1 document of a plane: JSON in one line, without a newline at its end. It is made
/// from the table of operations, `references_of`, the tables of validation and of errors. HEAD
/// and OPTIONS are left out: they follow from the rest (RFC 9110). Responses that are problems
/// list their codes in `x-codes`; the document lists those of requests that reach no operation.
/// Deterministic; milliseconds. Any thread.
std::string openapi(plane of, const openapi_settings& settings);

} // namespace matchcloud::http

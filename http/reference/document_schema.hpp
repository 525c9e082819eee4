#pragma once

#include <string>
#include <string_view>

namespace matchcloud::http {

/// A JSON Schema as it appears in the OpenAPI documents: without white space, and with a `format`
/// for each integer. The format is `int32` if the integer's bounds fit 32 bits, `uint64` if its
/// maximum needs an unsigned integer, and `int64` otherwise. Conditions (`allOf`, `anyOf`, `not`)
/// on members declared elsewhere get none.
std::string document_schema(std::string_view schema);

} // namespace matchcloud::http

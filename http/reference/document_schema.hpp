#pragma once

#include <span>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// A JSON Schema as the OpenAPI documents have it: without white space, and with a `format` at each
/// integer. It is `int32` where the bounds of the integer fit 32 bits, `uint64` where its maximum
/// needs an unsigned one, and `int64` otherwise. Conditions (`allOf`, `anyOf`, `not`) on what is
/// declared elsewhere get none. Where `words` are given, they are the values that the schema
/// allows.
std::string document_schema(std::string_view schema, std::span<const std::string_view> words = {});

} // namespace matchcloud::http

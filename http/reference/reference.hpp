#pragma once

#include "base/metrics.hpp"
#include "http/operations/reference.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// The operations of a plane, in the order of the list.
const operation_references& references_of(plane of);

/// The groups of a plane's operations.
std::span<const tag_reference> tags_of(plane of) noexcept;

/// The schema of that name, except schemas of validated payloads; null: there is none.
const named_schema* find_schema(std::string_view name);

const path_parameter_reference& path_parameter(std::string_view name) noexcept;

std::span<const header_reference> answer_headers() noexcept;

/// Every error that an operation may return: those that follow from its row, and its own.
/// In the order of `base::errc`, each once.
std::vector<base::errc> errors_of(const operation_reference& what);

/// The errors of requests that reach no operation.
std::vector<base::errc> errors_without_operation();

/// Every error of a plane: those of its operations, and of requests that reach none. In the order
/// of `base::errc`, each once.
std::vector<base::errc> errors_of(plane of);

/// Shows each status from 500 on that an operation may return, as 0, in the metric `text`, which
/// counts by `operation` and `status`: Prometheus sees the first failure as a rise only if it saw a
/// 0 before. 501 and 505 are left out, because only requests that reach no operation get them.
void show_failures(base::metric_set& in, const base::metric_text& text);

/// The names of the headers that a refusal with this status may have, separated by spaces.
std::string_view refusal_headers(int status) noexcept;

/// A JSON Schema as it appears in the OpenAPI documents: without white space, and with a `format`
/// for each integer. The format is `int32` if the integer's bounds fit 32 bits, `uint64` if its
/// maximum needs an unsigned integer, and `int64` otherwise. Conditions (`allOf`, `anyOf`, `not`)
/// on members declared elsewhere get none.
std::string document_schema(std::string_view schema);

} // namespace matchcloud::http

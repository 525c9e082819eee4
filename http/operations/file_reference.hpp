#pragma once

#include "http/operations/reference.hpp"

#include <string_view>

namespace matchcloud::http {

/// The reference of an operation that returns an image or an export, whole or in part.
operation_reference file_reference(const operation_row& row, std::string_view tag,
                                   std::string_view summary);

} // namespace matchcloud::http

#pragma once

#include "http/reference/operation_reference.hpp"

#include <span>
#include <string_view>
#include <vector>

/// The parts of the reference that a plane has of its own, and what both share.
namespace matchcloud::http {

const std::vector<operation_reference>& data_references();
std::span<const tag_reference> data_tags() noexcept;
std::span<const named_schema> data_schemas() noexcept;

const std::vector<operation_reference>& ops_references();
std::span<const tag_reference> ops_tags() noexcept;
std::span<const named_schema> ops_schemas() noexcept;

/// The operation that answers the document of the plane `about`.
operation_reference openapi_reference(operation id, plane about);

inline constexpr named_schema coordinates_schema{"Coordinates",
                                                 R"({"type":"object","additionalProperties":false,
"required":["latitude","longitude"],"properties":{
"latitude":{"type":"number","minimum":-90,"maximum":90},
"longitude":{"type":"number","minimum":-180,"maximum":180}}})"};

} // namespace matchcloud::http

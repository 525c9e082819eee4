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

// -- what both planes have ------------------------------------------------------

/// The operation that answers the document of the plane `about`.
operation_reference openapi_reference(operation id, plane about);

/// An operation that answers a file, an image or an export, whole or in part.
operation_reference download_reference(operation id, std::string_view tag,
                                       std::string_view summary);

inline constexpr parameter_reference if_none_match_reference{
    "header", "If-None-Match", R"({"type":"string"})",
    "Entity tags that the client has. Where one names the answer, it is 304.", R"("\"0\"")"};
inline constexpr parameter_reference if_match_reference{
    "header", "If-Match", R"({"type":"string"})",
    "Entity tags, or `*`. Where none names the answer strongly, the answer is 412.", R"("*")"};
inline constexpr parameter_reference accept_encoding_reference{
    "header", "Accept-Encoding", R"({"type":"string"})",
    "With `gzip` in it the answer may be compressed.", R"("identity")"};

inline constexpr named_schema coordinates_schema{
    "Coordinates", R"({"type":"object","additionalProperties":false,"required":[)"
                   R"("latitude","longitude"],"properties":{"latitude":{"type":"number",)"
                   R"("minimum":-90,"maximum":90},"longitude":{"type":"number",)"
                   R"("minimum":-180,"maximum":180}}})"};

} // namespace matchcloud::http

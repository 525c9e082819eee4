#pragma once

#include "http/operations/operation.hpp"

/// The history of the process, what needs attention, and the requests that it kept.
namespace matchcloud::http::rows {

inline constexpr operation_row get_history{
    .plane = plane::ops, .path = "/v1/history", .allowed = observers};

inline constexpr operation_row get_attention{
    .plane = plane::ops, .path = "/v1/attention", .allowed = observers};

inline constexpr operation_row list_replicas{
    .plane = plane::ops, .path = "/v1/replicas", .allowed = observers};

inline constexpr operation_row list_traces{
    .plane = plane::ops, .path = "/v1/traces", .allowed = observers};

} // namespace matchcloud::http::rows

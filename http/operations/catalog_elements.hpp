#pragma once

#include "http/operations/operation.hpp"

#include <string_view>

/// Administration of the catalog.
namespace matchcloud::http {

/// Whether `text` is the plural of a kind of elements, as paths write it.
bool is_element_kind(std::string_view text) noexcept;

} // namespace matchcloud::http

namespace matchcloud::http::rows {

inline constexpr operation_row list_elements{.plane = plane::ops,
                                             .path = "/v1/{kind}",
                                             .names_something = is_element_kind,
                                             .allowed = observers};

inline constexpr operation_row get_element{.plane = plane::ops,
                                           .path = "/v1/{kind}/{id}",
                                           .names_something = is_element_kind,
                                           .allowed = observers};

inline constexpr operation_row put_element{.plane = plane::ops,
                                           .method = method::put,
                                           .path = "/v1/{kind}/{id}",
                                           .names_something = is_element_kind,
                                           .body = body_kind::json,
                                           .body_limit_bytes = 64UL * 1024,
                                           .body_advice =
                                               "Send each element in a request of its own.",
                                           .allowed = administrators,
                                           .is_repeatable = false};

inline constexpr operation_row remove_element{.plane = plane::ops,
                                              .method = method::del,
                                              .path = "/v1/{kind}/{id}",
                                              .names_something = is_element_kind,
                                              .allowed = administrators,
                                              .is_repeatable = false};

} // namespace matchcloud::http::rows

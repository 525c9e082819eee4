#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "http/takeover/predecessor.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// Listens and offers as configured, by the name of what each listener is for.
http::handed_listener::purpose purpose_of(const data_listener& listener) noexcept;

/// The process that serves one of the configured listeners from the same data directory, with
/// exactly those that are configured. Nothing where there is none. Fails with `address_unavailable`
/// where it cannot be taken over, naming what differs.
base::expected<std::optional<http::predecessor>> find_predecessor(const serve_config& config);

/// Moves the sockets of one listener out of `from`; none where it does not have it.
std::vector<base::file_descriptor> take_sockets(std::vector<http::handed_listener>& from,
                                                http::handed_listener::purpose serves,
                                                const http::endpoint& where);

/// Has them listen with this backlog, and adds duplicates until there are `least`. Fails with
/// `io_failed`.
base::expected<void> spread(std::vector<base::file_descriptor>& sockets, std::size_t least,
                            int backlog);

} // namespace matchcloud::app

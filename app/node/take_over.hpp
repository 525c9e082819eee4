#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "http/takeover/predecessor.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// Finds the process that serves one of the configured listeners from the same data directory.
/// Empty if there is none. Fails with `address_unavailable`, naming the differences, if its
/// listeners are not exactly the configured ones.
base::expected<std::optional<http::predecessor>> find_predecessor(const serve_config& config);

/// Moves the sockets of one listener out of `from`; empty if `from` does not have it. `wanted`
/// needs none.
std::vector<base::file_descriptor> take_sockets(std::vector<http::handed_listener>& from,
                                                const http::handed_listener& wanted);

/// Sets the backlog of the listening sockets and adds duplicates until there are `least`. Fails
/// with `io_failed`.
base::expected<void> spread(std::vector<base::file_descriptor>& sockets, std::size_t least,
                            int backlog);

} // namespace matchcloud::app

#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "load/client.hpp"
#include "model/net/http_url.hpp"

#include <chrono>
#include <cstddef>
#include <vector>

namespace matchcloud::load {

/// The time between checks for a signal.
inline constexpr std::chrono::milliseconds look_often{20};

/// The first address of the server that accepts a connection. Fails with `io_failed` if none does
/// within `timeout`, or if a signal arrives. Main thread.
base::expected<network_address> resolve(const model::http_url& url,
                                        std::chrono::milliseconds timeout,
                                        const cli::interrupt& signals);

/// The first `count` addresses of 127.1.0.1, 127.1.0.2, .. 127.1.0.250, 127.1.1.1, ..
std::vector<network_address> source_addresses(std::size_t count);

bool is_ipv4_loopback(const network_address& address);

} // namespace matchcloud::load

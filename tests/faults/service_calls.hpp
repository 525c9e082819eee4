#pragma once

#include "tests/service/server.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// Requests of the tests that break the service, each on its own connection. They throw
/// `std::runtime_error` if no complete answer comes. Any thread.
namespace matchcloud::faults {

e2e::answer get(const e2e::address& from, const std::string& target, bool gzip = false);
/// The decompressed body of a gzip answer; throws if the body is not exactly one gzip stream.
std::string unpacked(const e2e::answer& got);

/// Requests the history of a game up to `end`, in milliseconds since 1970.
e2e::answer ask_export(const e2e::address& of, std::string_view game_id,
                       std::uint64_t end = UINT64_MAX);
/// Path and query of the download URL in an answer to `ask_export`; empty if there is none.
std::string download_target(const e2e::answer& exported);

/// Sends a request to the ops plane. A `body` is sent with Content-Length and no Content-Type.
e2e::answer ask_ops(const e2e::address& ops, const std::string& method, const std::string& target,
                    const std::string& body = {});
e2e::answer ingest(const e2e::address& ops, const std::string& lines);
/// The id of an upload that no demo has.
std::string upload_id(std::uint64_t number);
/// Renames a region with PUT.
e2e::answer put_region(const e2e::address& ops, const std::string& region_id,
                       const std::string& name);
/// The region's name according to the ops plane; empty if it has none.
std::string region_name(const e2e::address& ops, const std::string& region_id);

} // namespace matchcloud::faults

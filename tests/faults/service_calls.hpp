#pragma once

#include "tests/e2e/server.hpp"

#include <string>
#include <string_view>

/// Requests of the tests that break the service, each on a connection of its own. Like that they
/// throw `std::runtime_error` where no whole answer comes. Any thread.
namespace matchcloud::faults {

e2e::answer get(const e2e::address& from, const std::string& target, bool gzip = false);
/// `gzip` unpacked; throws where that is not one whole stream.
std::string unpacked(const e2e::answer& got);

/// Asks for the history of a game up to `end`, in milliseconds since 1970.
e2e::answer ask_export(const e2e::address& of, std::string_view game_id,
                       std::uint64_t end = UINT64_MAX);
/// The path and query of the URL that `ask_export` was answered with; empty where there is none.
std::string download_target(const e2e::answer& exported);

/// On the ops plane; a `body` has its length and the type that the operation takes.
e2e::answer ask_ops(const e2e::address& ops, const std::string& method, const std::string& target,
                    const std::string& body = {});
e2e::answer ingest(const e2e::address& ops, const std::string& lines);
/// PUT of a region of that name.
e2e::answer put_region(const e2e::address& ops, const std::string& region_id,
                       const std::string& name);
/// The name that the ops plane gives the region; empty where there is none.
std::string region_name(const e2e::address& ops, const std::string& region_id);

} // namespace matchcloud::faults

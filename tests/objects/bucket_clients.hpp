#pragma once

#include "tests/catch.hpp"
#include "tests/service/server.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::e2e {

/// The flags of a server, of each delivery in turn. Call it once per test case.
inline arguments each_delivery() {
  const std::string delivery = GENERATE("redirect", "through");
  UNSCOPED_INFO(delivery);
  return {"--objects-delivery", delivery};
}

/// The parts of a URL that leads out of the service.
struct location {
  explicit location(const std::string& url);

  address to;
  /// As it stands in the URL, which signatures are for.
  std::string authority;
  std::string target;
};

/// Sends a request to the server that a URL leads to.
answer ask_url(const std::string& url, std::string_view method = "GET",
               std::string_view headers = {});

answer ask(const server& at, std::string_view method, const std::string& target,
           std::string_view headers = {});
/// What a client gets that follows a redirect, with the same headers.
answer download(const server& from, const std::string& target, std::string_view method = "GET",
                std::string_view headers = {});
/// The body of an answer as far as it comes before the connection ends, whatever its length should
/// be.
std::string received_body(const server& from, const std::string& target,
                          std::string_view headers = {});

inline const std::string export_path =
    "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history";
/// A span with all lobbies that tests have, and with an end before which each has ended or ends
/// at that.
inline const std::string all_lobbies = R"({"query_start":0,"query_end":1769904000000})";

answer ask_for_export(const server& of, const std::string& body = all_lobbies);
/// The path and query of the URL of an export, which leads to the service.
std::string exported(const server& of, const std::string& body = all_lobbies);
/// The path of an export's URL, which tells exports apart.
std::string path_of(const std::string& target);
/// The CSV of all lobbies, by the command `export`.
std::string csv_of(const world& in);
/// That of `large_world`.
const std::string& large_csv();

/// The paths of the demo's images, from the list of its avatars; their URLs begin with `base`.
std::vector<std::string> image_targets(const server& of, const std::string& base = {});

} // namespace matchcloud::e2e

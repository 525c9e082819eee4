#include "http/front/routes.hpp"

#include "tests/catch.hpp"

namespace matchcloud::http {
namespace {

constexpr std::string_view versions = "/cloud/games/G/versions/validate";

base::errc why_not(std::string_view path, std::string_view base_path = "") {
  const auto found = find_route(path, base_path);
  REQUIRE(!found.has_value());
  return found.error().code;
}

TEST_CASE("every operation has its path and method") {
  struct expectation {
    std::string_view path;
    operation what;
    method how;
    std::string_view parameter;
  };
  const expectation table[] = {
      {"/matchmaker/regions", operation::list_regions, method::get, ""},
      {"/matchmaker/regions/group", operation::rank_group, method::post, ""},
      {"/cloud/groups/validate", operation::validate_group, method::post, ""},
      {"/cloud/games/validate", operation::validate_game, method::post, ""},
      {versions, operation::validate_version, method::post, "G"},
      {"/cloud/games/G/avatars", operation::list_avatars, method::get, "G"},
      {"/cloud/games/G/matchmaker/lobbies/export-history", operation::export_lobby_history,
       method::post, "G"},
      {"/exports/E/lobby-history.csv", operation::download_export, method::get, "E"}};
  for (const auto& row : table) {
    CAPTURE(row.path);
    const auto found = find_route(row.path, "");
    REQUIRE(found);
    CHECK(found->row->id == row.what);
    CHECK(found->row->method == row.how);
    CHECK(found->parameters[0] == row.parameter);
  }
}

TEST_CASE("an image's path has an upload and a file name, each one segment") {
  const auto found = find_route("/media/avatars/U/F.png", "").value();
  CHECK(found.row->id == operation::download_media);
  CHECK(found.parameters[0] == "U");
  CHECK(found.parameters[1] == "F.png");
  CHECK(find_route("/media/avatars/U/..%2f..%2fetc", "").value().parameters[1] == "../../etc");
  CHECK(why_not("/media/avatars/U/../etc") == base::errc::route_not_found);
  CHECK(why_not("/media/avatars/U/") == base::errc::route_not_found);
  CHECK(why_not("/media/avatars//F.png") == base::errc::route_not_found);
  CHECK(why_not("/media/avatars/U") == base::errc::route_not_found);
}

TEST_CASE("a route allows its method, OPTIONS, and HEAD where it is GET") {
  const auto& get = row_of(operation::list_regions);
  CHECK(allow_of(get) == "GET, HEAD, OPTIONS");
  for (const auto allowed : {method::get, method::head, method::options})
    CHECK(allows(get, allowed));
  for (const auto refused : {method::post, method::put, method::patch, method::del, method::other})
    CHECK(!allows(get, refused));

  const auto& post = row_of(operation::validate_game);
  CHECK(allow_of(post) == "POST, OPTIONS");
  for (const auto allowed : {method::post, method::options})
    CHECK(allows(post, allowed));
  for (const auto refused : {method::get, method::head, method::put, method::other})
    CHECK(!allows(post, refused));
}

TEST_CASE("only the whole path is a route, in its own case") {
  for (const std::string_view path :
       {"", "/", "//", "matchmaker/regions", "/matchmaker", "/matchmaker/regions/",
        "/matchmaker//regions", "//matchmaker/regions", "/matchmaker/regions/x",
        "/Matchmaker/regions", "/matchmaker/REGIONS", "/cloud/games//versions/validate",
        "/cloud/games/G/avatars/", "/cloud/games/G/H/avatars", "/./matchmaker/regions",
        "/x/../matchmaker/regions", "/cloud/games/G/matchmaker/lobbies/export-history/x",
        "/a/b/c/d/e/f/g/h/i/j", "/matchmaker/regions;x"}) {
    CAPTURE(path);
    CHECK(why_not(path) == base::errc::route_not_found);
  }
}

TEST_CASE("a segment is decoded once, after the split") {
  CHECK(find_route("/m%61tchmaker/re%67ions", "").value().row->id == operation::list_regions);
  CHECK(find_route("/cloud/games/a%2Fb/avatars", "").value().parameters[0] == "a/b");
  CHECK(find_route("/cloud/games/a%2fb/avatars", "").value().parameters[0] == "a/b");
  CHECK(find_route("/cloud/games/%2525/avatars", "").value().parameters[0] == "%25");
  CHECK(find_route("/cloud/games/%C3%A9/avatars", "").value().parameters[0] == "\xC3\xA9");
  CHECK(find_route("/cloud/games/a%20b/avatars", "").value().parameters[0] == "a b");
  CHECK(why_not("/matchmaker%2Fregions") == base::errc::route_not_found);
  CHECK(why_not("/m%2561tchmaker/regions") == base::errc::route_not_found);
}

TEST_CASE("a bad escape is refused, also where there is no route") {
  for (const std::string_view segment : {"%", "%4", "%4G", "%G4", "%%41", "%-1", "%+1", "%0x",
                                         "% 1", "%00", "%0d", "%0A", "%1f", "%7F", "%09"}) {
    CAPTURE(segment);
    CHECK(why_not("/cloud/games/" + std::string{segment} + "/avatars") ==
          base::errc::target_malformed);
    CHECK(why_not("/" + std::string{segment}) == base::errc::target_malformed);
    CHECK(!percent_decode(segment));
  }
  CHECK(percent_decode("").value().empty());
  CHECK(percent_decode("%20%7e%ff").value() == " ~\xff");
}

TEST_CASE("routes live below the base path and nowhere else") {
  CHECK(find_route("/api/v1/matchmaker/regions", "/api/v1"));
  CHECK(why_not("/matchmaker/regions", "/api/v1") == base::errc::route_not_found);
  CHECK(why_not("/api/v1", "/api/v1") == base::errc::route_not_found);
  CHECK(why_not("/api/v1matchmaker/regions", "/api/v1") == base::errc::route_not_found);
  CHECK(why_not("/api/v1x/matchmaker/regions", "/api/v1") == base::errc::route_not_found);
  CHECK(why_not("/API/v1/matchmaker/regions", "/api/v1") == base::errc::route_not_found);
  CHECK(why_not("/api/v1/api/v1/matchmaker/regions", "/api/v1") == base::errc::route_not_found);
}

TEST_CASE("a long unknown path is quoted in part only") {
  const auto found = find_route("/" + std::string(5'000, 'x'), "");
  REQUIRE(!found.has_value());
  CHECK(found.error().detail.size() < 400);
}

} // namespace
} // namespace matchcloud::http

#include "tests/objects/bucket_world.hpp"

#include "store/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/lobby_lines.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace matchcloud::e2e {

environment told_of(const s3_bucket& bucket) {
  const auto& place = bucket.settings.location;
  return {"MATCHCLOUD_OBJECTS=s3://" + place.bucket + "/" + place.prefix,
          "MATCHCLOUD_OBJECTS_ENDPOINT=" + bucket.settings.endpoint,
          "MATCHCLOUD_OBJECTS_PATH_STYLE=true"};
}

const world& large_world() {
  static const world made;
  static const bool is_filled = [] {
    const auto file = made.directory().file("lobbies.jsonl", lobby_lines(60'000));
    const auto done = run({"import", "lobbies", "--data-dir", made.data_dir(), file});
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
    return true;
  }();
  REQUIRE(is_filled);
  return made;
}

std::vector<std::string> names_in(const s3_bucket& bucket) {
  std::vector<std::string> names;
  const auto done =
      bucket.open()->list({}, [&](const store::object_name& name, const store::object_facts&) {
        names.push_back(name.text());
        return true;
      });
  REQUIRE(done.has_value());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_below(const s3_bucket& bucket, std::string_view folder) {
  auto names = names_in(bucket);
  std::erase_if(names, [&](const auto& each) { return !each.starts_with(folder); });
  return names;
}

bool has_no_exports(const s3_bucket& bucket) {
  return names_below(bucket, "exports/").empty() && bucket.unfinished() == 0;
}

std::vector<store::export_record> records_in(const world& in) {
  const auto database = store::open_sqlite(in.data_dir());
  REQUIRE(database.has_value());
  std::vector<store::export_record> records;
  const auto read = (*database)->exports().and_then([&](const auto& from) {
    return from->read_exports([&](const store::export_record& each) {
      records.push_back(each);
      return true;
    });
  });
  REQUIRE(read.has_value());
  return records;
}

bool has_files(const world& in, const std::string& folder) {
  const auto path = in.data_dir() + "/" + folder;
  return std::filesystem::exists(path) && !std::filesystem::is_empty(path);
}

location::location(const std::string& url) {
  const std::string scheme = "http://";
  REQUIRE(url.starts_with(scheme));
  const auto slash = url.find('/', scheme.size());
  REQUIRE(slash != url.npos);
  authority = url.substr(scheme.size(), slash - scheme.size());
  target = url.substr(slash);
  const auto colon = authority.rfind(':');
  const auto host = authority.substr(0, colon);
  to = {host == "localhost" ? "127.0.0.1" : host,
        static_cast<std::uint16_t>(std::stoi(authority.substr(colon + 1)))};
}

answer ask_url(const std::string& url, std::string_view method, std::string_view headers) {
  const location where{url};
  raw_connection client{where.to};
  std::string text{method};
  text.append(" ").append(where.target).append(" HTTP/1.1\r\nHost: ").append(where.authority);
  return client.ask(text.append("\r\n").append(headers).append("\r\n"));
}

answer ask(const server& at, std::string_view method, const std::string& target,
           std::string_view headers) {
  raw_connection client{at.data()};
  return client.ask(request(method, target, {}, headers));
}

answer download(const server& from, const std::string& target, std::string_view method,
                std::string_view headers) {
  const auto got = ask(from, method, target, headers);
  return got.status == 307 ? ask_url(got.header("location"), method, headers) : got;
}

std::string received_body(const server& from, const std::string& target, std::string_view headers) {
  raw_connection client{from.data()};
  client.send(request("GET", target, {}, std::string{headers} + "Connection: close\r\n"));
  std::string all;
  const deadline until;
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    REQUIRE(wait_for(client.descriptor(), POLLIN, until));
    const auto got = ::recv(client.descriptor(), buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const auto head = all.find("\r\n\r\n");
  return head == all.npos ? std::string{} : all.substr(head + 4);
}

answer ask_for_export(const server& of, const std::string& body) {
  raw_connection client{of.data()};
  return client.ask(request("POST", export_path, body));
}

std::string exported(const server& of, const std::string& body) {
  const auto made = ask_for_export(of, body);
  INFO(made.body << of.process().errors());
  REQUIRE(made.status == 200);
  const auto url = text_at(parse_json(made.body), "url");
  const auto origin = "http://" + of.data().authority();
  REQUIRE(url.starts_with(origin + "/exports/"));
  return url.substr(origin.size());
}

std::string path_of(const std::string& target) {
  return target.substr(0, target.find('?'));
}

std::string csv_of(const world& in) {
  const auto file = in.directory().path("all.csv");
  const auto done = run({"export", "--data-dir", in.data_dir(), "--game", std::string{demo_game},
                         "--start", "0", "--end", "1769904000000", "-o", file});
  INFO(done.errors);
  REQUIRE(done.exit_code == 0);
  return fixtures::read_whole(file);
}

const std::string& large_csv() {
  static const auto csv = csv_of(large_world());
  return csv;
}

std::vector<std::string> image_targets(const server& of, const std::string& base) {
  const auto origin = base.empty() ? "http://" + of.data().authority() : base;
  const auto listed = ask(of, "GET", "/cloud/games/" + std::string{demo_game} + "/avatars");
  const auto document = parse_json(listed.body);
  REQUIRE(document.IsObject());
  std::vector<std::string> targets;
  for (const auto& each : document["custom_avatars"].GetArray()) {
    const auto url = text_at(each, "url");
    if (url.empty()) continue;
    REQUIRE(url.starts_with(origin + "/media/"));
    targets.push_back(url.substr(origin.size()));
  }
  return targets;
}

} // namespace matchcloud::e2e

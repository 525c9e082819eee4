#include "tests/e2e/files/user_service.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/not_tested.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace matchcloud::e2e {

namespace {

namespace fs = std::filesystem;

address address_in(const std::string& line) {
  const auto colon = line.rfind(':');
  return {"127.0.0.1", static_cast<std::uint16_t>(std::stoi(line.substr(colon + 1)))};
}

arguments serve_words(const std::string& data_dir) {
  return {"serve",       "--data-dir",   data_dir,     "--listen",
          "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"};
}

void add_commands(const arguments& path, std::vector<std::string>& to) {
  auto asked = path;
  asked.emplace_back("--help");
  std::istringstream lines{run(asked).out};
  bool in_list = false;
  bool has_any = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) in_list = false;
    if (line.starts_with("Subcommands:")) in_list = true;
    if (!in_list || !line.starts_with("  ") || line[2] == ' ') continue;
    auto below = path;
    below.push_back(line.substr(2, line.find(' ', 2) - 2));
    add_commands(below, to);
    has_any = true;
  }
  if (has_any || path.empty()) return;
  std::string name;
  for (const auto& word : path)
    name += (name.empty() ? "" : " ") + word;
  to.push_back(name);
}

command_result run_as(const arguments& words) {
  const user_command as{words};
  return run(as.args, {}, {}, as.program);
}

} // namespace

user_command::user_command(const arguments& words) {
  const auto number = std::to_string(service_user);
  args = {
      "--reuid=" + number,        "--regid=" + number, "--clear-groups", "--pdeathsig=KILL", "--",
      fixtures::service_program()};
  args.insert(args.end(), words.begin(), words.end());
}

bool can_be_service_user() {
  if (::geteuid() != 0) {
    fixtures::not_tested("only root can run the program as several users");
    return false;
  }
  if (run_as({"--version"}).exit_code == 0) return true;
  fixtures::not_tested("other users cannot run " + fixtures::service_program());
  return false;
}

users_directory::users_directory() : data_dir_{folder_.path("data")} {
  REQUIRE(::chmod(folder_.path().c_str(), 0755) == 0);
  REQUIRE(::mkdir(data_dir_.c_str(), 0750) == 0);
  REQUIRE(::chown(data_dir_.c_str(), service_user, service_user) == 0);
}

std::string users_directory::foreign() const {
  std::string found;
  const auto look = [&](const std::string& path) {
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0) return;
    if (facts.st_uid != service_user || facts.st_gid != service_user) found += path + "\n";
  };
  look(data_dir_);
  for (const auto& entry : fs::recursive_directory_iterator{data_dir_})
    look(entry.path());
  return found;
}

command_result users_directory::run_as_user(const arguments& args) const {
  return run_as(args);
}

directory_service::directory_service(const std::string& data_dir, const environment& added)
    : process_{serve_words(data_dir), added} {
  wait_until_ready();
}

directory_service::directory_service(const users_directory& on)
    : process_{user_command{serve_words(on.data_dir())}.args, {}, {}, user_command{{}}.program} {
  wait_until_ready();
}

void directory_service::wait_until_ready() {
  while (const auto line = process_.next_line()) {
    if (line->starts_with("listening on ")) data_ = address_in(*line);
    if (!line->starts_with("ops plane on ")) continue;
    ops_ = address_in(*line);
    return;
  }
  FAIL("no service: " << process_.errors());
}

answer directory_service::ask(const std::string& method, const std::string& target,
                              const std::string& body) const {
  return raw_connection{data_}.ask(request(method, target, body));
}

answer directory_service::ask_ops(const std::string& target) const {
  return raw_connection{ops_}.ask(request("GET", target));
}

std::string directory_service::export_all() const {
  const auto got =
      ask("POST", "/cloud/games/" + std::string{demo_game} + "/matchmaker/lobbies/export-history",
          R"({"query_start":0,"query_end":18446744073709551615})");
  INFO(got.body << process_.errors());
  REQUIRE(got.status == 200);
  const auto url = text_at(parse_json(got.body), "url");
  return url.substr(url.find("/exports/"));
}

void directory_service::check_exports() const {
  const auto got = ask("GET", export_all());
  CHECK(got.status == 200);
  CHECK(got.header("content-length") == std::to_string(got.body.size()));
  CHECK(std::count(got.body.begin(), got.body.end(), '\n') == 10'001);
}

std::string image_target(const directory_service& service) {
  const auto list = service.ask("GET", "/cloud/games/" + std::string{demo_game} + "/avatars").body;
  const auto at = list.find("/media/");
  INFO(list);
  REQUIRE(at != std::string::npos);
  return list.substr(at, list.find('"', at) - at);
}

std::vector<std::string> all_commands() {
  std::vector<std::string> found;
  add_commands({}, found);
  return found;
}

} // namespace matchcloud::e2e

#include "tests/service/served_store.hpp"

#include "tests/fixtures/servers/postgres_server.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>

namespace matchcloud::e2e {

namespace {

/// In a data directory: the environment of the processes that use it, a line each.
constexpr auto environment_file = "/test-environment";

} // namespace

bool tests_on_postgres() {
  const char* said = std::getenv("MATCHCLOUD_TEST_POSTGRES"); // NOLINT(concurrency-mt-unsafe)
  return said != nullptr && std::string{said} == "1";
}

store_url usual_store() {
  if (!tests_on_postgres()) return {};
  if (!fixtures::postgres_installed()) throw std::runtime_error{"PostgreSQL is not installed"};
  return {fixtures::shared_postgres().new_database()};
}

void remove_usual_store(const store_url& store) {
  if (store.text.empty()) return;
  fixtures::shared_postgres().drop_database(store.text);
}

environment serve_store(const std::string& data_dir, const store_url& store) {
  const auto key = data_dir + "/test-master-key";
  std::ofstream{key} << std::string(64, 'a') << '\n';
  ::chmod(key.c_str(), 0600);
  environment lines{"MATCHCLOUD_STORE=" + store.text, "MATCHCLOUD_MASTER_KEY_FILE=" + key};
  tell_processes(data_dir, lines);
  return lines;
}

void tell_processes(const std::string& data_dir, const environment& lines) {
  std::ofstream out{data_dir + environment_file, std::ios::app};
  for (const auto& line : lines)
    out << line << '\n';
}

environment store_environment(const arguments& args) {
  const auto flag = std::find(args.begin(), args.end(), "--data-dir");
  if (flag == args.end() || flag + 1 == args.end()) return {};
  environment lines;
  std::ifstream in{*(flag + 1) + environment_file};
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

} // namespace matchcloud::e2e

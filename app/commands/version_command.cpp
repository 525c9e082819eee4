#include "app/commands/commands.hpp"
#include "base/build_info.hpp"
#include "model/json/json_writer.hpp"

#include <caf/config.hpp>
#include <httplib.h>
#include <rapidjson/rapidjson.h>
#include <sqlite3.h>

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

namespace {

std::string version_line() {
  return "matchcloud " + describe(base::built());
}

void print_json() {
  const auto& built = base::built();
  model::json_writer json;
  json.object().name("matchcloud").text(built.version).name("commit").text(built.commit);
  json.name("build_type").text(built.build_type).name("caf").number(CAF_VERSION);
  json.name("cpp_httplib").text(CPPHTTPLIB_VERSION);
  json.name("rapidjson").text(RAPIDJSON_VERSION_STRING);
  json.name("sqlite").text(sqlite3_libversion());
  std::cout << json.end_object().take() << std::endl;
}

} // namespace

void add_version_command(CLI::App& program, int&) {
  program.set_version_flag("-V,--version", version_line, "Print the version and exit.");
  auto* command = program.add_subcommand("version", "Print the version.");
  set_help(*command, "Prints the versions of matchcloud and of the libraries that it is built "
                     "on.\n\nExample: matchcloud version --json");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON object.");
  command->callback([json] {
    if (*json) return print_json();
    std::cout << version_line() << "\nCAF " << CAF_VERSION << ", cpp-httplib " << CPPHTTPLIB_VERSION
              << ", RapidJSON " << RAPIDJSON_VERSION_STRING << ", SQLite " << sqlite3_libversion()
              << std::endl;
  });
}

} // namespace matchcloud::app

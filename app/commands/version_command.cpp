#include "app/commands/commands.hpp"

#include <caf/config.hpp>
#include <httplib.h>
#include <rapidjson/rapidjson.h>
#include <sqlite3.h>

#include <iostream>
#include <memory>
#include <string>

namespace matchcloud::app {

void add_version_command(CLI::App& program, int&) {
  auto* command = program.add_subcommand("version", "Print the version.");
  set_help(*command, "Prints the version of matchcloud and of what it is built on.\n\nExample: "
                     "matchcloud version --json");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As one JSON object.");
  command->callback([json] {
    if (*json)
      std::cout << R"({"matchcloud":")" MATCHCLOUD_VERSION R"(","caf":)" << CAF_VERSION
                << R"(,"cpp_httplib":")" CPPHTTPLIB_VERSION R"(","rapidjson":")"
                << RAPIDJSON_VERSION_STRING << R"(","sqlite":")" << sqlite3_libversion() << "\"}"
                << std::endl;
    else
      std::cout << "matchcloud " MATCHCLOUD_VERSION " (CAF " << CAF_VERSION
                << ", cpp-httplib " CPPHTTPLIB_VERSION ", RapidJSON " << RAPIDJSON_VERSION_STRING
                << ", SQLite " << sqlite3_libversion() << ")" << std::endl;
  });
}

} // namespace matchcloud::app

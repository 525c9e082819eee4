#include "cli/token_options.hpp"

#include "cli/command_line.hpp"

namespace matchcloud::cli {

CLI::Option* add_token_options(CLI::App& command, std::string& file,
                               const std::string& description) {
  const auto refuse = [&command](const CLI::results_t&) -> bool {
    const bool takes_id = command.get_option_no_throw("--token-id") != nullptr;
    throw CLI::ValidationError{
        "--token", std::string{"every user of this machine could read it; use --token-file FILE, "
                               "or MATCHCLOUD_TOKEN in the environment"} +
                       (takes_id ? ". To choose the requests of a token, use --token-id ID" : "")};
  };
  // Without this option, the message about an unknown option would repeat the token. CLI11 does not
  // print options without a group.
  command.add_option("--token", refuse)->expected(0, 1)->group("");
  return command.add_option("--token-file", file, description)->check(named_file());
}

} // namespace matchcloud::cli

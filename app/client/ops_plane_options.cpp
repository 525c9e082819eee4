#include "app/client/ops_plane_options.hpp"

#include "app/client/ca_file_option.hpp"
#include "app/client/health_check.hpp"
#include "cli/bearer_tokens.hpp"

namespace matchcloud::app {

namespace {

std::string check_ops_url(const std::string& text) {
  const auto url = model::parse_http_url(text);
  if (!url) return "\"" + text + "\" is not the URL of an ops plane: " + url.error().detail;
  if (url->target != "/")
    return "\"" + text + "\" is not the URL of an ops plane: it has a path. Remove it.";
  return {};
}

ops_plane plane_of_this_machine() {
  const auto found = check_of_this_machine();
  return {found.url, {}, found.trusted, found.trusts_any_server};
}

} // namespace

void add_ops_plane_options(CLI::App& command, ops_plane_options& options) {
  auto* url = command.add_option("--url", options.url, "The service's ops plane, http or https.")
                  ->check(CLI::Validator{check_ops_url, ""});
  cli::add_token_options(command, options.token_file,
                         "A file with the bearer token for the service; - is stdin. Without it "
                         "MATCHCLOUD_TOKEN from the environment is sent, if set.");
  add_ca_file_option(command, options.ca_file)->needs(url);
}

ops_plane ops_plane_of(const ops_plane_options& options) {
  auto plane =
      options.url.empty()
          ? plane_of_this_machine()
          : ops_plane{*model::parse_http_url(options.url), {}, authorities_of(options.ca_file)};
  plane.token = cli::one_bearer_token(options.token_file, "matchcloud fault");
  return plane;
}

} // namespace matchcloud::app

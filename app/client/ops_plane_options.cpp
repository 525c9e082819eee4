#include "app/client/ops_plane_options.hpp"

#include "cli/bearer_tokens.hpp"
#include "cli/ca_file.hpp"
#include "cli/command_line.hpp"

#include <cstdlib>
#include <utility>

namespace matchcloud::app {

namespace {

std::string check_ops_url(const std::string& text) {
  const auto url = model::parse_http_url(text);
  if (!url) return "\"" + text + "\" is not the URL of an ops plane: " + url.error().detail;
  if (url->target != "/")
    return "\"" + text + "\" is not the URL of an ops plane: it has a path. Remove it.";
  return {};
}

/// The address of this machine at which a listener on every address can be reached.
std::string reachable(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" ? "::1" : host;
}

base::expected<ops_plane> plane_of_listener(std::string_view listen) {
  constexpr std::string_view tls = "/tls";
  const bool secure = listen.ends_with(tls);
  if (secure) listen.remove_suffix(tls.size());
  return model::parse_http_url(std::string{secure ? "https://" : "http://"}.append(listen))
      .map([](model::http_url url) {
        url.host = reachable(url.host);
        return ops_plane{std::move(url), {}, {}, true};
      });
}

} // namespace

CLI::Option* add_token_file_option(CLI::App& command, std::string& file) {
  return cli::add_token_options(
      command, file,
      "A file with the bearer token for the service; - is stdin. Without it MATCHCLOUD_TOKEN from "
      "the environment is sent, if set.");
}

CLI::Option* add_ca_file_option(CLI::App& command, std::string& file) {
  return command
      .add_option("--ca-file", file,
                  "A PEM file with the certificates of the authorities to trust with https instead "
                  "of the system's. Default: the file that MATCHCLOUD_CA_FILE names, if set.")
      ->check(cli::named_file());
}

certificate_authorities authorities_of(const std::string& file) {
  const char* value =
      std::getenv(cli::ca_file_variable); // NOLINT(concurrency-mt-unsafe): no threads yet
  const bool is_given = !file.empty();
  const std::string name = is_given || value == nullptr ? file : value;
  if (name.empty()) return {};
  auto read = certificate_authorities::read(name);
  if (read) return *std::move(read);
  throw CLI::ValidationError{is_given ? "--ca-file" : cli::ca_file_variable, read.error().detail};
}

ops_plane ops_plane_of_this_machine() {
  constexpr const char* variable = "MATCHCLOUD_OPS_LISTEN";
  const char* value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): no threads yet
  auto found = plane_of_listener(value == nullptr ? "127.0.0.1:8081" : value);
  if (!found) throw CLI::ValidationError{variable, found.error().detail};
  return *std::move(found);
}

void add_ops_plane_options(CLI::App& command, ops_plane_options& options) {
  auto* url = command.add_option("--url", options.url, "The service's ops plane, http or https.")
                  ->check(CLI::Validator{check_ops_url, ""});
  add_token_file_option(command, options.token_file);
  add_ca_file_option(command, options.ca_file)->needs(url);
}

ops_plane ops_plane_of(const ops_plane_options& options, std::string_view program) {
  auto plane =
      options.url.empty()
          ? ops_plane_of_this_machine()
          : ops_plane{*model::parse_http_url(options.url), {}, authorities_of(options.ca_file)};
  plane.token = cli::one_bearer_token(options.token_file, program);
  return plane;
}

} // namespace matchcloud::app

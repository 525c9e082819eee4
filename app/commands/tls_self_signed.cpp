#include "app/certificates/new_certificate.hpp"
#include "app/commands/commands.hpp"
#include "base/clock.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/working_identity.hpp"
#include "cli/bounded_input.hpp"
#include "cli/output_file.hpp"
#include "model/text/timestamp.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace matchcloud::app {

namespace {

constexpr mode_t key_mode = 0600;
constexpr mode_t certificate_mode = 0644;
constexpr mode_t folder_mode = 0700;
constexpr int days_default = 30;
/// The longest validity that authorities and browsers allow (CA/Browser Forum, ballot SC31).
constexpr int days_limit = 398;
constexpr std::size_t host_count_limit = 100;
constexpr std::size_t pem_limit_bytes = 256UL * 1024;
constexpr std::int64_t seconds_per_day = 86'400;
/// The clock of a client that checks the certificate may be slow.
constexpr std::int64_t backdated_seconds = 3'600;

struct self_signed_options {
  std::vector<std::string> hosts;
  int days = days_default;
  std::string folder = ".";
  std::string client;
  bool force = false;

  std::string path(const std::string& name) const {
    return folder == "." ? name : folder + "/" + name;
  }
  /// What is made.
  std::string certificate_file() const {
    return path(client.empty() ? "cert.pem" : "client-" + client + ".pem");
  }
  std::string key_file() const {
    return path(client.empty() ? "key.pem" : "client-" + client + ".key");
  }
};

std::string check_host(const std::string& text) {
  const auto host = parse_certificate_host(text);
  return host ? std::string{} : host.error().detail;
}

/// A client's name becomes part of file names.
std::string check_client(const std::string& name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_.";
  if (!name.empty() && name.size() <= client_name_limit_bytes &&
      name.find_first_not_of(allowed) == name.npos)
    return {};
  return "\"" + name + "\" is not a valid name of a client; use 1 to " +
         std::to_string(client_name_limit_bytes) + " characters of A-Z a-z 0-9 - _ .";
}

std::vector<certificate_host> hosts_of(const self_signed_options& options) {
  auto texts = options.hosts;
  if (texts.empty()) texts = {"localhost", "127.0.0.1", "::1"};
  std::vector<certificate_host> hosts;
  for (const auto& each : texts) {
    auto host = *parse_certificate_host(each);
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end())
      hosts.push_back(std::move(host));
  }
  return hosts;
}

certificate_validity validity_of(const self_signed_options& options) {
  const auto now = base::machine_clock().unix_ms() / 1000;
  return {now - backdated_seconds, now + options.days * seconds_per_day};
}

/// Makes the folder if it is missing. If it, or its parent, belongs to another user, root works as
/// that user, because a service must be able to read its key.
void make_folder(const std::string& folder) {
  value_of(base::work_as_owner_of(base::existing_part(folder), {}));
  if (::mkdir(folder.c_str(), folder_mode) != 0 && errno != EEXIST)
    throw base::failure{
        base::io_failure(folder, "create the directory", errno, base::errc::io_failed).value()};
}

/// Writes both files or neither: the key gets its name only once the certificate is written too.
void store(const certificate_pair& pair, const self_signed_options& options) {
  const auto taken = options.force ? cli::taken_name::replace : cli::taken_name::refuse;
  auto key = value_of(cli::staged_file::write(options.key_file(), pair.key_pem, key_mode, taken));
  auto certificate = value_of(cli::staged_file::write(
      options.certificate_file(), pair.certificate_pem, certificate_mode, taken));
  value_of(key.commit());
  value_of(certificate.commit());
}

std::string read_pem(const std::string& file) {
  auto text = cli::read_bounded_file(file, pem_limit_bytes);
  if (text) return *std::move(text);
  give_up(file + ": " + text.error().detail +
          "; first make the pair that issues client certificates: run the same "
          "command without --client");
}

std::string validity_line(const certificate_validity& validity) {
  return "valid from " + model::format_timestamp(validity.begin * 1000) + " to " +
         model::format_timestamp(validity.end * 1000) + "\n";
}

/// The host in the example's URL: one that reaches this machine, if there is one.
std::string example_host(const std::vector<certificate_host>& hosts) {
  const certificate_host local{true, "127.0.0.1"};
  const auto& chosen =
      std::find(hosts.begin(), hosts.end(), local) == hosts.end() ? hosts.front() : local;
  return chosen.text.find(':') == std::string::npos ? chosen.text : "[" + chosen.text + "]";
}

std::string make_server_pair(const self_signed_options& options) {
  const auto hosts = hosts_of(options);
  const auto validity = validity_of(options);
  const auto certificate = options.certificate_file();
  const auto key = options.key_file();
  const auto pair = value_of(make_self_signed(hosts, validity));
  store(pair, options);
  const auto names = CLI::detail::join(
      hosts, [](const certificate_host& each) { return each.text; }, ", ");
  return "made " + certificate + " for " + names + " and its key, " + key + "\n" +
         validity_line(validity) + "SHA-256 fingerprint " + pair.fingerprint +
         "\n\nIt is for testing: only clients that are told to trust it accept it. Serve with it "
         "and try:\n"
         "  matchcloud serve --listen 127.0.0.1:8443/tls --tls-cert " +
         certificate + " --tls-key " + key + "\n  curl --cacert " + certificate + " https://" +
         example_host(hosts) + ":8443/ping\n";
}

std::string make_client_pair(const self_signed_options& options) {
  const auto issuer = options.path("cert.pem");
  const auto issuer_certificate = read_pem(issuer);
  const auto issuer_key = read_pem(options.path("key.pem"));
  const auto validity = validity_of(options);
  auto made =
      make_client_certificate(options.client, validity, {issuer_certificate, issuer_key, {}});
  if (!made) made.error().detail.insert(0, issuer + ": ");
  const auto pair = value_of(std::move(made));
  const auto certificate = options.certificate_file();
  const auto key = options.key_file();
  store(pair, options);
  return "made " + certificate + " for the client " + options.client + " and its key, " + key +
         "; its issuer is " + issuer + "\n" + validity_line(validity) + "SHA-256 fingerprint " +
         pair.fingerprint + "\n\nTry it with a server that requires it:\n  curl --cacert " +
         issuer + " --cert " + certificate + " --key " + key + " https://127.0.0.1:8443/ping\n";
}

/// Whether a file that the command would make exists.
bool has_files(const self_signed_options& options) {
  std::error_code ignored;
  return std::filesystem::exists(options.key_file(), ignored) ||
         std::filesystem::exists(options.certificate_file(), ignored);
}

std::string make_certificate(const self_signed_options& options, command_run& in) {
  try {
    make_folder(options.folder);
    return options.client.empty() ? make_server_pair(options) : make_client_pair(options);
  } catch (const base::failure& thrown) {
    if (options.force || !has_files(options)) throw;
    in.say(thrown.why().detail);
    in.end_with(failed, "Use the existing file, choose another --out-dir, or replace it with "
                        "--force.");
    return {};
  }
}

void add_self_signed(CLI::App& command, self_signed_options& options) {
  auto* hosts =
      command
          .add_option(
              "--host", options.hosts,
              "A name or address of the server; repeatable. Default: localhost, 127.0.0.1 and ::1.")
          ->check(CLI::Validator{check_host, ""})
          ->expected(1, static_cast<int>(host_count_limit));
  command
      .add_option("--days", options.days, "Days of validity, counted from an hour ago, 1 to 398.")
      ->capture_default_str()
      ->check(CLI::Range(1, days_limit).description(""));
  command
      .add_option("--out-dir", options.folder, "The directory for the files; created if missing.")
      ->capture_default_str()
      ->check(not_empty());
  command.add_option("--client", options.client, "Make a certificate for the client NAME instead.")
      ->type_name("NAME")
      ->check(CLI::Validator{check_client, ""})
      ->excludes(hosts);
  command.add_flag("--force", options.force, "Replace existing files.");
}

constexpr const char* self_signed_help =
    "Makes an ECDSA P-256 key, DIR/key.pem, that only its owner may read, and a certificate for "
    "it, DIR/cert.pem. Both appear under their names only once they are complete. Existing files "
    "are replaced only with --force.\n\n"
    "The certificate is its own authority: give it to every client that should trust it, for "
    "example with curl's --cacert or with --ca-file of matchcloud export. It is for testing. "
    "Anyone who has DIR/key.pem can impersonate the server and issue client certificates.\n\n"
    "With --client, the pair in DIR issues a client's certificate and key: DIR/client-NAME.pem and "
    "DIR/client-NAME.key.\n\n"
    "Example: matchcloud tls self-signed --out-dir var/tls\n"
    "Example: matchcloud tls self-signed --host play.example --host 192.0.2.1 --days 90";

} // namespace

cli::commands tls_commands() {
  return {{"tls", "Make certificates for testing TLS.",
           "If others rely on the service, have an authority issue the certificate instead.\n\n"
           "Example: matchcloud tls self-signed --out-dir var/tls"},
          command_with<self_signed_options>("tls self-signed",
                                            "Make a key and a self-signed certificate.",
                                            self_signed_help, add_self_signed, make_certificate)};
}

} // namespace matchcloud::app

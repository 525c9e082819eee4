#include "store/engines/store_keys.hpp"

#include "model/net/http_url.hpp"

namespace matchcloud::store {

namespace {

using base::config_values;
using base::count_row;
using base::flag_row;
using base::number_row;
using base::text_row;
using kind = base::config_text::kind;
using std::chrono::milliseconds;

constexpr std::uint64_t day_ms = 86'400'000;

base::expected<void> check_data_dir(std::string_view folder) {
  return folder.empty() ? base::not_allowed() : base::expected<void>{};
}

/// A text about the bucket; the settings are checked when it is opened.
base::config_row<store_place> bucket_text_row(std::string name, std::string s3_settings::*member,
                                              std::string allowed, std::string purpose) {
  return base::row_of_part<store_place>(
      text_row(std::move(name), member, std::move(allowed), std::move(purpose)),
      &store_place::objects);
}

} // namespace

base::config_rows<store_place> data_keys() {
  return {text_row("data-dir", &store_place::data_dir, "a directory, created if missing",
                   "Where the store lives. Several processes may share it.", check_data_dir)};
}

base::config_rows<store_place> server_keys() {
  auto url =
      text_row("store", &store_place::url, "postgresql://HOST/DATABASE; empty: the data directory",
               "A PostgreSQL database (15 or later) for the store. Any number of processes on "
               "any number of machines can share it. Put a password into ~/.pgpass, a service file "
               "or the environment: it is refused in a flag.");
  url.may_be_secret = true;
  return {
      std::move(url),
      flag_row("store-unverified", &store_place::allow_unverified,
               "Connects to a PostgreSQL server beyond loopback without sslmode=verify-full: "
               "anyone in between can read and change everything."),
      text_row("master-key-file", &store_place::master_key_file,
               "a file with 64 hexadecimal digits; `openssl rand -hex 32`",
               "The key that encrypts secrets (the keys of signed URLs) in PostgreSQL. All "
               "replicas need the same key."),
      number_row("store-statement-timeout-ms", &store_place::statement_timeout, 100, 600'000,
                 "How long PostgreSQL may take for a statement. The connection is closed if there "
                 "is no result one second after that."),
  };
}

base::config_rows<session_limits> session_keys() {
  return {
      number_row("store-connections", &session_limits::at_once, 4, 1'000,
                 "This process's limit on simultaneous connections to PostgreSQL. The server's "
                 "max_connections must cover all processes."),
      number_row("store-idle-connections", &session_limits::idle, 0, 1'000,
                 "Idle connections to PostgreSQL that are kept open."),
      count_row<session_limits>(
          "store-wait-ms", "5000", 1, 600'000,
          "How long a request waits for a connection to PostgreSQL; then 503 overloaded.",
          [](session_limits& of, std::uint64_t ms) { of.patience = milliseconds{ms}; }),
      count_row<session_limits>(
          "store-connection-lifetime-ms", "1800000", 1'000, day_ms,
          "How long a connection to PostgreSQL is used before a new one replaces it, so that "
          "connections follow a change of the host name's address.",
          [](session_limits& of, std::uint64_t ms) { of.lifetime = milliseconds{ms}; }),
  };
}

base::config_rows<store_place> bucket_keys() {
  using word = std::pair<std::string_view, objects_delivery>;
  return {
      {{"objects", kind::text, "", "s3://BUCKET or s3://BUCKET/PREFIX; empty: the data directory",
        "A bucket for images and exports, shared by all processes on a store. Credentials come "
        "from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from ~/.aws/credentials, or from the "
        "role of an ECS task or an EKS pod."},
       [](store_place& of, const config_values& given) -> base::expected<void> {
         if (given.front().empty()) return {};
         auto location = parse_s3_location(given.front());
         if (!location) return tl::unexpected(location.error());
         of.objects.location = *std::move(location);
         return {};
       }},
      bucket_text_row("objects-endpoint", &s3_settings::endpoint,
                      "http:// or https:// with host and port; empty: Amazon's for the region",
                      "The endpoint of the bucket's object storage."),
      bucket_text_row(
          "objects-public-endpoint", &s3_settings::public_endpoint,
          "http:// or https:// with host and port; empty: objects-endpoint",
          "The endpoint at which clients reach the bucket, when they are redirected to it."),
      bucket_text_row("objects-region", &s3_settings::region,
                      "a region's name; empty: AWS_REGION, AWS_DEFAULT_REGION or us-east-1",
                      "The region of the bucket, for which requests are signed."),
      base::row_of_part<store_place>(
          flag_row("objects-path-style", &s3_settings::is_path_style,
                   "Puts the bucket's name into the path of URLs and not before the host. Most "
                   "services other than Amazon's need this."),
          &store_place::objects),
      bucket_text_row("objects-ca-file", &s3_settings::ca_file,
                      "a PEM file; empty: the system's authorities",
                      "Certificate authorities to trust instead of the system's, for a bucket "
                      "reached by https."),
      flag_row("objects-metadata-credentials", &store_place::objects_by_metadata,
               "Gets the credentials from the instance metadata service (EC2, IMDSv2) instead of "
               "the environment or a file."),
      base::choice_row("objects-delivery", &store_place::delivery,
                       std::array{word{"redirect", objects_delivery::redirect},
                                  word{"through", objects_delivery::through}},
                       "How downloads are served from the bucket: redirect sends clients to a URL "
                       "of the bucket that is valid for a minute; through passes the bytes on."),
      text_row("objects-images-url", &store_place::images_url,
               "http:// or https:// URL without a slash at the end; empty: public-url",
               "A public base URL of the bucket's images, such as a CDN's. Avatar lists use it for "
               "image URLs, before media/..",
               model::check_base_url),
      count_row<store_place>(
          "objects-timeout-ms", "30000", 1'000, 600'000,
          "How long a call to the bucket may take, including retries. Calls that store or assemble "
          "parts of an export may take four times as long.",
          [](store_place& of, std::uint64_t ms) {
            of.objects.call_timeout = milliseconds{ms};
            of.objects.long_timeout = milliseconds{4 * ms};
          }),
      count_row<store_place>(
          "objects-connections", "64", 32, 1'024,
          "Limit on simultaneous calls to the bucket; beyond it: 503 overloaded.",
          [](store_place& of, std::uint64_t calls) { of.objects.calls_limit = calls; }),
  };
}

} // namespace matchcloud::store

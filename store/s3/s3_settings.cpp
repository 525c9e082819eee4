#include "store/s3/s3_settings.hpp"

#include "base/characters.hpp"
#include "base/failure.hpp"
#include "model/net/ip_address.hpp"
#include "store/object_name.hpp"
#include "store/s3/s3_credentials.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::string_view scheme = "s3://";
constexpr std::size_t region_limit_bytes = 64;

/// A value as errors repeat it. There may be a password before an @.
std::string shown_value(std::string_view text) {
  if (text.find('@') != text.npos) return "the value (not shown, because it has an @)";
  return fmt::format("'{}'", text.substr(0, s3_key_limit_bytes));
}

constexpr bool is_lower_alphanumeric(unsigned char c) noexcept {
  return base::is_digit(c) || (c >= 'a' && c <= 'z');
}

constexpr base::character_set bucket_characters{
    [](unsigned char c) { return is_lower_alphanumeric(c) || c == '-' || c == '.'; }};

constexpr base::character_set region_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '-' || c == '_'; }};

/// The rules of the Amazon S3 user guide, "Bucket naming rules", as far as they are about form.
bool is_bucket(std::string_view text) {
  return text.size() >= 3 && text.size() <= 63 && bucket_characters.contains_all(text) &&
         is_lower_alphanumeric(static_cast<unsigned char>(text.front())) &&
         is_lower_alphanumeric(static_cast<unsigned char>(text.back())) &&
         text.find("..") == text.npos && !model::parse_ip_address(text);
}

model::http_url url_of(const std::string& name, const std::string& text) {
  auto url = model::parse_http_url(text);
  if (!url)
    refuse_s3("{}, {}: {}. Give http:// or https://, a host and a port.", name, shown_value(text),
              url.error().detail);
  if (url->target != "/")
    refuse_s3("{}, '{}', has a path or a query. Use http:// or https://, a host and a port; put "
              "the bucket and a prefix of names into s3://BUCKET/PREFIX.",
              name, url->shown());
  std::ranges::transform(url->host, url->host.begin(), base::to_lower);
  return *std::move(url);
}

/// The address at an endpoint. `name` is the endpoint's in errors.
s3_address address_at(const std::string& name, const std::string& endpoint,
                      const s3_settings& settings) {
  const auto& bucket = settings.location.bucket;
  s3_address address{url_of(name, endpoint), {}, "/"};
  const auto authority = address.url.authority();
  if (settings.is_path_style) {
    address.host = authority;
    address.path_start += bucket + "/";
    return address;
  }
  if (model::parse_ip_address(address.url.host))
    refuse_s3("{}, {}, is an IP address, so the bucket cannot be put before it. Use path style, or "
              "a host name.",
              name, address.url.shown());
  if (address.url.secure && bucket.find('.') != std::string::npos)
    refuse_s3("the bucket {} has a dot, so no certificate of {} covers it. Use path style.", bucket,
              authority);
  address.host = bucket + "." + authority;
  return address;
}

/// Throws `config_invalid`.
s3_location location_in(std::string_view text) {
  const auto shown = shown_value(text);
  if (!text.starts_with(scheme))
    refuse_s3("{} does not begin with s3://. Use s3://BUCKET/PREFIX.", shown);
  const auto rest = text.substr(scheme.size());
  const auto slash = std::min(rest.find('/'), rest.size());
  s3_location found{std::string{rest.substr(0, slash)}, {}};
  if (!is_bucket(found.bucket))
    refuse_s3("{} does not name a bucket: 3 to 63 lower-case letters, digits, dashes and dots, the "
              "first and the last a letter or a digit.",
              shown);
  auto prefix = rest.substr(std::min(slash + 1, rest.size()));
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (prefix.empty() && slash + 2 <= rest.size())
    refuse_s3("{} has two slashes in a row. Use s3://BUCKET/PREFIX.", shown);
  if (prefix.empty()) return found;
  if (!object_name::parse(prefix) ||
      prefix.size() + 1 + object_name_limit_bytes > s3_key_limit_bytes)
    refuse_s3("{} has an invalid prefix. Allowed are parts between slashes, each of 1 to 255 "
              "letters, digits, dots, underscores and dashes, with a total of at most {} bytes.",
              shown, s3_key_limit_bytes - object_name_limit_bytes - 1);
  found.prefix = fmt::format("{}/", prefix);
  return found;
}

} // namespace

std::string s3_location::shown() const {
  return fmt::format("{}{}/{}", scheme, bucket, prefix);
}

base::expected<s3_location> parse_s3_location(std::string_view text) {
  return base::attempt([&] { return location_in(text); });
}

std::string s3_address::url_of(std::string_view path, std::string_view query) const {
  return fmt::format("{}://{}{}{}{}", url.secure ? "https" : "http", host, path,
                     query.empty() ? "" : "?", query);
}

std::string amazon_url(std::string_view service, std::string_view region) {
  return fmt::format("https://{}.{}{}amazonaws.com{}", service, region, region.empty() ? "" : ".",
                     region.starts_with("cn-") ? ".cn" : "");
}

s3_addresses check(const s3_settings& given) {
  auto settings = given;
  if (settings.region.empty()) settings.region = s3_usual_region;
  if (!is_bucket(settings.location.bucket)) refuse_s3("there is no bucket: s3://BUCKET/PREFIX");
  if (settings.region.size() > region_limit_bytes ||
      !region_characters.contains_all(settings.region))
    refuse_s3("the region of S3, '{}', is not one: 1 to 64 letters, digits, dashes and "
              "underscores, such as eu-central-1",
              settings.region);
  auto direct = address_at(
      "the endpoint of S3",
      settings.endpoint.empty() ? amazon_url("s3", settings.region) : settings.endpoint, settings);
  auto links = settings.public_endpoint.empty()
                   ? direct
                   : address_at("the public endpoint of S3", settings.public_endpoint, settings);
  return {std::move(direct), std::move(links), std::move(settings.region)};
}

} // namespace matchcloud::store

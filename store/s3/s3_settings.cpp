#include "store/s3/s3_settings.hpp"

#include "base/characters.hpp"
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
  return "'" + std::string{text.substr(0, s3_key_limit_bytes)} + "'";
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

template <class Number>
base::expected<void> within(const char* name, Number value, Number least, Number most) {
  if (value >= least && value <= most) return {};
  return refuse_s3(std::string{name} + " of S3 is " + std::to_string(value) + ": allowed are " +
                   std::to_string(least) + " to " + std::to_string(most));
}

base::expected<void> check_numbers(const s3_settings& of) {
  const auto longest = std::chrono::milliseconds{std::chrono::hours{24}}.count();
  const auto time = [&](const char* name, std::chrono::milliseconds value) {
    return within(name, value.count(), decltype(longest){1}, longest);
  };
  const auto count = [](const char* name, std::size_t value, std::size_t least, std::size_t most) {
    return within(name, value, least, most);
  };
  for (const auto& each :
       {time("call_timeout", of.call_timeout), time("long_timeout", of.long_timeout),
        time("connect_timeout", of.connect_timeout), time("silence_timeout", of.silence_timeout),
        time("backoff_first", of.backoff_first), time("backoff_limit", of.backoff_limit),
        count("attempts_limit", of.attempts_limit, 1, 20),
        count("part_bytes", of.part_bytes, s3_least_part_bytes, s3_most_part_bytes),
        count("parts_in_flight_limit", of.parts_in_flight_limit, 1, 16),
        count("calls_limit", of.calls_limit, 1, 1'024),
        count("page_limit", of.page_limit, 1, 1'000)})
    if (!each) return each;
  return {};
}

/// An endpoint, and its name in errors.
struct named_endpoint {
  std::string name;
  std::string text;
};

named_endpoint direct_endpoint(const s3_settings& settings) {
  return {"the endpoint of S3",
          settings.endpoint.empty() ? amazon_url("s3", settings.region) : settings.endpoint};
}

named_endpoint endpoint_of_links(const s3_settings& settings) {
  if (settings.public_endpoint.empty()) return direct_endpoint(settings);
  return {"the public endpoint of S3", settings.public_endpoint};
}

base::expected<model::http_url> url_of(const named_endpoint& endpoint) {
  auto url = model::parse_http_url(endpoint.text);
  if (!url)
    return refuse_s3(endpoint.name + ", " + shown_value(endpoint.text) + ": " + url.error().detail +
                     ". Give http:// or https://, a host and a port.");
  if (url->target != "/")
    return refuse_s3(
        endpoint.name + ", '" + url->shown() +
        "', has a path or a query. Use http:// or https://, a host and a port; put the "
        "bucket and a prefix of names into s3://BUCKET/PREFIX.");
  std::ranges::transform(url->host, url->host.begin(), base::to_lower);
  return url;
}

base::expected<void> check_bucket_before_host(const std::string& bucket,
                                              const named_endpoint& endpoint,
                                              const model::http_url& url) {
  if (model::parse_ip_address(url.host))
    return refuse_s3(
        endpoint.name + ", " + url.shown() +
        ", is an IP address, so the bucket cannot be put before it. Use path style, or a "
        "host name.");
  if (url.secure && bucket.find('.') != std::string::npos)
    return refuse_s3("the bucket " + bucket + " has a dot, so no certificate of " +
                     url.authority() + " covers it. Use path style.");
  return {};
}

base::expected<s3_address> address_at(const named_endpoint& endpoint, const s3_settings& settings) {
  auto url = url_of(endpoint);
  if (!url) return tl::unexpected(url.error());
  const auto& bucket = settings.location.bucket;
  s3_address address{*std::move(url), {}, "/"};
  if (settings.is_path_style) {
    address.host = address.url.authority();
    address.path_start += bucket + "/";
    return address;
  }
  if (auto fine = check_bucket_before_host(bucket, endpoint, address.url); !fine)
    return tl::unexpected(fine.error());
  address.host = bucket + "." + address.url.authority();
  return address;
}

} // namespace

std::string s3_location::shown() const {
  return std::string{scheme} + bucket + "/" + prefix;
}

base::expected<s3_location> parse_s3_location(std::string_view text) {
  const auto shown = shown_value(text);
  if (!text.starts_with(scheme))
    return refuse_s3(shown + " does not begin with s3://. Use s3://BUCKET/PREFIX.");
  const auto rest = text.substr(scheme.size());
  const auto slash = std::min(rest.find('/'), rest.size());
  s3_location found{std::string{rest.substr(0, slash)}, {}};
  if (!is_bucket(found.bucket))
    return refuse_s3(shown + " does not name a bucket: 3 to 63 lower-case letters, digits, dashes "
                             "and dots, the first and the last a letter or a digit.");
  auto prefix = rest.substr(std::min(slash + 1, rest.size()));
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (prefix.empty() && slash + 2 <= rest.size())
    return refuse_s3(shown + " has two slashes in a row. Use s3://BUCKET/PREFIX.");
  if (prefix.empty()) return found;
  if (!object_name::parse(prefix) ||
      prefix.size() + 1 + object_name_limit_bytes > s3_key_limit_bytes)
    return refuse_s3(shown +
                     " has an invalid prefix. Allowed are parts between slashes, each of 1 to 255 "
                     "letters, digits, dots, underscores and dashes, with a total of at most " +
                     std::to_string(s3_key_limit_bytes - object_name_limit_bytes - 1) + " bytes.");
  found.prefix = std::string{prefix} + "/";
  return found;
}

std::string s3_address::url_of(std::string_view path, std::string_view query) const {
  std::string text = url.secure ? "https://" : "http://";
  text.append(host).append(path);
  if (!query.empty()) text.append("?").append(query);
  return text;
}

std::string amazon_url(std::string_view service, std::string_view region) {
  auto url = std::string{"https://"}.append(service).append(".");
  if (!region.empty()) url.append(region).append(".");
  url += "amazonaws.com";
  if (region.starts_with("cn-")) url += ".cn";
  return url;
}

base::expected<s3_addresses> check(const s3_settings& given) {
  auto settings = given;
  if (settings.region.empty()) settings.region = s3_usual_region;
  if (!is_bucket(settings.location.bucket))
    return refuse_s3("there is no bucket: s3://BUCKET/PREFIX");
  if (settings.region.size() > region_limit_bytes ||
      !region_characters.contains_all(settings.region))
    return refuse_s3("the region of S3, '" + settings.region +
                     "', is not one: 1 to 64 letters, digits, dashes and underscores, such as "
                     "eu-central-1");
  if (auto fine = check_numbers(settings); !fine) return tl::unexpected(fine.error());
  auto direct = address_at(direct_endpoint(settings), settings);
  if (!direct) return tl::unexpected(direct.error());
  auto links = address_at(endpoint_of_links(settings), settings);
  if (!links) return tl::unexpected(links.error());
  return s3_addresses{*std::move(direct), *std::move(links), std::move(settings.region)};
}

} // namespace matchcloud::store

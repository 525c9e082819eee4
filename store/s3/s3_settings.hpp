#pragma once

#include "base/expected.hpp"
#include "model/net/http_url.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// A place for objects in an object storage.
struct s3_location {
  std::string bucket;
  /// The prefix of all objects' names: empty, or ends with a slash.
  std::string prefix;

  /// `s3://BUCKET/PREFIX`, for people.
  std::string shown() const;

  friend bool operator==(const s3_location&, const s3_location&) = default;
};

/// Parses `s3://BUCKET` or `s3://BUCKET/PREFIX`, where the prefix is named like an object and may
/// end with a slash. Fails with `config_invalid`.
base::expected<s3_location> parse_s3_location(std::string_view text);

/// The size of the parts of an object that is stored in parts. S3 allows 5 MiB to 5 GiB and at most
/// 10,000 parts: with 8 MiB an object has up to 78 GiB.
inline constexpr std::size_t s3_part_bytes = 8UL * 1024 * 1024;
inline constexpr std::size_t s3_least_part_bytes = 5UL * 1024 * 1024;
inline constexpr std::size_t s3_part_count_limit = 10'000;

/// The longest name in a bucket, prefix included.
inline constexpr std::size_t s3_key_limit_bytes = 1'024;

/// The URL of an Amazon service, such as `s3`, in a region; its global URL if that is empty.
std::string amazon_url(std::string_view service, std::string_view region);

/// The region where Amazon creates buckets by default.
inline constexpr std::string_view s3_usual_region = "us-east-1";

/// How requests to an object storage are made. All durations are positive.
struct s3_settings {
  s3_location location;
  /// `http://` or `https://`, host and port, no path. Empty: Amazon's for the region.
  std::string endpoint;
  /// The same for clients that use links: links begin with it and are signed for its host. Empty:
  /// `endpoint`.
  std::string public_endpoint;
  /// The region in signatures; most services other than Amazon's accept any. Empty:
  /// `s3_usual_region`.
  std::string region;
  /// Whether the bucket is in the path, `ENDPOINT/BUCKET/KEY`, and not before the host.
  bool is_path_style = false;
  /// A file of certificates in PEM, of authorities to trust; empty: the system's.
  std::string ca_file;

  /// From the start of a small call (at most one part, in one request) to its end, including
  /// repetitions.
  std::chrono::milliseconds call_timeout{60'000};
  /// The same for a call that reads an object, and for an upload's calls that store or assemble
  /// parts.
  std::chrono::milliseconds long_timeout{900'000};
  /// From the start of an attempt until it is connected.
  std::chrono::milliseconds connect_timeout{5'000};
  /// How long the service may receive and send less than `least_rate` before an attempt ends.
  std::chrono::seconds silence_timeout{15};
  /// Bytes per second.
  std::size_t least_rate = 1'024;

  /// The most attempts of a request, 1 to 20.
  std::size_t attempts_limit = 6;
  /// Before the n-th repetition: a random time up to `backoff_first` times two to the power of
  /// n - 1, but no more than `backoff_limit`.
  std::chrono::milliseconds backoff_first{100};
  std::chrono::milliseconds backoff_limit{10'000};

  /// At least `s3_least_part_bytes`.
  std::size_t part_bytes = s3_part_bytes;
  /// Parts of one upload that are sent at the same time, 1 to 16; a further one is being filled. An
  /// upload holds up to this number plus one of `part_bytes`.
  std::size_t parts_in_flight_limit = 3;
  /// Calls and uploads in parts at the same time, 1 to 1024, each with its own connections; further
  /// ones fail with `overloaded`.
  std::size_t calls_limit = 64;
  /// The most names in one page of a listing, 1 to 1000.
  std::size_t page_limit = 1'000;
};

/// An endpoint, and how the path and the host of requests are formed.
struct s3_address {
  model::http_url url;
  /// `Host` of requests about the bucket, in lower case, as browsers write it.
  std::string host;
  /// The start of the paths of keys: `/` or `/BUCKET/`.
  std::string path_start;

  /// The URL of a path and a query, both encoded; `query` may be empty.
  std::string url_of(std::string_view path, std::string_view query) const;
};

/// The addresses of a service.
struct s3_addresses {
  /// The address of requests.
  s3_address direct;
  /// The address in links.
  s3_address links;
  /// The region in signatures.
  std::string region;
};

/// Checks settings. Throws `config_invalid`; the detail says what was found, what is allowed and
/// what to do.
s3_addresses check(const s3_settings& settings);

} // namespace matchcloud::store

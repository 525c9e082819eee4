#pragma once

#include "base/clock.hpp"
#include "store/s3/s3_objects.hpp"
#include "store/s3/s3_settings.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::store {

/// Whether `MATCHCLOUD_TEST_S3` has the URL of a service of objects, and `AWS_ACCESS_KEY_ID` and
/// `AWS_SECRET_ACCESS_KEY` are those of a user of it who may make buckets.
bool has_s3_service();

/// The credentials of that user, or some that no service knows where there is none.
std::unique_ptr<s3_credential_source> test_credentials();

/// Settings for tests: short waits, the smallest parts.
s3_settings test_settings(const std::string& endpoint, const std::string& bucket);

/// A new bucket of the service, removed with what is in it.
class s3_bucket {
public:
  s3_bucket();
  s3_bucket(const s3_bucket&) = delete;
  s3_bucket& operator=(const s3_bucket&) = delete;
  ~s3_bucket();

  /// Objects in it, through `endpoint` in place of the service itself if it is given.
  std::unique_ptr<s3_objects> open(const std::string& endpoint = {},
                                   const base::clock& time = base::machine_clock()) const;
  std::size_t unfinished() const;
  /// All keys in it, at most 1000.
  std::vector<std::string> keys() const;
  /// Removes the bucket and what is in it.
  void remove() const;

  s3_settings settings;
};

} // namespace matchcloud::store

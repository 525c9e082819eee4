#include "tests/store/objects/s3_service.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

std::string service_url() {
  const auto* const url = std::getenv("MATCHCLOUD_TEST_S3");
  return url == nullptr ? std::string{} : url;
}

/// Makes a request about the bucket itself.
s3_result asked(s3_objects& of, const std::string& method) {
  s3_request request;
  request.method = method;
  request.operation = "prepare a test";
  return of.client().ask(request);
}

} // namespace

bool has_s3_service() {
  return !service_url().empty();
}

std::unique_ptr<s3_credential_source> test_credentials() {
  const auto from = has_s3_service()
                        ? process_environment()
                        : environment{[](const char*) { return std::optional{std::string{"A"}}; }};
  auto source = s3_credential_source::open(from, base::machine_clock());
  REQUIRE(source.has_value());
  return *std::move(source);
}

s3_settings test_settings(const std::string& endpoint, const std::string& bucket) {
  s3_settings made;
  made.location = {bucket, "tests/"};
  made.endpoint = endpoint;
  made.is_path_style = true;
  made.part_bytes = s3_least_part_bytes;
  made.backoff_first = std::chrono::milliseconds{5};
  made.backoff_limit = std::chrono::milliseconds{50};
  made.attempts_limit = 4;
  return made;
}

s3_bucket::s3_bucket() : settings{test_settings(service_url(), "t" + new_write_name())} {
  const auto made = asked(*open(), "PUT");
  INFO(made.error.code << made.error.message);
  REQUIRE(made.is_success());
}

s3_bucket::~s3_bucket() {
  remove();
}

std::unique_ptr<s3_objects> s3_bucket::open(const std::string& endpoint,
                                            const base::clock& time) const {
  auto with = settings;
  if (!endpoint.empty()) with.endpoint = endpoint;
  return std::make_unique<s3_objects>(with, test_credentials(), time);
}

std::size_t s3_bucket::unfinished() const {
  std::size_t count = 0;
  open()->list_uploads([&](const s3_listed&) {
    ++count;
    return true;
  });
  return count;
}

std::vector<std::string> s3_bucket::keys() const {
  const auto answer =
      open()->client().ask({"GET", {}, {{"list-type", "2"}}, {}, {}, "prepare a test"});
  std::vector<std::string> found;
  for (auto& each : read_s3_page(answer.answer.body).entries)
    found.push_back(std::move(each.key));
  return found;
}

void s3_bucket::remove() const {
  // A test may have removed it.
  (void)base::attempt([this] {
    const auto with = open();
    for (const auto& key : keys())
      with->client().ask({"DELETE", key, {}, {}, {}, "clean up"});
    (void)with->collect_leftovers(std::chrono::seconds{0});
    asked(*with, "DELETE");
  });
}

} // namespace matchcloud::store

#include "tests/store/objects/s3_service.hpp"

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

s3_result asked(s3_client& of, const std::string& method) {
  s3_request request;
  request.method = method;
  request.operation = "prepare a test";
  auto result = of.ask(request);
  INFO((result ? std::string{} : to_string(result.error())));
  REQUIRE(result.has_value());
  return *std::move(result);
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
  const auto made = asked(*client(), "PUT");
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
  auto opened = s3_objects::open(with, test_credentials(), time);
  REQUIRE(opened.has_value());
  return *std::move(opened);
}

std::unique_ptr<s3_client> s3_bucket::client(const std::string& endpoint) const {
  auto with = settings;
  if (!endpoint.empty()) with.endpoint = endpoint;
  auto made = s3_endpoint::make(with, test_credentials(), base::machine_clock());
  REQUIRE(made.has_value());
  return std::make_unique<s3_client>(*std::move(made));
}

std::size_t s3_bucket::unfinished() const {
  std::size_t count = 0;
  const auto done = client()->list_uploads("", [&](const s3_unfinished&) {
    ++count;
    return true;
  });
  INFO((done ? std::string{} : to_string(done.error())));
  REQUIRE(done.has_value());
  return count;
}

void s3_bucket::remove() const {
  const auto with = client();
  std::vector<std::string> keys;
  (void)with->list("", [&](const s3_listed& each) {
    keys.push_back(each.key);
    return true;
  });
  for (const auto& each : keys)
    (void)with->remove(each);
  std::vector<s3_unfinished> uploads;
  (void)with->list_uploads("", [&](const s3_unfinished& each) {
    uploads.push_back(each);
    return true;
  });
  for (const auto& each : uploads)
    (void)with->abort_upload(each.key, each.upload_id);
  (void)asked(*with, "DELETE");
}

} // namespace matchcloud::store

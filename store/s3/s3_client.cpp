#include "store/s3/s3_client.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"
#include "store/files/fault_pass.hpp"
#include "store/s3/md5.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::store {

namespace {

/// How long the end of an upload may take, also of a process that is stopping.
constexpr std::chrono::milliseconds abort_timeout{10'000};
/// How often aborting an upload is tried before it is left as a leftover. Parts on their way may
/// arrive after the first attempt.
constexpr int aborts_limit = 5;

/// A flag that is never set, for calls made after the others were stopped.
const std::atomic<bool> never{false};

} // namespace

s3_client::s3_client(std::unique_ptr<s3_endpoint> endpoint)
    : endpoint_{std::move(endpoint)},
      lanes_{endpoint_->settings().calls_limit, endpoint_->settings().parts_in_flight_limit} {}

void s3_client::stop() noexcept {
  stopped_ = true;
  lanes_.wake();
}

void s3_client::show(base::metric_set& in) const {
  lanes_.show(in);
  const auto& of = endpoint_->counters();
  in.add(of);
  in.add_gauge({"matchcloud_objects_answered_timestamp_seconds",
                "When the bucket last responded, in seconds since 1970; 0: not yet."},
               [&of] { return static_cast<double>(of.answered_ts.get()) / 1'000; });
}

base::expected<s3_result> s3_client::ask(s3_request request, s3_call_options options) {
  if (const auto passed =
          pass(base::fault_point::bucket_request, endpoint_->shown(request.key), request.operation);
      !passed)
    return tl::unexpected(passed.error());
  const auto lane = lanes_.acquire();
  if (!lane) return tl::unexpected(lane.error());
  return ask_on(**lane, std::move(request), std::move(options), stopped_);
}

base::expected<s3_result> s3_client::ask_on(s3_lane& lane, s3_request request,
                                            s3_call_options options,
                                            const std::atomic<bool>& stopped) {
  if (request.body_sha256.empty())
    request.body_sha256 = base::hexadecimal(base::sha256(request.body));
  if (options.timeout.count() == 0) options.timeout = endpoint_->settings().call_timeout;
  s3_call call{*endpoint_, lane, stopped, std::move(request), std::move(options)};
  while (!call.advance())
    lane.run(call.idle_for());
  return std::move(call.result());
}

tl::unexpected<base::error> s3_client::refused(const s3_request& request,
                                               const s3_result& result) const {
  return refusal(endpoint_->shown(request.key), request.operation, result.answer, result.error);
}

base::expected<object_outcome> s3_client::put(const std::string& key, std::string_view bytes,
                                              const std::string& content_type) {
  const auto md5 = md5_of(bytes);
  const auto sha256 = base::hexadecimal(base::sha256(bytes));
  const auto write_name = new_write_name();
  const s3_request request{"PUT",
                           key,
                           {},
                           {{"content-type", content_type},
                            {"content-md5", to_base64(md5)},
                            {"if-none-match", "*"},
                            {std::string{s3_sha256_header}, sha256},
                            {std::string{s3_write_header}, write_name}},
                           bytes,
                           sha256,
                           "store the object"};
  const auto result = ask(request);
  if (!result) return tl::unexpected(result.error());
  if (result->answer.status == 412) {
    if (!result->was_outcome_unknown) return object_outcome::was_there;
    // The object with this name may come from an attempt whose response was lost.
    const auto found = head(key);
    if (!found) return tl::unexpected(found.error());
    const bool is_own = *found && (*found)->write_name == write_name;
    return is_own ? object_outcome::stored : object_outcome::was_there;
  }
  if (!result->is_success()) return refused(request, *result);
  const auto tag = md5_tag_of(result->answer);
  if (tag.empty() || tag == to_hexadecimal(md5)) return object_outcome::stored;
  (void)remove(key);
  return base::fail(
      base::errc::store_failed,
      endpoint_->shown(key) +
          ": the service stored different bytes than it was sent; the object was removed again");
}

base::expected<std::optional<s3_head>> s3_client::head_of(const s3_request& request,
                                                          const s3_result& result) {
  if (!result.is_success()) return refused(request, result);
  auto head = read_s3_head(result.answer);
  if (head) return *std::move(head);
  return base::fail(base::errc::store_failed,
                    endpoint_->shown(request.key) + ": " + head.error().detail);
}

base::expected<void> s3_client::check_bucket() {
  const s3_request request{"HEAD", {}, {}, {}, {}, {}, "find the bucket"};
  auto result = ask(request);
  if (!result) return tl::unexpected(result.error());
  // Credentials that can read objects may lack the permission to see the bucket.
  if (result->answer.status != 404) return {};
  result->error.code = "NoSuchBucket";
  return refused(request, *result);
}

base::expected<void> s3_client::check_readable(const std::string& key) {
  const s3_request request{"GET", key, {}, {}, {}, {}, "look for the object"};
  const auto result = ask(request);
  if (!result) return tl::unexpected(result.error());
  // Some services send no code for an object that does not exist.
  const bool is_absent = result->error.code == "NoSuchKey" ||
                         (result->answer.status == 404 && result->error.code.empty());
  if (result->is_success() || is_absent) return {};
  return refused(request, *result);
}

base::expected<std::optional<s3_head>> s3_client::head(const std::string& key) {
  const s3_request request{"HEAD", key, {}, {}, {}, {}, "look for the object"};
  const auto result = ask(request);
  if (!result) return tl::unexpected(result.error());
  if (result->answer.status != 404) return head_of(request, *result);
  // The response has no body, which would say what is missing.
  if (auto there = check_bucket(); !there) return tl::unexpected(there.error());
  return std::nullopt;
}

base::expected<void> s3_client::remove(const std::string& key) {
  const s3_request request{"DELETE", key, {}, {}, {}, {}, "remove the object"};
  const auto result = ask(request);
  if (!result) return tl::unexpected(result.error());
  if (result->is_success() || result->error.code == "NoSuchKey") return {};
  return refused(request, *result);
}

base::expected<void> s3_client::list(const std::string& prefix,
                                     const std::function<bool(const s3_listed&)>& take) {
  std::string continuation;
  do {
    s3_request request{"GET",
                       {},
                       {{"list-type", "2"},
                        {"prefix", prefix},
                        {"max-keys", std::to_string(endpoint_->settings().page_limit)},
                        {"encoding-type", "url"}},
                       {},
                       {},
                       {},
                       "list objects"};
    if (!continuation.empty()) request.query.emplace_back("continuation-token", continuation);
    const auto result = ask(request);
    if (!result) return tl::unexpected(result.error());
    if (!result->is_success()) return refused(request, *result);
    auto page = read_s3_page(result->answer.body);
    if (page && !continuation.empty() && page->continuation == continuation)
      page = base::fail(base::errc::io_failed, "it has the page before once more");
    if (!page)
      return base::fail(base::errc::store_failed,
                        endpoint_->shown({}) + ": cannot list objects: " + page.error().detail);
    if (!std::ranges::all_of(page->objects, take)) return {};
    continuation = std::move(page->continuation);
  } while (!continuation.empty());
  return {};
}

base::expected<void>
s3_client::list_uploads(const std::string& prefix,
                        const std::function<bool(const s3_unfinished&)>& take) {
  s3_uploads_page page;
  do {
    s3_request request{"GET",
                       {},
                       {{"uploads", ""},
                        {"prefix", prefix},
                        {"max-uploads", std::to_string(endpoint_->settings().page_limit)},
                        {"encoding-type", "url"}},
                       {},
                       {},
                       {},
                       "list unfinished uploads"};
    if (!page.key_marker.empty()) {
      request.query.emplace_back("key-marker", page.key_marker);
      if (!page.upload_id_marker.empty())
        request.query.emplace_back("upload-id-marker", page.upload_id_marker);
    }
    const auto result = ask(request);
    if (!result) return tl::unexpected(result.error());
    if (!result->is_success()) return refused(request, *result);
    auto next = read_s3_uploads(result->answer.body);
    if (next && !next->key_marker.empty() && next->key_marker == page.key_marker &&
        next->upload_id_marker == page.upload_id_marker)
      next = base::fail(base::errc::io_failed, "it has the page before once more");
    if (!next)
      return base::fail(base::errc::store_failed,
                        endpoint_->shown({}) +
                            ": cannot list unfinished uploads: " + next.error().detail);
    page = *std::move(next);
    if (!std::ranges::all_of(page.uploads, take)) return {};
  } while (!page.key_marker.empty());
  return {};
}

base::expected<void> s3_client::abort_upload(const std::string& key, const std::string& upload_id) {
  const s3_request request{"DELETE", key, {{"uploadId", upload_id}}, {},
                           {},       {},  "give up an upload"};
  // Not one of the counted lanes: this must work while all of them are lent.
  s3_lane lane{1};
  const auto end_at = endpoint_->time().now() + abort_timeout;
  for (int i = 0; i < aborts_limit && endpoint_->time().now() < end_at; ++i) {
    s3_call_options options;
    options.timeout =
        std::chrono::ceil<std::chrono::milliseconds>(end_at - endpoint_->time().now());
    const auto result = ask_on(lane, request, options, never);
    if (!result) return tl::unexpected(result.error());
    if (result->error.code == "NoSuchUpload") return {};
    if (!result->is_success()) return refused(request, *result);
  }
  return {};
}

} // namespace matchcloud::store

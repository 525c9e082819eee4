#pragma once

#include "base/expected.hpp"
#include "store/object_store.hpp"
#include "store/s3/s3_answers.hpp"
#include "store/s3/s3_call.hpp"
#include "store/s3/s3_endpoint.hpp"
#include "store/s3/s3_head.hpp"
#include "store/s3/s3_lanes.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// Operations of the S3 API on one bucket, by whole keys. Any thread; calls block, within the
/// deadlines of the settings. All fail with `store_failed`, with `store_full` if a quota is
/// reached, with `overloaded` if `calls_limit` calls are in progress, or with `cancelled` after
/// `stop`.
class s3_client {
public:
  explicit s3_client(std::unique_ptr<s3_endpoint> endpoint);
  s3_client(const s3_client&) = delete;
  s3_client& operator=(const s3_client&) = delete;

  /// Stores an object in one request, under a name that must be free. `bytes` are at most
  /// `s3_settings::part_bytes`.
  base::expected<object_outcome> put(const std::string& key, std::string_view bytes,
                                     const std::string& content_type);

  /// The facts of an object, or nothing if it does not exist.
  base::expected<std::optional<s3_head>> head(const std::string& key);

  /// Fails with the service's reason if an object, which need not exist, may not be read. A refused
  /// `head` has no reason.
  base::expected<void> check_readable(const std::string& key);

  /// Passes an object, or some of its bytes, to `take`, as `object_store::read` does. If the
  /// connection is lost, continues with the missing bytes.
  base::expected<std::optional<object_facts>>
  get(const std::string& key, const std::optional<object_range>& range, const object_taker& take);

  /// Removes an object, if there is one.
  base::expected<void> remove(const std::string& key);

  /// Passes all objects whose keys begin with `prefix` to `take`, in the order of keys, until it
  /// returns false.
  base::expected<void> list(const std::string& prefix,
                            const std::function<bool(const s3_listed&)>& take);

  /// Passes all unfinished uploads of keys that begin with `prefix` to `take`, until it returns
  /// false.
  base::expected<void> list_uploads(const std::string& prefix,
                                    const std::function<bool(const s3_unfinished&)>& take);

  /// Aborts an unfinished upload, if there is one, and waits until nothing of it is left. Works
  /// after `stop`, too.
  base::expected<void> abort_upload(const std::string& key, const std::string& upload_id);

  /// Makes a request and waits for its result. The digest of the body is added. Fails if there is
  /// no conclusive response.
  base::expected<s3_result> ask(s3_request request, s3_call_options options = {});
  /// The error for a result that the caller did not expect.
  tl::unexpected<base::error> refused(const s3_request& request, const s3_result& result) const;

  /// Adds the metrics of the calls.
  void show(base::metric_set& in) const;

  /// Ends all current and future calls. Any thread; never waits.
  void stop() noexcept;

  s3_endpoint& endpoint() noexcept { return *endpoint_; }
  s3_lanes& lanes() noexcept { return lanes_; }
  const std::atomic<bool>& stopped() const noexcept { return stopped_; }

private:
  base::expected<s3_result> ask_on(s3_lane& lane, s3_request request, s3_call_options options,
                                   const std::atomic<bool>& stopped);
  base::expected<std::optional<s3_head>> head_of(const s3_request& request,
                                                 const s3_result& result);
  /// Fails if the bucket does not exist.
  base::expected<void> check_bucket();

  std::unique_ptr<s3_endpoint> endpoint_;
  s3_lanes lanes_;
  std::atomic<bool> stopped_{false};
};

} // namespace matchcloud::store

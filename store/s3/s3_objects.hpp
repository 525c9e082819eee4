#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "store/object_store.hpp"
#include "store/s3/s3_client.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace matchcloud::store {

/// The objects of a bucket below a prefix, in a service with the S3 API. Making it sends no
/// request: an unreachable service shows in the first call. Any thread.
///
/// It needs the permissions to get, put and delete objects, to list the bucket (otherwise Amazon
/// reports that access to a missing object is denied), and to list and abort uploads in parts.
///
/// A taken name is refused by the service, or, where the service does not know the condition, by a
/// look just before. An object that is stored in parts (longer than `s3_settings::part_bytes`) is
/// always looked for before it is completed, because Ceph 16 ignores the condition there. Where the
/// service does not check, two writes of one name that end at the same moment can both succeed, and
/// the later one stays.
///
/// A killed process or a lost response can leave an unfinished upload behind, which no listing of
/// objects shows and `collect_leftovers` removes.
class s3_objects final : public object_store {
public:
  /// Throws `config_invalid`. `time` must outlive the store.
  s3_objects(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
             const base::clock& time);

  /// Fails with the service's reason if objects may not be read.
  base::expected<void> check_readable();
  /// Examines the bucket without changing anything: looks for an object, lists objects and
  /// unfinished uploads. Fails like `check_readable`, or with the refusal of a listing.
  base::expected<void> examine();

  base::expected<std::unique_ptr<object_upload>>
  begin_upload(const object_name& name, const std::string& content_type) override;
  /// If the connection is lost, continues with the missing bytes.
  base::expected<std::optional<object_facts>> read(const object_name& name,
                                                   const std::optional<object_range>& range,
                                                   const object_taker& take) override;
  base::expected<std::optional<object_facts>> stat(const object_name& name) override;
  base::expected<void> remove(const object_name& name) override;
  base::expected<void> list(const std::optional<object_name>& folder,
                            const listing_taker& take) override;
  base::expected<std::optional<std::string>> link(const object_name& name,
                                                  const object_link& what) override;
  base::expected<std::size_t> collect_leftovers(std::chrono::seconds age) override;
  void show(base::metric_set& in) const override { client_.show(in); }
  void stop() noexcept override { client_.stop(); }

  /// Passes all unfinished uploads to `take`, until it returns false. Throws.
  void list_uploads(const std::function<bool(const s3_listed&)>& take);
  /// The client, whose keys begin with the prefix.
  s3_client& client() noexcept { return client_; }

private:
  class upload;

  std::string key_of(const object_name& name) const { return prefix_ + name.text(); }
  /// Makes a request that stores an object, unless its name is taken: then the status is 412.
  s3_result ask_for_new(const s3_request& request, const s3_call_options& options = {});
  bool has(const std::string& key) { return head(key).has_value(); }

  object_outcome put(const std::string& key, std::string_view bytes,
                     const std::string& content_type);
  /// The facts of an object, or nothing if it does not exist.
  std::optional<s3_head> head(const std::string& key);
  void check_bucket();
  std::optional<object_facts> get(const std::string& key, const std::optional<object_range>& range,
                                  const object_taker& take);
  void remove_key(const std::string& key);
  /// Passes all objects whose keys begin with `prefix` to `take`, in the order of keys, until it
  /// returns false.
  void list_keys(const std::string& prefix, const std::function<bool(const s3_listed&)>& take);
  /// Aborts an unfinished upload, if there is one, and waits until nothing of it is left. Works
  /// after `stop`, too.
  void abort_upload(const std::string& key, const std::string& upload_id);

  s3_client client_;
  std::string prefix_;
  /// Whether the service refused `If-None-Match` and then stored the object without it: in one
  /// request, and in parts.
  std::array<std::atomic<bool>, 2> is_unconditional_{};
};

} // namespace matchcloud::store

#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "store/object_store.hpp"
#include "store/s3/s3_client.hpp"
#include "store/s3/s3_credential_source.hpp"
#include "store/s3/s3_settings.hpp"

#include <memory>
#include <string>

namespace matchcloud::store {

/// The objects of a bucket below a prefix, in a service with the S3 API. Making it sends no
/// request: an unreachable service shows in the first call. Any thread.
///
/// It needs the permissions to get, put and delete objects, to list the bucket (otherwise Amazon
/// reports that access to a missing object is denied), and to list and abort uploads in parts.
///
/// An object that is stored in parts (longer than `s3_settings::part_bytes`) is refused under a
/// taken name by two checks: one just before it is completed, and one by the service as part of
/// that, which Ceph 16 does not do. There, two uploads of one name that end at the same moment can
/// both succeed, and the later one stays.
///
/// A killed process or a lost response can leave an unfinished upload behind, which no listing of
/// objects shows and `collect_leftovers` removes.
class s3_objects final : public object_store {
public:
  /// Fails with `config_invalid`. `time` must outlive the store.
  static base::expected<std::unique_ptr<s3_objects>>
  open(s3_settings settings, std::unique_ptr<s3_credential_source> credentials,
       const base::clock& time);

  /// Fails with the service's reason if objects may not be read.
  base::expected<void> check_readable();
  /// Examines the bucket without changing anything: looks for an object, lists objects and
  /// unfinished uploads. Fails like `check_readable`, or with the refusal of a listing.
  base::expected<void> examine();

  base::expected<object_outcome> put_new(const object_name& name, std::string_view bytes,
                                         const std::string& content_type) override;
  base::expected<std::unique_ptr<object_upload>>
  begin_upload(const object_name& name, const std::string& content_type) override;
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

private:
  explicit s3_objects(std::unique_ptr<s3_endpoint> endpoint);

  std::string key_of(const object_name& name) const { return prefix_ + name.text(); }

  s3_client client_;
  std::string prefix_;
};

} // namespace matchcloud::store

#pragma once

#include "base/expected.hpp"
#include "store/object_store.hpp"
#include "store/s3/s3_call.hpp"
#include "store/s3/s3_client.hpp"
#include "store/s3/s3_lanes.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// An object that is stored in parts, or in one request if it turns out to fit into one part. Holds
/// at most `parts_in_flight_limit` + 1 parts in memory. Parts move only while a call is in
/// progress, so they may have to be sent again if the caller pauses for long. The client must
/// outlive it. One thread at a time.
class s3_upload final : public object_upload {
public:
  s3_upload(s3_client& client, std::string key, std::string content_type);
  /// Aborts the upload unless it was completed, which may wait some seconds for the service.
  ~s3_upload() override;
  s3_upload(const s3_upload&) = delete;
  s3_upload& operator=(const s3_upload&) = delete;

  base::expected<void> append(std::string_view bytes) override;
  base::expected<object_outcome> complete() override;

private:
  /// A part that is being sent.
  struct part {
    std::size_t number;
    std::string bytes;
    /// Raw MD5.
    std::string md5;
    std::optional<s3_call> call;
  };

  const s3_settings& settings() const noexcept { return client_.endpoint().settings(); }
  s3_request request(std::string_view method, std::string_view operation) const;
  tl::unexpected<base::error> failed(const std::string& why) const;

  base::expected<void> begin();
  /// Sends the content of `filling_`; first waits for room.
  base::expected<void> send_part();
  /// Moves parts, and waits until at most `most` are being sent.
  base::expected<void> wait_for_parts(std::size_t most);
  base::expected<void> finish_part(part& done);
  base::expected<object_outcome> complete_parts();
  base::expected<object_outcome> judge_completion(const s3_request& request,
                                                  const s3_result& result);
  /// Whether the object with this name is from this upload; nothing if there is none.
  base::expected<std::optional<bool>> is_own();
  void give_up() noexcept;

  s3_client& client_;
  std::string key_;
  std::string content_type_;
  std::string write_name_;
  /// Held from the first part on.
  s3_lanes::lease lane_;
  /// Empty before the first part, and after the end.
  std::string upload_id_;
  bool is_broken_ = false;
  std::string filling_;
  /// The buffer of a sent part, for reuse.
  std::string spare_;
  std::vector<std::unique_ptr<part>> in_flight_;
  /// For parts 1 and up: entity tags as received, and raw MD5.
  std::vector<std::string> tags_;
  std::string digests_;
  bool are_tags_of_md5_ = true;
};

} // namespace matchcloud::store

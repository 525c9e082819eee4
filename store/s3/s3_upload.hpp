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

/// An object that is stored in parts, or at once if it turns out to be no longer than one. Holds at
/// most `parts_in_flight_limit` + 1 parts in memory. Parts move while a call is in progress, so an
/// upload whose caller does something else for long sends them again. The client must outlive it.
/// One thread at a time.
class s3_upload final : public object_upload {
public:
  s3_upload(s3_client& client, std::string key, std::string content_type);
  /// Gives the upload up, which waits for the service for some seconds, unless it was completed.
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
  /// Sends what is in `filling_`; waits for room before.
  base::expected<void> send_part();
  /// Moves parts, and waits until at most `most` are being sent.
  base::expected<void> wait_for_parts(std::size_t most);
  base::expected<void> finish_part(part& done);
  base::expected<object_outcome> complete_parts();
  base::expected<object_outcome> judge_completion(const s3_request& request,
                                                  const s3_result& result);
  /// Whether the object that has the name is of this upload; nothing if none has it.
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
  /// A buffer of a part that was sent, to be filled again.
  std::string spare_;
  std::vector<std::unique_ptr<part>> in_flight_;
  /// Of parts 1 and on: entity tags as they were given, and raw MD5.
  std::vector<std::string> tags_;
  std::string digests_;
  bool are_tags_of_md5_ = true;
};

} // namespace matchcloud::store

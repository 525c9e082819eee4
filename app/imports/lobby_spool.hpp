#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "model/lobbies/lobby_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// A lobby of an import file, with the line that named it first.
struct spooled_lobby {
  model::lobby_record record;
  std::uint64_t line = 0;
};

/// Lobbies on their way from a file into the store: in a file without a name, which is mapped into
/// memory, so that the kernel may write out what does not fit. In memory proper: 4 to 16 bytes a
/// lobby, to find it by its id. One thread.
class lobby_spool {
public:
  /// Its index has 512 MB then.
  static constexpr std::size_t lobby_limit = 60'000'000;

  /// The file is made in `folder`. Fails with `io_failed` or `store_full`.
  static base::expected<lobby_spool> make(const std::string& folder);

  lobby_spool(lobby_spool&& other) noexcept;
  lobby_spool& operator=(lobby_spool&&) = delete;
  ~lobby_spool();

  /// The lobby with the id of `added`, which is added if there is none: true then. Valid until the
  /// next call. Fails with `import_invalid` beyond the limit, or `store_full`.
  base::expected<std::pair<spooled_lobby*, bool>> find_or_add(const spooled_lobby& added);

  /// All, to be read, changed and put in another order: from then on nothing can be found or added.
  std::span<spooled_lobby> all();
  std::size_t size() const noexcept { return size_; }

private:
  lobby_spool() = default;
  base::expected<void> reserve_one();
  void index_again(std::size_t places);
  /// Where the id is in the index, or would be.
  std::size_t place_of(const model::uuid& id) const;

  base::file_descriptor file_;
  std::string path_;
  spooled_lobby* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  /// Positions plus one, by hash; 0 is free. A power of two of places, at most half of them used.
  std::vector<std::uint32_t> index_;
};

} // namespace matchcloud::app

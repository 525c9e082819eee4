#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "model/lobbies/lobby_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// A lobby of an import file, with the first line that names it.
struct spooled_lobby {
  model::lobby_record record;
  std::uint64_t line = 0;
};

/// Holds lobbies on their way from a file into the store, in an unlinked file that is mapped into
/// memory, so that the kernel can write out what does not fit. The index from ids to lobbies takes
/// 8 to 16 bytes of real memory per lobby. One thread.
class lobby_spool {
public:
  /// At this size the index takes 512 MB.
  static constexpr std::size_t lobby_limit = 60'000'000;

  /// Creates the file in `folder`. Fails with `io_failed` or `store_full`.
  static base::expected<lobby_spool> make(const std::string& folder);

  lobby_spool(lobby_spool&& other) noexcept;
  lobby_spool& operator=(lobby_spool&&) = delete;
  ~lobby_spool();

  /// Finds the lobby with the id of `added`, or adds it and returns true with it. The pointer is
  /// valid until the next call. Fails with `import_invalid` beyond the limit, or with `store_full`.
  base::expected<std::pair<spooled_lobby*, bool>> find_or_add(const spooled_lobby& added);

  /// All lobbies, to be read, changed and reordered. After this call, lobbies cannot be found or
  /// added.
  std::span<spooled_lobby> all();
  std::size_t size() const noexcept { return size_; }

private:
  lobby_spool() = default;
  base::expected<void> reserve_one();
  void index_again(std::size_t places);
  /// The slot of the id in the index, or the free slot where it would go.
  std::size_t place_of(const model::uuid& id) const;

  base::file_descriptor file_;
  std::string path_;
  spooled_lobby* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  /// Positions plus one, by hash; 0 is free. The size is a power of two, at most half of it in use.
  std::vector<std::uint32_t> index_;
};

} // namespace matchcloud::app

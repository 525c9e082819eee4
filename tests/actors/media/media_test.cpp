#include "actors/media/media.hpp"

#include "base/faults.hpp"
#include "store/files/file_objects.hpp"
#include "store/media/images.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/memory_objects.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;

store::image_key key_of(std::uint8_t number) {
  store::image_key key;
  key.upload_id = id_of(number);
  key.name.digest[0] = number;
  return key;
}

struct media_bench : deterministic_system {
  temporary_directory folder;
  base::byte_budget no_budget{0};
  manual_pool pool;
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(log);
  caf::actor media;

  explicit media_bench(std::size_t open_files = 2, std::size_t waiting_limit = 4)
      : media_bench{[=](media_settings& settings) {
          settings.kept_limit = open_files;
          settings.waiting_limit = waiting_limit;
        }} {}
  explicit media_bench(const std::function<void(media_settings&)>& change) {
    media_settings settings;
    settings.images =
        std::make_shared<store::stored_images>(*store::file_objects::open(folder.path()),
                                               store::objects_delivery::redirect, no_budget, 100);
    settings.pool = &pool;
    change(settings);
    media = spawn<actors::media>(settings);
    run();
    std::filesystem::create_directories(folder.path("media/00"));
    for (std::uint8_t i = 1; i <= 5; ++i)
      std::ofstream{store::media_path(folder.path(), key_of(i))} << "image " << int{i};
  }
  ~media_bench() {
    pool.tasks.clear(); // tasks hold the actor
  }

  void ask(std::uint64_t exchange, std::uint8_t number) {
    send_as(front, media, open_media{{exchange, 1}, key_of(number)});
  }
  void run_pool() {
    while (pool.run_one())
      run();
  }
};

TEST_CASE("the first reader waits for the pool, the next is answered at once") {
  media_bench on;
  on.ask(1, 1);
  CHECK(on.log->opened.empty());
  REQUIRE(on.pool.tasks.size() == 1);
  on.run_pool();
  REQUIRE(on.log->opened.size() == 1);
  CHECK(on.log->opened[0].exchange == exchange_ref{1, 1});
  CHECK(on.log->opened[0].key == key_of(1));
  CHECK(on.log->opened[0].image.file->size_bytes() == 7);
  on.ask(2, 1);
  CHECK(on.pool.tasks.empty());
  REQUIRE(on.log->opened.size() == 2);
  CHECK(on.log->opened[1].image.file == on.log->opened[0].image.file);
}

TEST_CASE("an ended actor releases its files and requests") {
  media_bench on;
  on.ask(1, 1);
  on.run_pool();
  REQUIRE(on.log->opened.size() == 1);
  const std::weak_ptr<const base::open_file> file = on.log->opened[0].image.file;
  on.log->opened.clear();
  CHECK(!file.expired());
  on.ask(2, 2);
  on.pool.tasks.clear();
  const auto front = caf::actor_cast<caf::strong_actor_ptr>(on.front);
  const auto holders = front->strong_refs.load();
  on.kill(on.media);
  CHECK(file.expired());
  CHECK(front->strong_refs.load() == holders - 1);
}

TEST_CASE("requests join a file that is being opened, in order") {
  media_bench on;
  for (std::uint64_t exchange = 1; exchange <= 3; ++exchange)
    on.ask(exchange, 1);
  on.ask(4, 2);
  CHECK(on.pool.tasks.size() == 2);
  on.run_pool();
  REQUIRE(on.log->opened.size() == 4);
  for (std::uint64_t i = 0; i < 3; ++i)
    CHECK(on.log->opened[i].exchange.exchange == i + 1);
}

TEST_CASE("the number of open files is bounded, by last use") {
  media_bench on;
  for (std::uint8_t number : {1, 2, 1, 3}) {
    on.ask(number, number);
    on.run_pool();
  }
  std::vector<std::weak_ptr<const base::open_file>> files;
  for (const auto& opened : on.log->opened)
    files.push_back(opened.image.file);
  on.log->opened.clear();
  CHECK(!files[0].expired());
  CHECK(files[1].expired());
  CHECK(!files[3].expired());
}

TEST_CASE("a file that is still being sent is not opened twice") {
  media_bench on{1};
  on.ask(1, 1);
  on.run_pool();
  on.ask(2, 2);
  on.run_pool();
  on.ask(3, 1);
  on.run_pool();
  REQUIRE(on.log->opened.size() == 3);
  CHECK(on.log->opened[2].image.file == on.log->opened[0].image.file);
}

TEST_CASE("every waiting request gets the failure, and the next one tries again") {
  media_bench on;
  on.ask(1, 9);
  on.ask(2, 9);
  on.run_pool();
  REQUIRE(on.log->failed.size() == 2);
  CHECK(on.log->failed[0].exchange == exchange_ref{1, 1});
  CHECK(on.log->failed[1].error.code == errc::media_not_found);
  std::ofstream{store::media_path(on.folder.path(), key_of(9))} << "here now";
  on.ask(3, 9);
  on.run_pool();
  CHECK(on.log->opened.size() == 1);
}

TEST_CASE("a full pool refuses, and is asked again next time") {
  media_bench on;
  on.pool.full = true;
  on.ask(1, 1);
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.log->failed[0].error.code == errc::overloaded);
  on.pool.full = false;
  on.ask(2, 1);
  on.run_pool();
  CHECK(on.log->opened.size() == 1);
}

TEST_CASE("the number of waiting requests is bounded") {
  media_bench on;
  for (std::uint64_t exchange = 1; exchange <= 4; ++exchange)
    on.ask(exchange, exchange % 2 == 0 ? 1 : 2);
  on.ask(5, 1);
  on.ask(6, 3);
  REQUIRE(on.log->failed.size() == 2);
  CHECK(on.log->failed[0].exchange == exchange_ref{5, 1});
  CHECK(on.log->failed[0].error.code == errc::overloaded);
  CHECK(on.pool.tasks.size() == 2);
  on.run_pool();
  CHECK(on.log->opened.size() == 4);
  on.ask(7, 3);
  on.run_pool();
  CHECK(on.log->opened.size() == 5);
}

/// Images of a bucket, of 10 bytes each, and what the actor does with them.
struct bucket_bench {
  std::shared_ptr<memory_objects> objects = std::make_shared<memory_objects>();
  base::byte_budget budget{1'000};
  media_bench on;

  explicit bucket_bench(store::objects_delivery delivery, std::size_t kept_bytes = 1'000)
      : on{[&](media_settings& settings) {
          settings.images =
              std::make_shared<store::stored_images>(objects, delivery, budget, 4'096);
          settings.kept_limit = kept_bytes;
          settings.is_kept_in_memory = delivery == store::objects_delivery::through;
        }} {
    for (std::uint8_t i = 1; i <= 5; ++i)
      objects->place(object_of(key_of(i)).text(), std::string(10, 'x'));
  }

  void ask(std::uint8_t number) {
    on.ask(number, number);
    on.run_pool();
  }
};

TEST_CASE("an image in a bucket is a new link each time") {
  bucket_bench in{store::objects_delivery::redirect};
  auto& opened = in.on.log->opened;
  in.on.ask(1, 1);
  in.on.ask(2, 1);
  in.on.run_pool();
  REQUIRE(opened.size() == 2);
  for (const auto& each : opened) {
    CHECK(each.image.file == nullptr);
    CHECK(each.image.elsewhere.get.starts_with("https://bucket/media/00/"));
    CHECK(contains(each.image.elsewhere.head, " HEAD "));
  }
  in.on.ask(3, 1); // a link is valid for a minute: the next request gets another one
  CHECK(in.on.pool.tasks.size() == 1);
  in.on.run_pool();
  CHECK(opened.size() == 3);
  CHECK(in.objects->calls(object_call::link) == 4);
}

TEST_CASE("a fault while opening an image is a step of the trace") {
  struct held_up : store::image_source {
    base::expected<store::opened_image> open(const store::image_key& /*key*/) override {
      const auto now = base::machine_clock().now();
      base::faults::add_holds({{base::fault_point::bucket_request, now, now}});
      return tl::unexpected(store::image_not_found());
    }
    std::size_t known() const override { return 0; }
  };
  media_bench on{[](media_settings& settings) {
    settings.images = std::make_shared<held_up>();
    settings.is_kept_in_memory = true;
  }};
  const auto of = std::make_shared<ticket>();
  on.send_as(on.front, on.media, open_media{{1, 1}, key_of(1), of});
  on.run_pool();
  CHECK(std::ranges::any_of(of->trace.steps(), [](const request_trace::step& each) {
    return each.kind == step_kind::fault && std::string_view{each.place} == "bucket.request";
  }));
}

TEST_CASE("images in memory are bounded, small ones counting as 16 KiB") {
  bucket_bench in{store::objects_delivery::through, 40'000};
  for (const std::uint8_t number : {1, 2, 1, 3})
    in.ask(number);
  std::vector<std::weak_ptr<const base::open_file>> files;
  for (const auto& opened : in.on.log->opened)
    files.push_back(opened.image.file);
  REQUIRE(files.size() == 4);
  in.on.log->opened.clear();
  CHECK(!files[0].expired());
  CHECK(files[1].expired());
  CHECK(!files[3].expired());
  CHECK(in.budget.used_bytes() == 20);
}

TEST_CASE("an image beyond the cache's limit is not kept") {
  bucket_bench in{store::objects_delivery::through, 9};
  in.ask(1);
  REQUIRE(in.on.log->opened.size() == 1);
  CHECK(in.on.log->opened[0].image.file->size_bytes() == 10);
  in.on.log->opened.clear();
  CHECK(in.budget.used_bytes() == 0);
}

TEST_CASE("an image without memory is refused") {
  bucket_bench in{store::objects_delivery::through};
  in.objects->place(object_of(key_of(1)).text(), std::string(1'001, 'x'));
  in.ask(1);
  REQUIRE(in.on.log->failed.size() == 1);
  CHECK(in.on.log->failed[0].error.code == errc::budget_exhausted);
  in.ask(2);
  CHECK(in.on.log->opened.size() == 1);
}

} // namespace
} // namespace matchcloud::actors

#include "app/imports/avatar_importer.hpp"

#include "app/imports/line_input.hpp"
#include "app/imports/lobby_importer.hpp"
#include "model/catalog/catalog_document.hpp"
#include "store/files/file_objects.hpp"
#include "store/object_name.hpp"
#include "store/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/memory_objects.hpp"
#include "tests/fixtures/png_image.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <sys/stat.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

namespace matchcloud::app {
namespace {

using fixtures::object_call;
using fixtures::small_png;
using fixtures::temporary_directory;

std::string uuid_text(const std::string& last) {
  return "00000000-0000-4000-8000-" + std::string(12 - last.size(), '0') + last;
}

std::string line(const std::string& game, const std::string& upload, const std::string& rest) {
  return R"({"game_id":")" + uuid_text(game) + R"(","upload_id":")" + uuid_text(upload) +
         R"(","display_name":"A","create_ts":0,"content_length":1,)" + rest + "}\n";
}

struct avatar_importer_bench {
  temporary_directory data;
  temporary_directory images;
  std::shared_ptr<store::database> store;
  std::optional<store::lease<store::avatar_store>> into;
  cli::interrupt until;
  cli::progress_display progress{base::machine_clock()};

  avatar_importer_bench() {
    auto opened = store::open_sqlite(data.path());
    REQUIRE(opened.has_value());
    store = std::move(*opened);
    model::catalog_document games;
    games.games = {{*model::parse_uuid(uuid_text("1")), "One"}};
    REQUIRE(store->catalog().value()->import_document(games).has_value());
    images.file("a.png", small_png(1));
    images.file("b.png", small_png(2));
  }

  std::unique_ptr<avatar_importer> checked(const std::string& text) {
    into = store->avatars().value();
    auto import = std::make_unique<avatar_importer>(**into, images.path() + "/", until, progress);
    auto in = app::line_input::open(data.file("avatars.jsonl", text));
    import->check(in);
    return import;
  }
  app::avatar_import_summary write(avatar_importer& import) const {
    const auto objects = store::file_objects::open(data.path());
    REQUIRE(objects.has_value());
    return import.write(**objects);
  }
  std::vector<model::avatar> stored() const {
    std::vector<model::avatar> found;
    REQUIRE(
        store->avatars().value()->read(*model::parse_uuid(uuid_text("1")), [&](const auto& each) {
          found.push_back(each);
          return true;
        }));
    return found;
  }
};

std::string problems_of(const avatar_importer& import) {
  return import.findings().text();
}

TEST_CASE("good lines are stored with their images") {
  avatar_importer_bench on;
  auto import = on.checked(line("1", "a", R"("complete":true,"file":"a.png")") +
                           line("1", "b", R"("complete":false)"));
  CHECK(problems_of(*import).empty());
  CHECK(on.stored().empty()); // the lines were only checked
  const auto summary = on.write(*import);
  CHECK(summary.added == 2);
  const auto stored = on.stored();
  REQUIRE(stored.size() == 2);
  REQUIRE(stored[0].image.has_value());
  CHECK(std::filesystem::file_size(store::media_path(
            on.data.path(), {stored[0].upload_id, *stored[0].image})) == small_png(1).size());

  auto again = on.checked(line("1", "a", R"("complete":true,"file":"b.png")") +
                          line("1", "b", R"("complete":false)"));
  const auto changed = on.write(*again);
  CHECK(changed.changed == 1);
  CHECK(changed.unchanged == 1);
  CHECK(on.stored()[0].image != stored[0].image); // a different image has a different name
}

TEST_CASE("an image is stored without what follows it, under the name that it has without") {
  avatar_importer_bench on;
  on.images.file("long.png", small_png(1) + std::string(100'000, 'x'));
  auto import = on.checked(line("1", "a", R"("complete":true,"file":"a.png")") +
                           line("1", "b", R"("complete":true,"file":"long.png")"));
  const auto summary = on.write(*import);
  CHECK(summary.added == 2);
  CHECK(summary.images_cut == 1);
  const auto stored = on.stored();
  REQUIRE(stored.size() == 2);
  REQUIRE(stored[1].image.has_value());
  CHECK(stored[1].image == stored[0].image);
  CHECK(stored[1].content_length == 1); // as it was declared
  CHECK(std::filesystem::file_size(store::media_path(
            on.data.path(), {stored[1].upload_id, *stored[1].image})) == small_png(1).size());
}

TEST_CASE("everything that is wrong is listed by line, no matter which check found it") {
  avatar_importer_bench on;
  on.images.file("text.png", "not an image");
  const auto import =
      on.checked("nonsense\n" + line("9", "a", R"("complete":false)") + "\n" +
                 line("1", "b", R"("complete":true,"file":"text.png")") +
                 line("1", "c", R"("complete":true,"file":"missing.png")") +
                 line("1", "d", R"("complete":false)") + line("1", "d", R"("complete":false)"));
  const auto text = problems_of(*import);
  INFO(text);
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string each; std::getline(in, each);)
    lines.push_back(each);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].starts_with("line 1: malformed: "));
  CHECK(
      lines[1].starts_with("line 2: game_unknown: game_id: no game has the id " + uuid_text("9")));
  CHECK(lines[2].starts_with("line 4: invalid: file \"text.png\": the file's content is neither"));
  CHECK(lines[3].starts_with("line 5: invalid: file \"missing.png\": cannot be read: No such"));
  CHECK(lines[4].starts_with("line 7: conflict: upload_id " + uuid_text("d") + " is on line 6"));
}

TEST_CASE("a file's name in a problem cannot pass for another line or move a terminal's cursor") {
  avatar_importer_bench on;
  const auto import =
      on.checked(line("1", "a", R"("complete":true,"file":"a\u001b[2J\nline 7: conflict")"));
  CHECK(problems_of(*import).starts_with(
      R"(line 1: invalid: file "a\u001b[2J\u000aline 7: conflict": cannot be read)"));
}

TEST_CASE("an image that changes between check and copy is left out and named") {
  avatar_importer_bench on;
  auto import = on.checked(line("1", "a", R"("complete":true,"file":"a.png")") +
                           line("1", "b", R"("complete":true,"file":"b.png")"));
  on.images.file("a.png", small_png(3));
  const auto summary = on.write(*import);
  CHECK(summary.added == 1);
  CHECK(problems_of(*import).starts_with("line 1: invalid: file \"a.png\": changed during"));
  CHECK(on.stored().size() == 1);
}

TEST_CASE("more than one batch is written whole") {
  avatar_importer_bench on;
  std::string text;
  constexpr std::size_t count = 2 * avatar_importer::batch_limit + 1;
  for (std::size_t i = 0; i < count; ++i)
    text += line("1", std::to_string(i), R"("complete":false)");
  auto import = on.checked(text);
  CHECK(on.write(*import).added == count);
  CHECK(on.stored().size() == count);
}

TEST_CASE("files that are no files do not hold an import up") {
  avatar_importer_bench on;
  REQUIRE(::mkfifo(on.images.path("pipe.png").c_str(), 0600) == 0);
  std::filesystem::create_directory(on.images.path("folder.png"));
  const auto import = on.checked(line("1", "a", R"("complete":true,"file":"pipe.png")") +
                                 line("1", "b", R"("complete":true,"file":"folder.png")"));
  const auto text = problems_of(*import);
  CHECK(text.find("\"pipe.png\": is not a regular file") != std::string::npos);
  CHECK(text.find("\"folder.png\": is not a regular file") != std::string::npos);
}

/// Lines that each have an image of their own, as many as `count`.
std::string lines_with_images(const avatar_importer_bench& on, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = std::to_string(i) + ".png";
    on.images.file(name, small_png(i));
    text += line("1", std::to_string(i), R"("complete":true,"file":")" + name + "\"");
  }
  return text;
}

TEST_CASE("images are stored several at once, within a bound") {
  avatar_importer_bench on;
  fixtures::memory_objects objects;
  constexpr std::size_t count = 60;
  auto import = on.checked(lines_with_images(on, count));
  std::mutex mutex;
  std::condition_variable came;
  int begun = 0;
  std::set<std::thread::id> threads;
  objects.meanwhile = [&](object_call call) {
    if (call != object_call::put_new) return;
    std::unique_lock lock{mutex};
    threads.insert(std::this_thread::get_id());
    ++begun;
    came.notify_all();
    // The first continues only when a second one has begun next to it.
    came.wait_for(lock, e2e::patience, [&] { return begun > 1; });
  };
  const auto done = import->write(objects);
  CHECK(done.added == count);
  CHECK(objects.names().size() == count);
  CHECK(threads.size() > 1);
  CHECK(threads.size() <= 8);
  for (const auto& each : on.stored())
    CHECK(objects.find(store::object_of(store::image_key{each.upload_id, *each.image}).text()));
}

TEST_CASE("a store that takes no more images ends an import before its avatars are written") {
  avatar_importer_bench on;
  fixtures::memory_objects objects;
  auto import = on.checked(lines_with_images(on, 100));
  objects.fail(object_call::put_new, 5);
  const auto done = base::attempt([&] { return import->write(objects); });
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == base::errc::store_failed);
  CHECK(on.stored().empty());
  CHECK(objects.names().size() == 5);
  // Each may take as long as the store waits for its service: no more are begun.
  CHECK(objects.calls(object_call::put_new) <= 5 + 2 * 8);
  objects.mend(object_call::put_new);
  const auto again = import->write(objects);
  CHECK(again.added == 100);
  CHECK(objects.names().size() == 100);
}

TEST_CASE("images that changed are named in the order of their lines, not of their threads") {
  avatar_importer_bench on;
  fixtures::memory_objects objects;
  auto import = on.checked(lines_with_images(on, 40));
  for (std::size_t i = 0; i < 40; i += 4)
    on.images.file(std::to_string(i) + ".png", small_png(100 + i));
  const auto done = import->write(objects);
  CHECK(done.added == 30);
  CHECK(objects.names().size() == 30);
  CHECK(import->findings().count() == 10);
  std::istringstream in{problems_of(*import)};
  std::size_t at = 0;
  for (std::string each; std::getline(in, each); at += 4)
    CHECK(each.starts_with("line " + std::to_string(at + 1) + ": invalid: file \"" +
                           std::to_string(at) + ".png\": changed during"));
  CHECK(at == 40);
}

spooled_lobby lobby_of(std::uint32_t number) {
  spooled_lobby made;
  for (std::size_t i = 0; i < 4; ++i)
    made.record.lobby_id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  made.record.times.start_ts = number;
  made.line = number + 1;
  return made;
}

TEST_CASE("a spool finds what was added, however much that is, and leaves no file") {
  const fixtures::temporary_directory directory;
  auto spool = lobby_spool::make(directory.path());
  CHECK(std::filesystem::is_empty(directory.path()));
  // More than the initial size of the file and of the index.
  constexpr std::uint32_t count = 300'000;
  for (std::uint32_t i = 0; i < count; ++i) {
    REQUIRE(spool.find_or_add(lobby_of(i)).second);
  }
  for (std::uint32_t i = 0; i < count; i += 7) {
    const auto found = spool.find_or_add(lobby_of(i));
    REQUIRE_FALSE(found.second);
    REQUIRE(found.first->line == i + 1);
    found.first->record.times.start_ts = 0;
  }
  const auto all = spool.all();
  REQUIRE(all.size() == count);
  CHECK(all[0].line == 1);
  CHECK(all[7].record.times.start_ts == 0);
  CHECK(all[8].record.times.start_ts == 8);
}

TEST_CASE("a spool that cannot be made says where") {
  const auto spool = base::attempt([] { return lobby_spool::make("/nowhere"); });
  REQUIRE_FALSE(spool.has_value());
  CHECK(spool.error().code == base::errc::io_failed);
  CHECK(spool.error().detail.starts_with("/nowhere/spool-"));
}

TEST_CASE("problems found in any order are listed by line, the first ones, and counted") {
  line_findings findings;
  for (std::uint64_t line = 300; line > 0; --line)
    findings.add(line, {model::line_errc::invalid, "x" + std::to_string(line)});
  CHECK(findings.count() == 300);
  CHECK(findings.text().starts_with("line 1: invalid: x1\nline 2: invalid: x2\n"));
  CHECK(findings.text().ends_with("\nline 100: invalid: x100\nand 200 more"));
}

} // namespace
} // namespace matchcloud::app

#include "tests/store/objects/object_engines.hpp"

#include "store/files/file_objects.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/objects/s3_service.hpp"

#include <algorithm>
#include <filesystem>
#include <random>

namespace matchcloud::store {

namespace {

class files final : public fresh_objects {
public:
  std::unique_ptr<object_store> open() override {
    auto opened = file_objects::open(directory_.path());
    REQUIRE(opened.has_value());
    return *std::move(opened);
  }
  std::size_t unfinished() override {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator{directory_.path("tmp")})
      if (each.is_regular_file()) ++count;
    return count;
  }
  std::size_t long_bytes() const override { return std::size_t{1} << 20; }

private:
  fixtures::temporary_directory directory_;
};

class bucket final : public fresh_objects {
public:
  std::unique_ptr<object_store> open() override { return bucket_.open(); }
  std::size_t unfinished() override { return bucket_.unfinished(); }
  std::size_t long_bytes() const override { return bucket_.settings.part_bytes; }

private:
  s3_bucket bucket_;
};

} // namespace

const std::vector<object_engine>& object_engines() {
  static const std::vector<object_engine> all = [] {
    std::vector<object_engine> engines{{"files", [] { return std::make_unique<files>(); }}};
    if (has_s3_service()) engines.push_back({"S3", [] { return std::make_unique<bucket>(); }});
    return engines;
  }();
  return all;
}

std::string some_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::string bytes(count, '\0');
  std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
  return bytes;
}

std::optional<std::string> content_of(object_store& in, std::string_view name,
                                      const std::optional<object_range>& range) {
  std::string content;
  const auto read = in.read(named(name), range, [&](std::string_view piece) {
    content += piece;
    return true;
  });
  INFO((read ? std::string{} : to_string(read.error())));
  REQUIRE(read.has_value());
  if (!*read) return std::nullopt;
  return content;
}

std::vector<std::string> listed(object_store& in, const std::string& folder) {
  std::vector<std::string> names;
  const auto below = folder.empty() ? std::nullopt : object_name::parse(folder);
  const auto done = in.list(below, [&](const object_name& name, const object_facts& facts) {
    names.push_back(name.text() + " " + std::to_string(facts.size_bytes));
    return true;
  });
  INFO((done ? std::string{} : to_string(done.error())));
  REQUIRE(done.has_value());
  std::ranges::sort(names);
  return names;
}

} // namespace matchcloud::store

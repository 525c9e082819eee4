#include "tests/simulation/database.hpp"

#include "store/files/secret_files.hpp"
#include "store/files/stable_file.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/simulation/seed.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

namespace matchcloud::simulation {

namespace {

/// The start of the simulated wall clock; lobbies start a little before.
constexpr std::int64_t begin_ts = 1'700'003'600'000;
constexpr std::array<const char*, 3> tiers{"basic-1d1", "basic-1d2", "basic-1d4"};

model::catalog first_catalog() {
  model::catalog made;
  made.revision = 1;
  made.regions = {{"ams", "Amsterdam", "Cloud", {52.37, 4.9}},
                  {"fra", "Frankfurt", "Cloud", {50.11, 8.68}},
                  {"gru", "Sao Paulo", "Other", {-23.55, -46.63}},
                  {"lax", "Los Angeles", "Cloud", {34.05, -118.24}},
                  {"nrt", "Tokyo, \"bay\"", "Cloud", {35.68, 139.69}},
                  {"syd", "Sydney", "Other", {-33.87, 151.21}}};
  made.tiers.assign(tiers.begin(), tiers.end());
  made.games = {{numbered(1), "One"}, {numbered(2), "Two"}, {numbered(3), "Three"}};
  made.namespaces = {
      {numbered(11), numbered(1), "prod", {"one.example"}, std::nullopt},
      {numbered(12), numbered(1), "far", {"far.example"}, std::vector<std::string>{"nrt", "syd"}},
      {numbered(21), numbered(2), "prod", {"two.example"}, std::vector<std::string>{"ams", "lax"}},
      {numbered(31), numbered(3), "prod", {"three.example"}, std::nullopt}};
  made.index_domains();
  return made;
}

stored_state first_state() {
  stored_state made;
  made.become(first_catalog());
  return made;
}

} // namespace

model::uuid numbered(std::uint32_t number) {
  model::uuid id;
  for (std::size_t i = 0; i < 4; ++i)
    id.bytes[12 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return id;
}

const std::vector<model::uuid>& known_games() {
  static const std::vector<model::uuid> all{numbered(1), numbered(2), numbered(3)};
  return all;
}

const std::vector<std::string>& known_domains() {
  static const std::vector<std::string> all{"one.example", "far.example", "two.example",
                                            "three.example", "nobody.example"};
  return all;
}

database::database(std::uint64_t seed) : memory_store{first_state()}, random_{seed} {
  when_taken = [this](const taken_snapshot& taken) { snapshots.push_back(taken); };
  for (int i = 0; i < 6; ++i) {
    change_avatars();
    change_lobbies(begin_ts);
  }
}

std::string database::change_catalog() {
  auto changed = *now().catalog;
  changed.revision = ++last_revision_;
  std::string what;
  switch (random_.below(4)) {
  case 0: {
    auto& where = changed.namespaces[random_.below(changed.namespaces.size())];
    where.name = "name-" + std::to_string(last_revision_);
    what = "a namespace is renamed";
    break;
  }
  case 1: {
    auto& region = changed.regions[random_.below(changed.regions.size())];
    region.region_display_name = "Region " + std::to_string(last_revision_);
    region.datacenter_coord.latitude = static_cast<double>(random_.between(-80, 80));
    what = "a region is renamed and moved";
    break;
  }
  case 2: {
    auto& list = changed.namespaces[random_.below(changed.namespaces.size())].regions;
    if (list)
      list.reset();
    else
      list = std::vector<std::string>{"fra", "lax"};
    what = "a namespace's regions change";
    break;
  }
  default:
    if (changed.games.size() == known_games().size())
      changed.games.pop_back();
    else
      changed.games.push_back({known_games().back(), "Again"});
    what = "a game goes or comes";
  }
  changed.index_domains();
  auto state = now();
  state.become(std::move(changed));
  become(std::move(state));
  return "catalog " + std::to_string(last_revision_) + ": " + what;
}

std::string database::change_avatars() {
  auto state = now();
  const auto& game = random_.of(known_games());
  const auto list = state.avatars_of(game);
  if (!list.empty() && random_.one_in(3)) {
    state.avatars.erase(random_.of(list).upload_id);
  } else {
    const auto number = ++last_id_;
    model::avatar made{game,
                       numbered(number),
                       "Avatar " + std::to_string(number),
                       begin_ts + number,
                       random_.next(),
                       false,
                       std::nullopt};
    if (random_.one_in(8)) made.display_name.append(200, 'x');
    state.avatars.emplace(made.upload_id, std::move(made));
  }
  state.avatar_revisions[game] = ++last_revision_;
  become(std::move(state));
  return "avatars of game " + std::to_string(game.bytes.back()) + " change";
}

std::string database::change_lobbies(std::int64_t now_ts) {
  auto state = now();
  const auto& game = random_.of(known_games());
  const auto running = std::ranges::find_if(state.lobbies, [&](const auto& each) {
    return !each.second.times.stop_ts && state.game_of(each.second) == game;
  });
  std::string what;
  if (running != state.lobbies.end() && random_.one_in(2)) {
    auto& times = running->second.times;
    times.stop_ts = std::max(now_ts, times.start_ts);
    what = "stops";
  } else {
    std::vector<model::uuid> where;
    for (const auto& each : state.catalog->namespaces)
      if (each.game_id == game) where.push_back(each.namespace_id);
    model::lobby made;
    made.lobby_id = numbered(++last_id_);
    made.times.start_ts = now_ts - random_.between(0, 100'000);
    if (random_.one_in(2)) made.times.stop_ts = made.times.start_ts + random_.between(0, 50'000);
    made.attributes = {
        random_.of(where), numbered(77),        random_.of(state.catalog->regions).region_id,
        random_.of(tiers), "v\"1\", the first", "duel"};
    state.lobbies.emplace(made.lobby_id, std::move(made));
    what = "begins";
  }
  state.lobby_revisions[game] = ++last_revision_;
  become(std::move(state));
  return "a lobby of game " + std::to_string(game.bytes.back()) + " " + what;
}

store::lobby_merge database::merge_lobbies(std::span<const model::lobby_record> records,
                                           const model::lobby_attributes_table& attributes) {
  store::lobby_merge done;
  // A transaction takes as many as fit into its time.
  const auto most = random_.one_in(2) ? records.size() : 1 + random_.below(records.size());
  for (const auto& each : records.first(most))
    count(done, now().merge_into(ingested_, report_of(each, attributes)));
  return done;
}

namespace {

namespace fs = std::filesystem;

std::string parent_directory() {
  std::error_code failed;
  return fs::is_directory("/dev/shm", failed) ? "/dev/shm" : fs::temp_directory_path().string();
}

} // namespace

files::files() : directory_{parent_directory()} {
  make_images();
  make_databases();
  auto keys = store::secret_ring::open(std::make_shared<store::secret_files>(path()));
  if (!keys) throw std::runtime_error{base::to_string(keys.error())};
  keys_ = *std::move(keys);
}

void files::make_images() {
  chance random{1};
  for (const std::size_t size : {100, 3'000, 400'000}) {
    image made;
    made.key.upload_id = numbered(static_cast<std::uint32_t>(size));
    for (auto& byte : made.key.name.digest)
      byte = static_cast<std::uint8_t>(random.next());
    for (std::size_t i = 0; i < size; ++i)
      made.bytes += static_cast<char>(random.next());
    const auto where = store::media_path(path(), made.key);
    fs::create_directories(fs::path{where}.parent_path());
    std::ofstream{where, std::ios::binary} << made.bytes;
    images_.push_back(std::move(made));
  }
}

void files::make_databases() {
  for (std::size_t number = 0; number < databases(); ++number) {
    fixtures::mmdb_builder builder;
    for (std::uint8_t client = 1; client <= located_clients; ++client) {
      const auto where = location(number, client);
      builder.add_v4({192, 0, 2, client}, 32,
                     fixtures::mmdb_nested_record(where.latitude, where.longitude));
    }
    directory_.file("geoip-" + std::to_string(number), builder.build());
  }
  // A file that was just written is not opened at once, by real time. From here on, looks at the
  // files depend on simulated time alone.
  while (store::file_state::of(database_path(databases() - 1)).is_fresh())
    std::this_thread::yield();
}

std::string files::database_path(std::size_t number) const {
  return directory_.path("geoip-" + std::to_string(number));
}

model::coordinates files::location(std::size_t database, std::uint8_t client) {
  return {static_cast<double>(client) * 10 + static_cast<double>(database),
          static_cast<double>(client) * 30 - 60};
}

} // namespace matchcloud::simulation

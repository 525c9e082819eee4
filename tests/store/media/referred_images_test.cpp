#include "store/media/images.hpp"

#include "store/open_store.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/store/store_fixture.hpp"

namespace matchcloud::store {
namespace {

/// Images that are all there.
class all_images final : public image_source {
public:
  base::expected<opened_image> open(const image_key&) override {
    ++opened;
    return opened_image{};
  }
  std::size_t known() const override { return 0; }

  int opened = 0;
};

struct referred_images_bench {
  fixtures::temporary_directory directory;
  std::shared_ptr<database> in = had(open_sqlite(directory.path()));
  std::shared_ptr<all_images> all = std::make_shared<all_images>();
  referred_images images{all, in, std::chrono::hours{24}};
  image_key key{id_of(5), *model::parse_image_name("0123456789abcdef0123456789abcdef.png")};

  referred_images_bench() {
    model::avatar made;
    made.game_id = id_of(1);
    made.upload_id = key.upload_id;
    made.image = key.name;
    had(had(in->catalog())->import_document(lobby_catalog()));
    had(had(in->avatars())->put({&made, 1}));
  }
  bool opens() { return images.open(key).has_value(); }
};

TEST_CASE("an image is found if an avatar has it") {
  referred_images_bench on;
  CHECK(on.opens());
  auto other = on.key;
  other.name.type = model::image_type::jpeg;
  const auto failed = on.images.open(other);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == base::errc::media_not_found);
  CHECK(on.all->opened == 1);
}

TEST_CASE("the image of a removed avatar is found until what is known is forgotten") {
  referred_images_bench on;
  CHECK(on.opens());
  had(had(on.in->erasures())->remove_avatar(id_of(1), id_of(5)));
  CHECK(on.opens());
  const auto before = on.images.forgotten();
  on.images.forget();
  CHECK(on.images.forgotten() == before + 1);
  CHECK_FALSE(on.opens());
}

TEST_CASE("images of an erased game are not found") {
  referred_images_bench on;
  had(had(on.in->erasures())->begin_erasure(id_of(1), 1));
  CHECK_FALSE(on.opens());
}

} // namespace
} // namespace matchcloud::store

// Avatars, and what is removed for good: avatars, and games with all their data.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { judge, until, withConsole } from "./support/browser.mjs";
import { ask, command, demoFolder, startService } from "./support/service.mjs";

const images = (page) => page.locator(".gallery img");
const areDrawn = (page) => images(page).evaluateAll((all) => all.length > 0 && all.every((image) =>
  image.complete && image.naturalWidth > 0 && image.src.startsWith("blob:")));

test("complete avatars have their images, the others are marked and can be filtered", async () => {
  await withConsole("#/avatars", {}, async (page) => {
    await until(async () => await images(page).count() === 3 && areDrawn(page), "three images");
    assert.equal(await page.locator(".avatar").count(), 5);
    assert.equal(await page.locator(".avatar.incomplete").count(), 2);
    await page.getByText("5 of 5 avatars. Incomplete in total: 2.").waitFor();
    await page.getByLabel("Show").selectOption("incomplete");
    await until(async () => await page.locator(".avatar").count() === 2, "the incomplete ones");
    assert.match(page.url(), /show=incomplete/);
    await page.getByText("1.91 MiB").waitFor();
    await page.getByLabel("Show").selectOption("");
    await page.getByLabel("Name or id").fill("turtle");
    await until(async () => await page.locator(".avatar").count() === 1, "the turtle");
    await page.getByRole("img", { name: "Tide Turtle" }).waitFor();
    await page.reload();
    await page.getByRole("img", { name: "Tide Turtle" }).waitFor();
    assert.equal(await page.locator(".avatar").count(), 1);
  });
});

const id = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const many = Array.from({ length: 300 }, (_, index) => ({ upload_id: id(index),
  display_name: `Avatar ${index}`, create_ts: "2026-01-01T00:00:00.000Z", content_length: 100,
  complete: true, url: `http://127.0.0.1:1/media/avatars/${id(index)}/a.png` }));
const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwACh"
  + "wGA60e6kgAAAABJRU5ErkJggg==", "base64");

async function withMany(page, answer) {
  await page.route("**/avatars", (route) => (route.request().resourceType() === "fetch"
    ? route.fulfill({ json: { custom_avatars: many } }) : route.continue()));
  await page.route("**/v1/images/**", answer);
  await page.reload();
}

test("only images near the view are loaded, at most six at once", async () => {
  await withConsole("#/avatars", {}, async (page) => {
    let running = 0;
    let most = 0;
    let loaded = 0;
    await page.evaluate(() => { globalThis.live = 0; });
    await page.addInitScript(() => {
      globalThis.live = 0;
      const { createObjectURL, revokeObjectURL } = URL;
      URL.createObjectURL = (blob) => {
        ++globalThis.live;
        return createObjectURL.call(URL, blob);
      };
      URL.revokeObjectURL = (url) => {
        --globalThis.live;
        return revokeObjectURL.call(URL, url);
      };
    });
    await withMany(page, async (route) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      --running;
      ++loaded;
      await route.fulfill({ body: pixel, contentType: "image/png" });
    });
    await until(() => areDrawn(page), "images");
    await page.getByRole("img", { name: "Avatar 0", exact: true }).waitFor();
    assert.ok(most <= 6, `${most} at once`);
    assert.ok(loaded < 100, `${loaded} loaded`);
    await page.getByRole("button", { name: /^Show more: 120 of 300/ }).scrollIntoViewIfNeeded();
    await page.getByRole("img", { name: "Avatar 119" }).waitFor();
    const first = page.getByRole("img", { name: "Avatar 0", exact: true });
    await until(async () => await first.count() === 0, "the first one to be given up");
    await until(() => page.evaluate(() => globalThis.live
      === document.querySelectorAll(".gallery img").length), "a URL for each image that is shown");
    await page.getByRole("link", { name: "Live" }).click();
    await until(async () => await page.evaluate(() => globalThis.live) === 0, "all to be revoked");
  });
});

test("files that are not images, and names with markup, are shown as text", async () => {
  await withConsole("#/avatars", { expected: [/404/] }, async (page) => {
    many[0].display_name = "<img src=x onerror=alert(1)>";
    await withMany(page, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname.includes(id(1))) {
        const json = { code: "media_not_found", detail: "It is gone." };
        return route.fulfill({ status: 404, json });
      }
      if (pathname.includes(id(2))) {
        return route.fulfill({ body: "<svg onload=alert(1)>", contentType: "image/svg+xml" });
      }
      if (pathname.includes(id(3))) {
        return route.fulfill({ body: "no png", contentType: "image/png" });
      }
      return route.fulfill({ body: pixel, contentType: "image/png" });
    });
    await page.getByText("It is gone.").waitFor();
    await page.getByText("This is image/svg+xml, not PNG or JPEG.").waitFor();
    await page.getByText("The browser cannot show this image.").waitFor();
    await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
  });
});
const demoGame = "00000000-0000-4000-8000-000000000001";
const catalogPage = `#/catalog?kind=games&id=${demoGame}`;

let service;
before(async () => {
  // The demo's lobbies are so old that their expiry waits for a confirmation.
  const dataDir = demoFolder();
  command("retention", "--confirm", "--data-dir", dataDir);
  service = await startService({ dataDir,
    flags: ["--retention-days", "30", "--expiry-delay-ms", "0"] });
});
after(async () => {
  await service?.stop();
});

const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();

// The demo's lobbies, which have expired.
const january = Date.UTC(2026, 0, 1);
const february = Date.UTC(2026, 1, 1);

test("an export that reaches further back than history is kept says so", () =>
  withConsole(`#/lobbies?start=${january}&end=${february}`,
    { url: service.ops }, async (page) => {
      await until(async () => {
        const kept = await ask("GET", "/v1/retention", undefined, { url: service.ops });
        return kept.games[0].complete_from !== null;
      }, "lobbies that expired");
      await page.getByRole("button", { name: "Export this span" }).click();
      await page.getByText("Older history is not kept").waitFor();
    }));

test("an avatar is removed once its name is typed", () =>
  withConsole(`#/avatars?game=${demoGame}`, { url: service.ops }, async (page) => {
    await allow(page);
    const turtle = page.locator(".avatar", { hasText: "Tide Turtle" });
    await turtle.getByRole("button", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog");
    assert.ok(await dialog.getByRole("button", { name: "Remove" }).isDisabled());
    await dialog.getByLabel("Type Tide Turtle to continue.").fill("Tide Turtle");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await turtle.waitFor({ state: "detached" });
    await page.getByText("4 of 4 avatars").waitFor();
  }));

test("a game is erased with everything once its name is typed, and its progress is shown", () =>
  withConsole(catalogPage, { url: service.ops }, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "Erase everything" }).click();
    const dialog = page.getByRole("dialog");
    const erase = dialog.getByRole("button", { name: "Erase everything" });
    assert.ok(await erase.isDisabled());
    await dialog.getByLabel("Type Demo Game to continue.").fill("Demo Game");
    await erase.click();
    const erased = page.getByRole("region", { name: "Erased games" });
    await erased.getByText("erased", { exact: true }).waitFor();
    await erased.getByRole("cell", { name: "4", exact: true }).waitFor();
    await judge(page);
    const { games } = await ask("GET", "/v1/games", undefined, { url: service.ops });
    assert.deepEqual(games, []);
  }));

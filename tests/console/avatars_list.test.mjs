// Avatars: where an image is, which ones are shown, and that few are loaded at once.
import assert from "node:assert/strict";
import { test } from "node:test";

import { imageQueue } from "../../console/src/panels/avatars/image_queue.js";
import { filtered, imagePath } from "../../console/src/panels/avatars/list.js";

const id = "00000000-0000-4000-8000-000000000104";

test("an image's path is made from the end of its URL, and other URLs have none", () => {
  const of = (url, complete = true) => imagePath({ url, complete });
  assert.equal(of(`https://cdn.example/base/media/avatars/${id}/2fbc.png`),
    `/v1/images/${id}/2fbc.png`);
  assert.equal(of(`/media/avatars/${id}/a.jpg?x=1#y`), `/v1/images/${id}/a.jpg`);
  for (const url of [undefined, "", "http://", `https://x/${id}`, `https://x/${id}/..%2fsecret`,
    `https://x/${id}/.hidden`, "https://x/no-uuid/a.png", `https://x/${id}/a b.png`]) {
    assert.equal(of(url), null, url);
  }
  assert.equal(of(`https://x/${id}/a.png`, false), null);
});

test("avatars are found by state, and by name or id", () => {
  const avatars = [{ upload_id: id, display_name: "Tide Turtle", complete: true },
    { upload_id: "ff", display_name: "Night Fox", complete: false }];
  const names = (wanted) => filtered(avatars, { state: "", text: "", ...wanted })
    .map(({ display_name: name }) => name);
  assert.deepEqual(names({}), ["Tide Turtle", "Night Fox"]);
  assert.deepEqual(names({ state: "incomplete" }), ["Night Fox"]);
  assert.deepEqual(names({ state: "complete", text: "fox" }), []);
  assert.deepEqual(names({ text: " TIDE " }), ["Tide Turtle"]);
  assert.deepEqual(names({ text: "0104" }), ["Tide Turtle"]);
});

test("a limited number is loaded at once, and what is given up is not loaded", async () => {
  const begun = [];
  const ends = [];
  const queue = imageQueue((path) => new Promise((resolve, reject) => {
    begun.push(path);
    ends.push({ resolve, reject });
  }), 2);
  const endings = Array.from({ length: 5 }, () => new AbortController());
  const all = endings.map(({ signal }, index) => queue(`${index}`, signal));
  assert.deepEqual(begun, ["0", "1"]);
  endings[2].abort();
  await assert.rejects(all[2], { name: "AbortError" });
  ends[0].reject(new Error("gone"));
  await assert.rejects(all[0], /gone/);
  ends[1].resolve("image 1");
  assert.equal(await all[1], "image 1");
  await new Promise(setImmediate);
  assert.deepEqual(begun, ["0", "1", "3", "4"]);
  ends.slice(2).forEach(({ resolve }) => resolve("image"));
  assert.deepEqual(await Promise.all(all.slice(3)), ["image", "image"]);
  await assert.rejects(queue("5", AbortSignal.abort()), { name: "AbortError" });
});

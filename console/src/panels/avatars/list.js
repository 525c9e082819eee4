// What a gallery does with the list of avatars.

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const fileName = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The path of an avatar's image on the ops plane, made from the last two parts of its URL on the
 * data plane. Null if the avatar has no image, or another kind of URL.
 */
export function imagePath({ url, complete }) {
  if (!complete || typeof url !== "string") return null;
  let parts;
  try {
    parts = new URL(url, "http://localhost").pathname.split("/");
  } catch {
    return null;
  }
  const [upload, file] = parts.slice(-2);
  const isSafe = uuid.test(upload ?? "") && fileName.test(file ?? "") && !file.startsWith(".");
  return isSafe ? `/v1/images/${upload}/${file}` : null;
}

/** The states that a gallery may be filtered by, with their labels. */
export const filters = [["", "All"], ["complete", "Complete"], ["incomplete", "Incomplete"]];

/**
 * The avatars in a state whose name or id contains `text`, ignoring case.
 * @param {object[]} avatars
 * @param {{state: string, text: string}} wanted
 */
export function filtered(avatars, { state, text }) {
  const part = text.trim().toLocaleLowerCase();
  return avatars.filter((avatar) => {
    if (state === "complete" && !avatar.complete) return false;
    if (state === "incomplete" && avatar.complete) return false;
    return part === "" || avatar.display_name.toLocaleLowerCase().includes(part)
      || avatar.upload_id.includes(part);
  });
}

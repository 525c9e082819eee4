// An image that needs the token: it is fetched, and stays in memory while it is near the view.
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { send } from "../../core/api.js";
import { imageQueue } from "./image_queue.js";

const at_once = 6;
const near = "400px";
const bytes_limit = 8_000_000;
const types = new Set(["image/png", "image/jpeg"]);

async function load(path, signal) {
  const response = await send("GET", path, { signal });
  const blob = await response.blob();
  const type = blob.type.split(";")[0].trim().toLowerCase();
  if (!types.has(type)) throw new Error(`This is ${type || "an unknown type"}, not PNG or JPEG.`);
  if (blob.size > bytes_limit) throw new Error("This is too large to be shown.");
  return blob;
}

const queued = imageQueue(load, at_once);

/** Whether an element is in the view or near it. */
function useNear(element) {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setNear(entry.isIntersecting),
      { rootMargin: near });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return isNear;
}

/**
 * An avatar's image. It is loaded when it comes near the view, at most six at once. When it is far
 * again, the image is dropped and its URL revoked.
 * @param {object} props
 * @param {string|null} props.path on the ops plane; null shows that there is no image
 * @param {string} props.name of the avatar
 * @param {(size: {width: number, height: number}) => void} props.onSize gets its pixels
 */
export function AvatarImage({ path, name, onSize }) {
  const element = useRef(null);
  const isNear = useNear(element);
  const [shown, setShown] = useState({ url: null, wrong: null });
  useEffect(() => {
    if (!isNear || path === null) return undefined;
    const ending = new AbortController();
    let url = null;
    queued(path, ending.signal).then((blob) => {
      if (ending.signal.aborted) return;
      url = URL.createObjectURL(blob);
      setShown({ url, wrong: null });
    }, (error) => {
      if (!ending.signal.aborted) setShown({ url: null, wrong: error.detail ?? error.message });
    });
    return () => {
      ending.abort();
      setShown({ url: null, wrong: null });
      if (url) URL.revokeObjectURL(url);
    };
  }, [isNear, path]);
  const failed = () => setShown({ url: null, wrong: "The browser cannot show this image." });
  return html`<div class="avatar-image" ref=${element}>
    ${shown.url && html`<img src=${shown.url} alt=${name} onError=${failed}
      onLoad=${({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
        onSize({ width, height })} />`}
    ${shown.wrong && html`<span class="wrong"><bdi>${shown.wrong}</bdi></span>`}
    ${path === null && html`<span class="faint">no image</span>`}
  </div>`;
}

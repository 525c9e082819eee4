// A game's avatars with their images, and the dialog that removes one.
import { Image, Trash2 } from "lucide-preact";
import { send } from "../../core/api.js";
import { Badge, Bytes, Confirm, CopyCurl, Empty, Loading, Name, Problem, Time,
  announce } from "../../core/components.js";
import { html, useState } from "../../core/html.js";
import { mayChange } from "../../core/session.js";
import { IdText } from "../catalog/id_text.js";
import { AvatarImage } from "./avatar_image.js";
import { imagePath } from "./list.js";

function Removal({ game, avatar, onDone, onClose }) {
  const path = `/v1/games/${encodeURIComponent(game)}/avatars/${avatar.upload_id}`;
  const remove = async () => {
    await send("DELETE", path);
    announce("The avatar is removed.");
    onDone();
  };
  return html`<${Confirm} title="Remove avatar" expect=${avatar.display_name} action="Remove"
    onConfirm=${remove} onClose=${onClose}>
    <p>The avatar leaves the game's list. Within a second the service stops serving its image: pages
      and players that use its address get 404. Browsers and CDNs may keep their copies.</p>
    <p><strong>This cannot be undone.</strong> Another upload of the image gets another id.</p>
    <${CopyCurl} method="DELETE" path=${path} />
  </${Confirm}>`;
}

function Avatar({ avatar, onRemove }) {
  const { display_name: name, complete, upload_id: id } = avatar;
  const [size, setSize] = useState(null);
  return html`<li class=${complete ? "avatar" : "avatar incomplete"}>
    <${AvatarImage} path=${imagePath(avatar)} name=${name} onSize=${setSize} />
    <strong><${Name} text=${name} /></strong>
    ${!complete && html`<${Badge} tone="warn">incomplete</${Badge}>`}
    <span class="faint">${size && `${size.width} × ${size.height} px, `}<${Bytes}
      n=${avatar.content_length} />${complete ? "" : " declared"}</span>
    <span class="faint"><${Time} at=${avatar.create_ts} /></span>
    <${IdText} id=${id} of=${name} />
    ${mayChange.value && html`<button type="button" class="quiet" onClick=${onRemove}>
      <${Trash2} />Remove</button>`}
  </li>`;
}

/**
 * Avatars in a grid. `query` is the query of the game's list, `avatars` the part of the list to
 * show. `none` is shown if the game has avatars, but `avatars` is empty.
 */
export function AvatarGrid({ game, query, avatars, none }) {
  const { value, error, reload } = query;
  const [removing, setRemoving] = useState(null);
  const done = () => {
    setRemoving(null);
    reload();
  };
  return html`<${Problem} error=${error} onRetry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${value?.custom_avatars.length === 0 && html`<${Empty} icon=${Image} title="No avatars yet">
      Import images from files with <code>matchcloud import avatars</code>: docs/data.md describes
      how.</${Empty}>`}
    ${value?.custom_avatars.length > 0 && avatars.length === 0 && none}
    ${avatars?.length > 0 && html`<ul class="gallery">${avatars.map((avatar) => html`<${Avatar}
      key=${avatar.upload_id} avatar=${avatar} onRemove=${() => setRemoving(avatar)} />`)}</ul>`}
    ${removing && html`<${Removal} game=${game} avatar=${removing} onDone=${done}
      onClose=${() => setRemoving(null)} />`}`;
}

// Erases a game with all its data, and shows the progress of erasures.
import { request } from "../../core/api.js";
import {
  Badge, Confirm, CopyCurl, Count, Name, Problem, Section, Table, Time, announce,
} from "../../core/components.js";
import { html, useEffect, useState } from "../../core/html.js";
import { useQuery } from "../../core/query.js";

const period_ms = 1_000;
const listPath = "/v1/erasures";

const erasurePath = (game) => `/v1/games/${encodeURIComponent(game)}/everything`;

const counted = (name, title) => ({ id: name, title, numeric: true,
  cell: (row) => html`<${Count} n=${row[name]} />` });

const columns = [
  { id: "game_id", title: "Game",
    cell: (row) => html`<code><${Name} text=${row.game_id} /></code>` },
  { id: "begun", title: "Started", cell: (row) => html`<${Time} at=${row.begun} />` },
  { id: "state", title: "State", cell: ({ finished }) => html`<${Badge}
    tone=${finished ? "good" : "warn"}>${finished ? "erased" : "erasing"}</${Badge}>` },
  counted("lobbies", "Lobbies"), counted("avatars", "Avatars"), counted("exports", "Exports"),
  counted("tokens", "Tokens"),
];

/** Asks for the game's name, then begins to erase it. `game` is a game of the catalog. */
export function ErasingDialog({ game, onDone, onClose }) {
  const path = erasurePath(game.game_id);
  const erase = async () => {
    await request("DELETE", path);
    announce("The game is being erased.");
    onDone(null, null);
  };
  return html`<${Confirm} title="Erase a game and all its data" expect=${game.display_name}
    action="Erase everything" onConfirm=${erase} onClose=${onClose}>
    <p>This erases the game, its namespaces, their tokens, its avatars and images, its exports and
      its whole lobby history. New downloads are refused at once; the data is removed in the
      background.</p>
    <p><strong>This cannot be undone,</strong> and its ids can never be used again.</p>
    <${CopyCurl} method="DELETE" path=${path} />
  </${Confirm}>`;
}

/** All erasures, if there are any. */
export function Erasures() {
  const [isErasing, setErasing] = useState(false);
  const { value, error, reload } = useQuery(listPath,
    { every: isErasing ? period_ms : 10 * period_ms });
  const all = value?.erasures ?? [];
  useEffect(() => setErasing(all.some(({ finished }) => finished === null)), [value]);
  if (all.length === 0 && !error) return null;
  return html`<${Section} title="Erased games" actions=${html`<${CopyCurl} path=${listPath} />`}>
    <${Problem} error=${error} onRetry=${reload} />
    ${all.length > 0 && html`<${Table} caption="Erased games" columns=${columns} rows=${all}
      keyOf=${(row) => row.game_id} />`}
  </${Section}>`;
}

import { KeyRound, Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { send } from "../../core/api.js";
import {
  Confirm, CopyCurl, Empty, Field, Loading, Name, Problem, ReadOnly, Section, Select,
  announce,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkHere, turn } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { AuditEntry } from "../audit/entry.js";
import { scopeName } from "./kinds.js";
import { NewToken, Rotation } from "./token_forms.js";
import { TokenDetails, TokenTable } from "./token_table.js";
import { TokenText } from "./token_text.js";

const path = "/v1/tokens";
const period_ms = 5_000;
const many = 10;
const shows = [["", "all"], ["active", "active"], ["ended", "expired or revoked"]];

function Revocation({ found, onDone, onClose }) {
  const target = `${path}/${encodeURIComponent(found.token_id)}`;
  const revoke = async () => {
    const answer = await send("DELETE", target);
    announce("The token is revoked.");
    onDone(answer.headers.get("X-Request-Id"), null);
  };
  return html`<${Confirm} title="Revoke token" expect=${found.name} action="Revoke"
    onConfirm=${revoke} onClose=${onClose}>
    <p>The ${found.kind} token <strong><${Name} text=${found.name} /></strong> stops working for
      good, and so does its old text if that still works.</p>
    <${CopyCurl} method="DELETE" path=${target} />
  </${Confirm}>`;
}

/** The tokens that match the filter in the hash: those that work first, then by name. */
function listedOf(tokens, params, catalog) {
  const text = (params.get("text") ?? "").toLocaleLowerCase();
  const show = params.get("show") ?? "";
  const has = (token) => [token.name, token.kind, token.token_id, scopeName(token, catalog) ?? ""]
    .some((member) => member.toLocaleLowerCase().includes(text));
  const isWanted = ({ state }) => !show || (state === "active") === (show === "active");
  const isOf = isOfGame(params, catalog);
  return tokens.filter((token) => isWanted(token) && has(token) && isOf(token)).sort((a, b) =>
    (a.state === "active" ? 0 : 1) - (b.state === "active" ? 0 : 1)
      || a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** Whether a token is for the game or namespace in the address. Without either, every token is. */
function isOfGame(params, { namespaces }) {
  const [game, namespace] = [params.get("game"), params.get("namespace")];
  const gameOf = (id) => namespaces.find((one) => one.namespace_id === id)?.game_id;
  return (token) => (!namespace || token.namespace_id === namespace)
    && (!game || token.game_id === game || gameOf(token.namespace_id) === game);
}

function Chosen({ params, catalog }) {
  const [game, namespace] = [params.get("game"), params.get("namespace")];
  if (!game && !namespace) return null;
  const name = game ? catalog.games.find((one) => one.game_id === game)?.display_name ?? game
    : catalog.namespaces.find((one) => one.namespace_id === namespace)?.name ?? namespace;
  return html`<p>Only tokens for <strong><${Name} text=${name} /></strong>. ${" "}
    <a href=${linkHere({ game: "", namespace: "" })}>Show all</a></p>`;
}

function List({ tokens, params, catalog, create }) {
  if (!tokens.length) {
    return html`<${Empty} icon=${KeyRound} title="No tokens yet."
      action=${mayChange.value && html`<button type="button" class="primary" onClick=${create}>
        <${Plus} />Create the first token</button>`}>
      Create one for each program or person, such as a game's build server or a colleague who looks
      at this console. Each can be revoked on its own.</${Empty}>`;
  }
  return html`${tokens.length > many && html`<div class="choices">
      <${Field} label="Search" type="search" value=${params.get("text") ?? ""}
        onValue=${(text) => turn({ text })} />
      <${Select} label="Show" options=${shows} value=${params.get("show") ?? ""}
        onValue=${(show) => turn({ show })} /></div>`}
    <${Chosen} params=${params} catalog=${catalog} />
    <${TokenTable} tokens=${listedOf(tokens, params, catalog)} params=${params}
      catalog=${catalog} />`;
}

/** The dialog that is open: `open` is "new", "rotate", "revoke" or null. */
function Dialogs({ open, found, catalog, game, done, close }) {
  const shared = { onDone: done, onClose: close };
  if (open === "new") return html`<${NewToken} catalog=${catalog} game=${game} ...${shared} />`;
  if (open === "rotate" && found) return html`<${Rotation} found=${found} ...${shared} />`;
  if (open === "revoke" && found) return html`<${Revocation} found=${found} ...${shared} />`;
  return null;
}

/**
 * All tokens, the chosen one (`id`), and the dialogs that create, rotate and revoke them. With
 * `new`, the form for a new token is open, for the game in `game`.
 */
export function Tokens({ params, open, setOpen }) {
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const games = useQuery("/v1/games");
  const namespaces = useQuery("/v1/namespaces");
  const [made, setMade] = useState(null);
  const [requestId, setRequestId] = useState(null);
  const catalog = { games: games.value?.games ?? [],
    namespaces: namespaces.value?.namespaces ?? [] };
  const isKnown = [games, namespaces].every(({ loading }) => !loading);
  const tokens = value?.tokens ?? [];
  const found = tokens.find(({ token_id: id }) => id === params.get("id"));
  const close = () => setOpen(null);
  const done = (id, token) => {
    setRequestId(id);
    setMade(token);
    close();
    if (token) turn({ id: token.token_id, new: "" });
    reload();
  };
  return html`
    ${found && html`<${TokenDetails} found=${found} catalog=${catalog}
      onRotate=${() => setOpen("rotate")} onRevoke=${() => setOpen("revoke")} />`}
    <${Section} title=${value ? `Tokens, ${tokens.length}` : "Tokens"} className="tokens"
      actions=${html`<${CopyCurl} path=${path} />`}>
      <${Problem} error=${error} onRetry=${reload} />
      ${!error && html`<${ReadOnly} to="create, rotate or revoke tokens" />`}
      ${requestId && html`<${AuditEntry} key=${requestId} requestId=${requestId} />`}
      ${value ? html`<${List} tokens=${tokens} params=${params} catalog=${catalog}
          create=${() => setOpen("new")} />` : !error && html`<${Loading} />`}
    </${Section}>
    ${isKnown && html`<${Dialogs} open=${open} found=${found} catalog=${catalog} close=${close}
      game=${params.get("game")} done=${done} />`}
    ${made && html`<${TokenText} made=${made} onClose=${() => setMade(null)} />`}`;
}

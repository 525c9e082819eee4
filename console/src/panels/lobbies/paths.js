// Paths of requests about a game's lobbies.

export const gamePath = (game) => `/v1/games/${encodeURIComponent(game)}`;

export const lobbyPath = (game, lobby) => `${gamePath(game)}/lobbies/${encodeURIComponent(lobby)}`;

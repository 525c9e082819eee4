// Texts to start from. The good ones have no findings with the demo catalog, which a test checks.

const battleRoyale = `{
  "display_name": "Harvest Season 4.2.0",
  "config": {
    "scripts": {
      "start": "node server/main.js"
    },
    "cdn": {
      "site_id": "5b0a5a3e-7c1d-4a86-9f0e-2d7c6c1b8e10",
      "routes": [
        {
          "glob": "assets/**",
          "priority": 10,
          "middlewares": [
            {
              "kind": {
                "custom_headers": {
                  "headers": [
                    { "name": "Cache-Control", "value": "public, max-age=31536000, immutable" }
                  ]
                }
              }
            }
          ]
        }
      ]
    },
    "matchmaker": {
      "tier": "basic-2d1",
      "max_players": 60,
      "max_players_party": 4,
      "idle_lobbies": { "min": 1, "max": 4 },
      "regions": {
        "fra": { "idle_lobbies": { "min": 2, "max": 8 } },
        "iad": { "tier": "basic-4d1" },
        "nrt": {}
      },
      "captcha": {
        "requests_before_reverify": 15,
        "verification_ttl": 3600000,
        "captcha_provider_a": {
          "site_key": "10000000-ffff-ffff-ffff-000000000001",
          "secret_key": "0x0000000000000000000000000000000000000000"
        }
      },
      "container_runtime": {
        "image_id": "c3f1d6a2-64c5-4f0f-8a57-9d8f5d1e7b42",
        "args": ["--tick-rate", "30"],
        "env": { "LOG_LEVEL": "info", "MAP_POOL": "harbor,quarry,orchard" },
        "network_mode": "host",
        "ports": {
          "join": { "port": 8080, "protocol": "https" },
          "game": {
            "port_range": { "min": 26000, "max": 26999 },
            "protocol": "udp",
            "proxy": "none"
          }
        }
      },
      "game_modes": {
        "battle-royale": {
          "listable": true,
          "actions": {
            "find": { "enabled": true },
            "join": {
              "enabled": true,
              "verification": {
                "url": "https://accounts.harvest.example.com/verify",
                "headers": { "X-Client": "matchmaker" }
              }
            }
          }
        },
        "training": {
          "max_players": 8,
          "idle_lobbies": { "min": 0, "max": 1 },
          "actions": { "create": { "enabled": true, "enable_private": true } }
        }
      }
    }
  }
}
`;

const minimalVersion = `{
  "display_name": "0.1.0",
  "config": {
    "matchmaker": {
      "max_players": 8,
      "container_runtime": {
        "image_id": "c3f1d6a2-64c5-4f0f-8a57-9d8f5d1e7b42",
        "ports": { "game": { "port": 7777, "protocol": "tcp" } }
      },
      "game_modes": { "duel": {} }
    }
  }
}
`;

const typicalMistakes = `{
  "display_name": "Season 4  beta ",
  "config": {
    "matchmaker": {
      "max_playrs": 60,
      "tier": "basic-1d3",
      "idle_lobbies": { "min": 5, "max": 2 },
      "regions": { "lonn": {}, "fra": { "idle_lobbies": { "min": 1 } } },
      "container_runtime": {
        "network_mode": "bridg",
        "env": { "PORT_game": "7777", "2FAST": "yes" },
        "ports": {
          "game": { "port": "7777", "protocol": "UDP" },
          "voice": { "port_range": { "min": 20000, "max": 20100 }, "protocol": "udp" }
        }
      },
      "game_modes": {
        "battle royale": {},
        "duel": {
          "actions": {
            "join": {
              "enabled": "true",
              "verification": { "url": "http://localhost:3000/verify" }
            }
          }
        }
      }
    }
  }
}
`;

/**
 * @typedef {{id: string, title: string, text: string, isGood: boolean}} Example
 * @type {Record<"version"|"game"|"group", Example[]>} the first of each kind is shown at first
 */
export const examples = {
  version: [
    { id: "battle-royale", title: "A battle royale", text: battleRoyale, isGood: true },
    { id: "minimal", title: "The minimum that runs", text: minimalVersion, isGood: true },
    { id: "mistakes", title: "Typical mistakes", text: typicalMistakes, isGood: false },
  ],
  game: [
    { id: "game", title: "A game", isGood: true,
      text: '{\n  "display_name": "Harvest Season"\n}\n' },
    { id: "mistakes", title: "Typical mistakes", isGood: false,
      text: '{\n  "display_name": " Harvest  Season and many more words"\n}\n' },
  ],
  group: [
    { id: "group", title: "A group", isGood: true,
      text: '{\n  "display_name": "Orchard Studio"\n}\n' },
    { id: "mistakes", title: "Typical mistakes", isGood: false,
      text: '{\n  "display_nam": "Orchard Studio"\n}\n' },
  ],
};

/** The kinds of payloads, in the order they are offered. */
export const kinds = Object.keys(examples);

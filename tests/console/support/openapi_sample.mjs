// A small OpenAPI 3.1 document with everything that the API page has to show: references,
// recursion, alternatives, codes of refusals, names that try to be HTML.

/** The document of one plane; `title` is in its info. */
export function sampleDocument(title) {
  const problem = (description, codes) => ({
    description, "x-codes": codes,
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  });
  return {
    openapi: "3.1.0",
    info: { title: `matchcloud, ${title}`, version: "sample",
      description: "A sample for tests. `code` is set as code." },
    tags: [{ name: "Regions", description: "Where servers are." }, { name: "Games" }],
    servers: [{ url: title.startsWith("ops") ? "http://127.0.0.1:8081" : "http://127.0.0.1:8080" }],
    components: {
      parameters: {
        GameId: { name: "game_id", in: "path", required: true, description: "The game, a UUID.",
          schema: { type: "string", format: "uuid" },
          example: "00000000-0000-4000-8000-000000000001" },
      },
      responses: { NotAllowed: problem("The token may not do this.", ["not_permitted"]) },
      schemas: {
        Problem: {
          type: "object", required: ["type", "status", "code"],
          description: "RFC 9457.",
          properties: { type: { type: "string" }, status: { type: "integer" },
            code: { type: "string", description: "Stable." }, detail: { type: "string" } },
        },
        Coordinates: { type: "object", required: ["latitude", "longitude"], properties: {
          latitude: { type: "number", minimum: -90, maximum: 90 },
          longitude: { type: "number", minimum: -180, maximum: 180 } } },
        Region: { type: "object", required: ["region_id", "datacenter_coord"], properties: {
          region_id: { type: "string", minLength: 1, maxLength: 32, pattern: "^[a-z0-9-]+$" },
          region_display_name: { type: "string", description: "For people: <b>not bold</b>." },
          datacenter_coord: { $ref: "#/components/schemas/Coordinates",
            description: "Where it is." },
          ping_url: { type: ["string", "null"], format: "uri" } } },
        Tree: { type: "object", properties: { children: { type: "array",
          items: { $ref: "#/components/schemas/Tree" } } } },
      },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    security: [{ token: [] }, {}],
    paths: {
      "/v1/regions": {
        get: { operationId: "list_regions", tags: ["Regions"], summary: "Lists the regions.",
          description: "All of them, by id.",
          parameters: [{ name: "limit", in: "query", description: "How many.",
            schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 } }],
          responses: {
            200: { description: "The regions.", content: { "application/json": {
              schema: { type: "object", required: ["regions"], properties: { regions: {
                type: "array", items: { $ref: "#/components/schemas/Region" } } } },
              example: { regions: [{ region_id: "lon",
                datacenter_coord: { latitude: 51.5074, longitude: -0.1278 } }] } } } },
            401: problem("No token, or none that is known.", ["token_missing", "token_unknown"]),
            403: { $ref: "#/components/responses/NotAllowed" } } },
      },
      "/v1/regions/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" },
          example: "lon" }],
        put: { operationId: "put_region", tags: ["Regions"], summary: "Adds or replaces a region.",
          requestBody: { required: true, content: { "application/json": {
            schema: { $ref: "#/components/schemas/Region" },
            examples: { london: { summary: "London", value: { region_id: "lon",
              datacenter_coord: { latitude: 51.5074, longitude: -0.1278 } } } } } } },
          responses: { 200: { description: "Replaced.", content: { "application/json": {
            schema: { $ref: "#/components/schemas/Region" } } } },
          201: { description: "New." },
          400: problem("The body is not as it must be.", ["body_malformed", "query_invalid"]) } },
        delete: { operationId: "remove_region", tags: ["Regions"], deprecated: true,
          summary: "Removes <img src=x onerror=alert(1)>.",
          responses: { 204: { description: "Removed." } } },
      },
      "/v1/games/{game_id}/tree": {
        get: { operationId: "get_tree", tags: ["Games"], summary: "A tree that refers to itself.",
          parameters: [{ $ref: "#/components/parameters/GameId" }],
          responses: { 200: { description: "The tree.", content: { "application/json": {
            schema: { oneOf: [{ $ref: "#/components/schemas/Tree" }, { type: "null" }] } } } } } },
      },
      "/healthz": { get: { summary: "An operation without an id or a tag.",
        responses: { default: { description: "Something." } } } },
    },
  };
}

// Where the ops plane is, seen from this page. A proxy may serve it below a path of its own, such
// as https://ops.example/matchcloud/, and remove that path from the requests that it forwards.

/** The folder of this page, with a slash at its end. */
const folder = new URL(".", location.href);

/** The address of a path of the ops plane, which begins with /, for requests and links. */
export const addressOf = (path) => new URL(`.${path}`, folder).href;

// Lets Node import JSON from packages that do not say what it is, as GitHub's parser does not. Preloaded with `--import`.

import { register } from "node:module";

const hook = `export async function load(url, context, next) {
  const attributes = url.endsWith(".json") ? { type: "json" } : context.importAttributes;
  return next(url, { ...context, importAttributes: attributes });
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

// The API, as openapi.json describes it: each path with what it takes and what it replies.

import { byId, call, folded, html } from "./dom.js";

const named = (schema) => schema.$ref?.split("/").pop();

/** A type in a few words, with links to the objects that it has. */
function typed(schema) {
  if (schema.$ref) return [html("a", { href: `#${named(schema)}` }, named(schema))];
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.flatMap((one, i) => (i ? [" or ", ...typed(one)] : typed(one)));
  if (schema.enum) return [schema.enum.join(" or ")];
  if (schema.const) return [schema.const];
  if (schema.prefixItems) return ["list of ", String(schema.prefixItems.length)];
  if (schema.type === "array") return ["list of ", ...typed(schema.items ?? {})];
  return [schema.type ?? "any"];
}

const LIMITS = { maxLength: "characters at most", maximum: "at most", maxItems: "at most" };

function said(schema) {
  const limits = Object.entries(LIMITS).filter(([name]) => name in schema)
    .map(([name, words]) => (name === "maxLength" ? `${schema[name]} ${words}` : `${words} ${schema[name]}`));
  const absent = "default" in schema && schema.default !== null ? [`default ${JSON.stringify(schema.default)}`] : [];
  return [schema.description?.replace(/\.$/, ""), ...limits, ...absent].filter(Boolean).join("; ");
}

function fields(title, schema) {
  const needed = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => html("tr", {},
    html("th", { scope: "row" }, html("code", {}, name), needed.has(name) ? "" : " (optional)"),
    html("td", {}, ...typed(field)), html("td", {}, said(field))));
  const heads = ["Field", "Type", "What it is"].map((text) => html("th", { scope: "col" }, text));
  return html("div", { class: "list", tabindex: "0", role: "group", "aria-label": title },
    html("table", {}, html("caption", {}, title), html("thead", {}, html("tr", {}, ...heads)),
      html("tbody", {}, ...rows)));
}

const body = (part) => Object.values(part?.content ?? {})[0]?.schema;

function operation(path, method, about) {
  const sent = body(about.requestBody), given = about.parameters ?? [];
  const replies = Object.entries(about.responses).map(([status, reply]) => html("li", {},
    html("code", {}, status), ` ${reply.description} `, ...(body(reply) ? typed(body(reply)) : [])));
  const example = sent && method === "post" ? [html("pre", {},
    `curl -H 'Content-Type: application/json' ${location.origin}${path} -d '{"question": "…"}'`)] : [];
  return html("section", { class: "card" },
    html("h2", {}, html("code", {}, `${method.toUpperCase()} ${path}`)),
    html("p", {}, about.description ?? about.summary ?? ""),
    ...(sent ? [html("p", {}, "Takes ", ...typed(sent), ".")] : []),
    ...given.map((one) => html("p", {}, "Takes ", html("code", {}, `?${one.name}=`), " ", ...typed(one.schema))),
    ...(path === "/batch" ? [] : example), folded("Replies", false, html("ul", {}, ...replies)));
}

async function begin() {
  try {
    const api = await call("openapi.json");
    const paths = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, about]) => operation(path, method, about)));
    const objects = Object.entries(api.components.schemas).map(([name, schema]) =>
      html("section", { class: "card", id: name }, html("h2", {}, name),
        html("p", {}, schema.description ?? ""), fields(`Fields of ${name}`, schema)));
    byId("paths").replaceChildren(html("p", {}, "Requests and replies are JSON. Errors are problem details (RFC 9457)."),
      ...paths, ...objects);
  } catch (error) {
    byId("paths").replaceChildren(html("p", { role: "alert" }, error.message));
  }
  document.documentElement.dataset.ready = "true";
}

begin();

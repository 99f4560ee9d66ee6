import { ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import { PNG } from "./fixture-tool.ts";

const RESOURCES = [
  {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  { uri: "test://static-binary", mimeType: "image/png", blob: PNG },
  { uri: "test://watched-resource", mimeType: "text/plain", text: "Watched." },
] as const;

const TEMPLATE = "test://template/{id}/data";
const FROM_TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

/** Gives a server the resources that the suite asks for. */
export function addResources(server: Server): void {
  server.setRequestHandler("resources/list", () => ({
    resources: RESOURCES.map(({ uri, mimeType }) => ({ uri, mimeType, name: uri.replace("test://", "") })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: TEMPLATE, name: "template", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const resource = RESOURCES.find((one) => one.uri === uri);
    if (resource) return { contents: [resource] };
    const id = FROM_TEMPLATE.exec(uri)?.[1];
    if (id === undefined) throw new ResourceNotFoundError(uri);
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text }] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
}

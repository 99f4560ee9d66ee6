/** The gateway, with the operation in its registry among a thousand others. */
import { serveRuntime } from "../../test/support/serve.ts";
import { echoSources } from "../support/echo-sources.ts";

const server = await serveRuntime({ sources: echoSources() });
console.log(server.mcpUrl.href);

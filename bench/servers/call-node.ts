/** A node on the call protocol, with the operation in its registry among a thousand others. */
import { startCallNode } from "../../test/support/call-node.ts";
import { echoSources } from "../support/echo-sources.ts";

const node = await startCallNode({ sources: echoSources() });
const { hostname } = new URL(node.url);
console.log(`${node.url}?tcp=${hostname}:${node.tcp.port}`);

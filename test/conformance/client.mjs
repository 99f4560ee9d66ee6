/**
 * The client that the official suite starts once per scenario. To load the connection to upstream servers takes a second, so
 * the process that runs the suite does the work for all of them; this program hands over what it was told, and fails if that does.
 */
import { connect } from "node:net";
import { text } from "node:stream/consumers";

const {
  PINHOLE_CONFORMANCE_HOST: port,
  MCP_CONFORMANCE_SCENARIO: scenario = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
} = process.env;
const host = connect(Number(port), "127.0.0.1");
host.end(JSON.stringify({ url: process.argv.at(-1), scenario, context: JSON.parse(context) }));
const error = await text(host);
if (error !== "") {
  process.stderr.write(`${error}\n`);
  process.exitCode = 1;
}

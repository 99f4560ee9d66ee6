import { makeNodeId } from "../../config/index.ts";
import { SILENT_LOG } from "../../core/index.ts";
import { type Inspected, type InspectOptions, inspectKept, LOOKED_AT } from "../source/index.ts";
import { createPeerSource } from "./peer-source.ts";

/** What another node would bring in, or why it does not say. */
export function inspectPeer({ name, reference, token, patienceMs }: InspectOptions): Promise<Inspected> {
  const options = {
    ...LOOKED_AT,
    name,
    url: new URL(reference),
    token,
    allowPrivate: true,
    nodeId: makeNodeId(),
    log: SILENT_LOG,
  };
  return inspectKept("peer", { token, patienceMs }, (onSet) => createPeerSource(options, onSet));
}

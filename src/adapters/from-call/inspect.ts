import { makeNodeId } from "../../config/index.ts";
import { SILENT_LOG } from "../../core/index.ts";
import { INSPECTION, type Inspected, type InspectOptions, inspectKept } from "../source/index.ts";
import { createPeerSource } from "./peer-source.ts";

/** Looks once at another node, for `pinhole add`. */
export function inspectPeer({ name, reference, token, patienceMs }: InspectOptions): Promise<Inspected> {
  const options = {
    ...INSPECTION,
    name,
    url: new URL(reference),
    token,
    allowPrivate: true,
    nodeId: makeNodeId(),
    log: SILENT_LOG,
  };
  return inspectKept("peer", { token, patienceMs }, (onSet) => createPeerSource(options, onSet));
}

import {
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
} from "../source/index.ts";
import type { PeerConfig } from "./config.ts";
import type { GroupConfig } from "./group-config.ts";
import { createGroupSource } from "./group-source.ts";
import { PeerDirectory } from "./peer-directory.ts";
import { createPeerSource } from "./peer-source.ts";

/** Starts a peer source. */
export function startPeer(
  wanted: Startable<PeerConfig>,
  { log, nodeId, onSet, shared }: StartSurroundings,
): UpstreamSource {
  const { peer, refreshMs, allowPrivate } = wanted.config;
  const { token } = wanted.secrets.discovery;
  const directory = shared(PeerDirectory);
  let withdraw = () => {};
  const options = {
    url: new URL(peer),
    token,
    tls: wanted.secrets.tls,
    refreshMs,
    allowPrivate,
    nodeId,
    log,
    onListed: (member: Parameters<typeof directory.publish>[1]) => {
      withdraw = directory.publish(wanted.name, member);
    },
  };
  const source = createPeerSource({ ...sourceOptionsOf(wanted), ...options }, onSet);
  return {
    ...source,
    close() {
      withdraw();
      return source.close();
    },
  };
}

/** Starts to import a group of peers. */
export function startGroup(
  { name, config }: Startable<GroupConfig>,
  { log, nodeId, onSet, shared, attempted }: StartSurroundings,
): UpstreamSource {
  const { any: members, title, description, scopes, operations } = config;
  const options = {
    name,
    title,
    description,
    external: [config.external ?? []].flat().map(String),
    scopes,
    public: config.public,
    operations,
    members,
    directory: shared(PeerDirectory),
    attempted: Promise.all(members.map(attempted)),
    nodeId,
    log,
  };
  return createGroupSource(options, onSet);
}

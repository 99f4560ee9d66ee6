import {
  type Startable,
  type StartSurroundings,
  sourceOptionsOf,
  type UpstreamSource,
} from "../source/index.ts";
import type { PeerConfig } from "./config.ts";
import { createPeerSource } from "./peer-source.ts";

/** Starts to import a peer. */
export function startPeer(
  wanted: Startable<PeerConfig>,
  { log, nodeId, onSet }: StartSurroundings,
): UpstreamSource {
  const { peer, refreshMs, allowPrivate } = wanted.config;
  const { token } = wanted.secrets.discovery;
  const options = { url: new URL(peer), token, refreshMs, allowPrivate, nodeId, log };
  return createPeerSource({ ...sourceOptionsOf(wanted), ...options }, onSet);
}

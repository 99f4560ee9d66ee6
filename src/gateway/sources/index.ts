export { Outbounds } from "./outbounds.ts";
export { type ListedSource, type SourceFacts, SourcesList, type UpstreamReport } from "./sources-list.ts";
export { startSupplied } from "./supplied-source.ts";
export { Upstreams } from "./upstreams.ts";

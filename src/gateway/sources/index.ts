export { type ListedSource, type SourceFacts, SourcesList, type UpstreamReport } from "./sources-list.ts";
export { Upstreams } from "./upstreams.ts";

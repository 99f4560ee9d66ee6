export { GROUP_SOURCE } from "./group-kind.ts";
export { importOffer, listOffer, type Offered } from "./offer.ts";
export { PEER_SOURCE } from "./source.ts";

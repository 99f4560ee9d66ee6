export { importOffer, listOffer, OFFER_LIMITS, type Offered, type OfferOptions } from "./offer.ts";
export type { PeerSourceOptions } from "./options.ts";
export { createPeerSource, type PeerSource } from "./peer-source.ts";

export { GROUP_SOURCE } from "./group-kind.ts";
export { importOffer, listOffer, OFFER_LIMITS, type Offered, type OfferOptions } from "./offer.ts";
export { PEER_SOURCE } from "./source.ts";

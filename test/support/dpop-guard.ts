import { createHash } from "node:crypto";
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from "jose";

/** The claims of a proof that a server was shown. */
export type ShownProof = Readonly<Record<string, unknown>>;

/** Checks the proofs of requests as a resource server must (RFC 9449, section 4.3). */
export interface DpopGuard {
  /** Proofs that were accepted. */
  readonly proofs: readonly ShownProof[];
  /** The nonce that proofs must have from now on. */
  nonce: string | undefined;
  /** By how much the clock of the server is ahead, in milliseconds. */
  aheadMs: number;
  /** The error of a request, by its token and the claims of that; undefined if its proof is good. */
  refusalOf(request: Request, token: string, claims: JWTPayload): Promise<string | undefined>;
}

/** A guard that has seen nothing yet. */
export function createDpopGuard(): DpopGuard {
  const proofs: ShownProof[] = [];
  const seen = new Set<unknown>();
  return {
    proofs,
    nonce: undefined,
    aheadMs: 0,
    async refusalOf(request, token, { cnf }) {
      const scheme = request.headers.get("authorization")?.split(" ")[0];
      const proof = request.headers.get("dpop") ?? "";
      const options = {
        typ: "dpop+jwt",
        algorithms: ["ES256"],
        maxTokenAge: "5m",
        currentDate: new Date(Date.now() + this.aheadMs),
      };
      const checked = await jwtVerify(proof, EmbeddedJWK, options).catch(() => undefined);
      if (scheme !== "DPoP" || !checked) return "invalid_dpop_proof";
      const { payload, protectedHeader } = checked;
      const { jwk } = protectedHeader;
      const isRight =
        payload.htm === request.method &&
        payload.htu === request.url.split("?")[0] &&
        payload.ath === createHash("sha256").update(token).digest("base64url") &&
        jwk !== undefined &&
        (cnf as { readonly jkt?: string } | undefined)?.jkt === (await calculateJwkThumbprint(jwk)) &&
        !seen.has(payload.jti);
      if (!isRight) return "invalid_dpop_proof";
      seen.add(payload.jti);
      if (this.nonce !== undefined && payload.nonce !== this.nonce) return "use_dpop_nonce";
      proofs.push(payload);
      return undefined;
    },
  };
}

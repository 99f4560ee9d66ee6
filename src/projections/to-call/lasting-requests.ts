import { type CallError, type Entrance, type Identity, refusalToReadmit } from "../../core/index.ts";

/** Something that goes on after its request, and by whom it was begun. */
interface LastingRequest {
  readonly token: string | undefined;
  /** Who that was, and the scopes without which it must not go on. */
  readonly identity: Pick<Identity, "id" | "scopes">;
  /** Called once its caller would not be authenticated again with the same rights. */
  readonly end: (refusal: CallError) => void;
}

/** What goes on at one connection: itself, streams and an offer, each by a token of its own or by that of the connection. */
export class LastingRequests {
  readonly #all = new Set<LastingRequest>();

  /** Remembers something until the answer is called. */
  add(request: LastingRequest): () => void {
    this.#all.add(request);
    return () => this.#all.delete(request);
  }

  /** Ends what was begun by callers who would not be authenticated again; each token is asked about once. */
  async recheck(enter: (token: string | undefined) => Promise<Entrance>): Promise<void> {
    const entered = new Map<string | undefined, Promise<Entrance>>();
    const look = async (request: LastingRequest) => {
      const { token, identity, end } = request;
      const again = entered.get(token) ?? enter(token);
      entered.set(token, again);
      const refusal = await refusalToReadmit(identity, again);
      if (refusal && this.#all.delete(request)) end(refusal);
    };
    await Promise.all([...this.#all].map(look));
  }
}

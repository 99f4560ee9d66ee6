/** What an authorization server keeps about one thing: a session, a code, a token, a registered client. */
interface Kept {
  readonly uid?: string;
  readonly grantId?: string;
  consumed?: number;
}

/**
 * The memory of one authorization server, in the shape that oidc-provider asks for. The one that it brings along warns on
 * the terminal, and is lost when the server gets new keys. The server itself checks whether something has expired.
 */
export function createProviderStore(): (model: string) => object {
  const models = new Map<string, Map<string, Kept>>();
  return (model) => {
    const kept = models.get(model) ?? new Map<string, Kept>();
    models.set(model, kept);
    return {
      upsert: async (id: string, payload: Kept) => void kept.set(id, payload),
      find: async (id: string) => kept.get(id),
      findByUid: async (uid: string) => [...kept.values()].find((each) => each.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id: string) {
        const found = kept.get(id);
        if (found) found.consumed = Math.floor(Date.now() / 1_000);
      },
      destroy: async (id: string) => void kept.delete(id),
      async revokeByGrantId(grantId: string) {
        for (const [id, each] of kept) if (each.grantId === grantId) kept.delete(id);
      },
    };
  };
}

/** Facts for a first configuration. */
export interface FirstConfig {
  readonly port: number;
  readonly identity: { readonly id: string; readonly tokenHash: string } | undefined;
  /** Path of its schema, if there is one. */
  readonly schema: string | undefined;
}

/** The text of a first configuration: few settings, and comments that show further ones. */
export function firstConfig({ port, identity, schema }: FirstConfig): string {
  const help = schema === undefined ? "" : `# yaml-language-server: $schema=${schema}\n`;
  return `${help}# Pinhole is a gateway between agents and tools. \`pinhole serve\` reads this file and follows its changes;
# \`pinhole doctor\` says what is wrong with it and with what it names.

server:
  port: ${port} # agents: http://127.0.0.1:${port}/mcp, programs: http://127.0.0.1:${port}/openapi.json

# Where operations come from. \`pinhole add NAME URL-OR-FILE\` finds out what something is and writes it here:
#
#   github:                                   # its tools become github/create_issue and so on
#     mcp: https://mcp.example.com/mcp        # or openapi: ./api.yaml, or plugin: ./operations.ts
#     token: { env: GITHUB_TOKEN }            # where the secret is, never the secret itself
#     external: "*"                           # what callers can reach: everything, or patterns
#     scopes: [github]                        # what a caller must have; leave out for nothing
sources: {}

${
  identity
    ? `# Who may call, by the hash of a token; a caller without one is refused. \`pinhole token NAME\` makes another one.
identities:
  - id: ${JSON.stringify(identity.id)}
    tokenHash: ${JSON.stringify(identity.tokenHash)}
    scopes: [operator] # add the scopes that sources ask for
`
    : `# Who may call. While no identity is named, the gateway listens to this machine only. \`pinhole token NAME\` makes one:
#
# identities:
#   - { id: ci, tokenHash: "sha256:…", scopes: [github] }
#
# From then on a caller without a token is refused, unless access: { anonymous: true } is there too.
`
}
# Operations that are switched off for everyone, by name or pattern:
# deny: ["github/delete*"]
`;
}

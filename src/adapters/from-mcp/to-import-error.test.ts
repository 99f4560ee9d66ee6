import assert from "node:assert/strict";
import { test } from "node:test";
import { UnauthorizedError } from "@modelcontextprotocol/client";
import { toFailure } from "./failure.ts";
import { toImportError } from "./to-import-error.ts";

test("whoever has no credential is not told that it was refused, but to set one", () => {
  const failure = toFailure(new UnauthorizedError("no"));
  const told = (hasCredential: boolean, advice?: string) =>
    toImportError(failure, { url: "https://example.com/mcp", hasCredential, advice }).message;
  assert.equal(
    told(true),
    "https://example.com/mcp refused the credential. Set or renew the source's token.",
  );
  assert.equal(
    told(false),
    "https://example.com/mcp does not answer without a credential, and there is none. Set the source's token, or oauth if people sign in there.",
  );
  assert.match(told(false, "Set sources.a.credentials.discovery."), /there is none\. Set sources\.a\./);
});

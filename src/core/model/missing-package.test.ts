import assert from "node:assert/strict";
import { test } from "node:test";
import { needing, PackageMissing } from "./missing-package.ts";

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /a.js`), {
    code: "ERR_MODULE_NOT_FOUND",
  });

test("a module whose optional package is not installed says who needs it and how to add it", async () => {
  await assert.rejects(
    needing("pg", "storage.postgres", () => Promise.reject(notFound("pg"))),
    new PackageMissing("pg", "storage.postgres"),
  );
  assert.equal(await needing("pg", "storage.postgres", async () => 1), 1);
});

test("any other failure to load is passed on as it is", async () => {
  for (const error of [notFound("pg-protocol"), new SyntaxError("Unexpected token 'pg'")])
    await assert.rejects(
      needing("pg", "storage.postgres", () => Promise.reject(error)),
      error,
    );
});

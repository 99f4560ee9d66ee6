import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readDocument } from "./read-document.ts";

const OK = { 200: { description: "Fine.", content: { "application/json": { schema: { type: "string" } } } } };

function read(paths: object) {
  return readDocument({ root: { openapi: "3.0.3", info: { title: "T" }, paths } });
}

describe("operation names", () => {
  const names = (paths: object) => read(paths).operations.map(({ name }) => name);
  const get = (operationId?: string) => ({ get: { operationId, responses: OK } });

  test("an operation name is its operationId with invalid characters replaced; slashes group", () => {
    assert.deepEqual(
      names({ "/a": get("repos/list-for-user"), "/b": get("Läse Größe!"), "/c": get("/x//y/") }),
      ["repos/list-for-user", "Lase_Gro_e", "x/y"],
    );
  });

  test("an operation without an id is named by method and path, and keeps its name", () => {
    assert.deepEqual(names({ "/users/{user-id}/posts": get(), "/": get(), "/x": get(""), "/Läse": get() }), [
      "get_users_by_user_id_posts",
      "get_root",
      "get_x",
      "get_Lase",
    ]);
  });

  test("names of paths in other scripts are distinct and stable, whatever comes before them", () => {
    const found = names({ "/v1/天气": get(), "/v1/地图": get(), "/天气": get(), "/v1": get() });
    assert.deepEqual(
      found.map((name) => name.replace(/_[0-9a-z]{7}$/, "_…")),
      ["get_v1_…", "get_v1_…", "get_…", "get_v1"],
    );
    assert.equal(new Set(found).size, 4);
    assert.deepEqual(names({ "/v1/地图": get() }), [found[1]]);
  });

  test("operations with the same id get distinct names", () => {
    const paths = {
      "/a": { get: { operationId: "x", responses: OK }, put: { operationId: "x", responses: OK } },
      "/b": get("x"),
      "/c": get("x"),
    };
    const found = names(paths);
    assert.deepEqual(found, ["x", "x_put", "x_get", "x_get_c"]);
  });

  test("long operation names are shortened, and stay distinct if only their ends differ", () => {
    const long = "a".repeat(300);
    const [one = "", other = ""] = names({ "/a": get(`${long}1`), "/b": get(`${long}2`) });
    assert.ok(one.length <= 100 && other.length <= 100);
    assert.notEqual(one, other);
    const endless = `a${"_".repeat(3_000_000)}b`;
    assert.deepEqual(names({ "/a": get(endless), "/b": get("constructor") }), ["a", "constructor"]);
  });
});

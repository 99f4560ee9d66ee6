import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { listenForRedirect } from "./redirect-listener.ts";

test("the redirect listener closes after the answer, although a browser keeps an unused connection open", async () => {
  const { redirectUrl, arrived, close } = await listenForRedirect(0, "the state");
  const unused = connect(Number(new URL(redirectUrl).port), "127.0.0.1");
  await once(unused, "connect");
  const ended = once(unused, "close");
  const page = fetch(`${redirectUrl}?code=1&state=the+state`);
  assert.equal((await arrived).get("code"), "1");
  await close(true);
  await ended;
  assert.match(await (await page).text(), /You are logged in/);
});

test("the redirect listener refuses other host names, other paths and requests without the state", async (t) => {
  const { redirectUrl, arrived, close } = await listenForRedirect(0, "the state");
  t.after(() => close(false));
  let hasArrived = false;
  void arrived.then(() => {
    hasArrived = true;
  });
  const answer = `${redirectUrl}?code=1&state=the+state`;
  for (const asked of [
    () => fetch(answer, { method: "POST" }),
    () => fetch(answer.replace("127.0.0.1", "localhost")),
    () => fetch(answer.replace("the+state", "THE+state")),
    () => fetch(answer.replace("/callback", "/")),
  ]) {
    const response = await asked();
    assert.equal(response.status, 400);
    assert.match(await response.text(), /does not belong to the login/);
  }
  assert.equal(hasArrived, false);
});

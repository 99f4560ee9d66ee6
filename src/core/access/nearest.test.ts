import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest, plainForm } from "./nearest.ts";

test("typing slips, other spellings and swapped letters find the word that was meant", () => {
  const names = ["create_issue", "list_issues", "close_issue", "merge"];
  assert.equal(nearest("creat_issue", names)[0], "create_issue");
  assert.equal(nearest("createIssue", names)[0], "create_issue");
  assert.equal(nearest("megre", names)[0], "merge");
});

test("the closest comes first, equals by name, and no more than asked for", () => {
  assert.deepEqual(nearest("port", ["ports", "sort", "part", "port"], 3), ["port", "part", "ports"]);
});

test("nothing is better than something far away", () => {
  assert.deepEqual(nearest("weather", ["create_issue", "merge", ""]), []);
});

test("among very many names the same ones are found as by comparing each", () => {
  const letters = ["a", "b", "c", "D", "_"];
  let seed = 7;
  const word = () =>
    Array.from({ length: 1 + (seed % 11) }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return letters[(seed >>> 16) % letters.length];
    }).join("");
  for (let round = 0; round < 300; round++) {
    const wanted = word();
    const candidates = [...new Set(Array.from({ length: 40 }, word))];
    const patient = candidates
      .map((candidate) => ({ candidate, ...distanceOf(plainForm(wanted), plainForm(candidate)) }))
      .filter(({ distance, allowed }) => distance <= allowed)
      .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
      .map(({ candidate }) => candidate);
    assert.deepEqual(nearest(wanted, candidates, 3), patient.slice(0, 3), wanted);
    assert.deepEqual(nearest(wanted, candidates, Number.POSITIVE_INFINITY), patient, wanted);
  }
});

function distanceOf(from: string, to: string) {
  const edits = (row: number, column: number): number => {
    if (row === 0 || column === 0) return row + column;
    const same = from[row - 1] === to[column - 1];
    const swapped =
      row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
    return Math.min(
      known(row - 1, column) + 1,
      known(row, column - 1) + 1,
      known(row - 1, column - 1) + (same ? 0 : 1),
      swapped ? known(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
    );
  };
  const table = new Map<string, number>();
  const known = (row: number, column: number): number => {
    const key = `${row} ${column}`;
    const value = table.get(key) ?? edits(row, column);
    table.set(key, value);
    return value;
  };
  return {
    distance: known(from.length, to.length),
    allowed: Math.max(1, Math.floor(Math.max(from.length, to.length) / 3)),
  };
}

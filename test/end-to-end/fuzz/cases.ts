import fc from "fast-check";
import { brokenJson, calls, envelopes, sizes } from "./bodies.ts";
import { noHttp, places, strangers, wrongHeaders } from "./heads.ts";
import type { FuzzCase } from "./request.ts";

/** Requests that are wrong in every way that we could think of. */
export const fuzzCases: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 3, arbitrary: brokenJson },
  { weight: 5, arbitrary: envelopes },
  { weight: 5, arbitrary: wrongHeaders },
  { weight: 2, arbitrary: strangers },
  { weight: 3, arbitrary: places },
  { weight: 1, arbitrary: sizes },
  { weight: 6, arbitrary: calls },
  { weight: 2, arbitrary: noHttp },
);

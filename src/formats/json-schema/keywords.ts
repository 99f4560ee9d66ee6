/** The keywords that hold one schema each. */
export const HOLDS_ONE: readonly string[] = [
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** The keywords that hold a list of schemas. */
export const HOLDS_LIST: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/** The keywords that hold schemas by name, definitions aside. */
export const HOLDS_NAMED: readonly string[] = ["dependentSchemas", "patternProperties", "properties"];

/** Keywords of definitions; up to draft-07 the longer name. */
export const HOLDS_DEFINITIONS: readonly string[] = ["$defs", "definitions"];

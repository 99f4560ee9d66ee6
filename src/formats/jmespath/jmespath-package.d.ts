/** The package that our own evaluator is compared with in tests; it brings no types. */
declare module "jmespath" {
  const jmespath: { search(data: unknown, expression: string): unknown };
  export default jmespath;
}

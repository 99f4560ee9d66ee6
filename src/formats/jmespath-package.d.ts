/** The two functions of the package that are used; it brings no types of its own. */
declare module "jmespath" {
  const jmespath: {
    compile(expression: string): unknown;
    search(data: unknown, expression: string): unknown;
  };
  export default jmespath;
}
